//! Compares the history of a skill.

use serde_json::{Value, json};

use super::super::cast::CAST;
use super::super::model::{Model, Spot};
use super::super::ops::NAMES;
use super::Driver;

impl Driver {
    /// The revisions of a skill: numbered without a gap, newest first, and never changed but for their recall
    /// (invariant 15).
    pub(super) async fn history(&mut self, spot: Spot, name: usize) {
        let Some(reader) = Model::reader_of(spot) else {
            return;
        };
        self.fresh(reader).await;
        let Some(session) = &self.sessions[reader] else {
            return;
        };
        if !self.model.stands(&CAST[reader], session.ground) {
            return;
        }
        let path = format!(
            "/v1/skills/{}/{}/revisions?limit=200",
            spot.text(),
            NAMES[name]
        );
        let answer = session.client.get(&path).await;
        let expected = self.model.history(spot, name);
        if expected.is_empty() {
            answer.expect_problem(404, "not-found");
            return;
        }
        let rows = answer.expect(200).body["items"].as_array().unwrap().clone();
        assert_eq!(rows.len(), expected.len());
        for (row, expected) in rows.iter().zip(&expected) {
            for (field, value) in expected.as_object().unwrap() {
                let shown = row.get(field).unwrap_or(&Value::Null);
                assert_eq!(shown, value, "{field} of {row}");
            }
            let id = (spot, name, row["revision"].as_u64().unwrap());
            let constant = json!([
                row["created_at"],
                row["size"],
                row["message"],
                row["frontmatter"]
            ]);
            let before = self.times.entry(id).or_insert(constant.clone());
            assert_eq!(*before, constant, "a revision changed: {row}");
        }
    }
}
