//! The audit log at the end of a run.

use std::collections::BTreeMap;

use serde_json::Value;

use super::super::cast::ROOT;
use super::super::ops::Op;
use super::Driver;

/// The actions whose records the model counts; logins come and go with the clock.
const COUNTED: [&str; 16] = [
    "publish-skill",
    "rollback-skill",
    "archive-skill",
    "disable-skill",
    "enable-skill",
    "quarantine-skill",
    "release-skill",
    "revoke-skill",
    "seal-skill",
    "unseal-skill",
    "hide-skill",
    "show-skill",
    "set-member",
    "remove-member",
    "create-service",
    "revoke-service",
];

impl Driver {
    /// Compares the audit log, record by record (invariant 16), and that the chains hold.
    pub(in crate::laws::machine) async fn finish(&mut self) {
        // Repeats of a refusal are recorded when their minute is over.
        self.execute(&Op::Advance { seconds: 61 }, "").await;
        for chain in 0..3 {
            let records = self.audit(chain, self.base[chain]).await;
            let (allowed, denied): (Vec<Value>, Vec<Value>) = records
                .into_iter()
                .partition(|record| record["verdict"] == "allow");
            let text =
                |record: &Value, field: &str| record[field].as_str().unwrap_or_default().to_owned();
            let changes: Vec<(String, String, String)> = allowed
                .iter()
                .map(|record| {
                    (
                        text(record, "principal"),
                        text(record, "action"),
                        text(record, "target"),
                    )
                })
                .filter(|(_, action, _)| COUNTED.contains(&action.as_str()))
                .collect();
            assert_eq!(
                changes, self.model.audit[chain],
                "the records of chain {chain}"
            );
            let mut refusals = BTreeMap::new();
            for record in &denied {
                let key = (
                    text(record, "principal"),
                    text(record, "action"),
                    text(record, "target"),
                    text(record, "rule"),
                );
                *refusals.entry(key).or_default() += record["detail"]["count"].as_u64().unwrap();
            }
            assert_eq!(
                refusals, self.model.refusals[chain],
                "the refusals of chain {chain}"
            );
        }
        for (spot, name) in self.model.skills.keys().copied().collect::<Vec<_>>() {
            self.history(spot, name).await;
        }
        self.server.stop().await;
        let reports = self.server.verify_audit().await;
        assert_eq!(reports.len(), 3);
        assert!(
            reports.iter().all(|report| report.faults.is_empty()),
            "{reports:?}"
        );
    }

    /// The records of a chain after the first so many.
    pub(super) async fn audit(&mut self, chain: usize, after: u64) -> Vec<Value> {
        let who = if chain == 2 { ROOT } else { 1 + chain };
        self.fresh(who).await;
        let client = &self.session(who).client;
        let mut records = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = client
                .get(&format!("/v1/audit?limit=200{cursor}"))
                .await
                .expect(200);
            records.extend(page.body["items"].as_array().unwrap().clone());
            match page.body["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        records.into_iter().skip(after as usize).collect()
    }
}
