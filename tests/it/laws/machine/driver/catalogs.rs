//! Compares catalogs and listings with what the model resolves.

use serde_json::{Value, json};

use super::super::cast::CAST;
use super::super::model::{Pin, Resolved};
use super::super::ops::CALLERS;
use super::Driver;

impl Driver {
    /// Compares what everyone sees now.
    pub(super) async fn compare(&mut self) {
        let turn = self.steps % CALLERS;
        let changed = self.effects() != self.compared;
        self.compared = self.effects();
        self.fresh(turn).await;
        for (who, actor) in CAST.iter().enumerate() {
            let Some(session) = &self.sessions[who] else {
                continue;
            };
            if self.model.now >= session.expires || (!changed && who != turn) {
                continue;
            }
            let client = session.client.clone();
            if !self.model.stands(actor, session.ground) {
                client
                    .post("/v1/catalog", json!({}))
                    .await
                    .expect_problem(401, "authority-ended");
                continue;
            }
            let cap = 1 + (self.steps + who) % 4;
            let answer = client
                .post("/v1/catalog", json!({"cap": cap}))
                .await
                .expect(200);
            let resolved = self.model.resolve(actor);
            self.matches(who, &answer.body, &resolved, cap, None);
            if who == turn {
                // The listing is the catalog without a cap (invariant 9).
                let listing = client.get("/v1/skills?limit=200").await.expect(200);
                // And says what of it was overtaken.
                let wanted = resolved.entries.iter().map(|(entry, pin)| {
                    let mut entry = entry.clone();
                    if let Some(drift) = self
                        .model
                        .drift(pin.spot, pin.name)
                        .filter(|_| !pin.shadows.is_empty())
                    {
                        entry["upstream_changed"] = true.into();
                        entry["upstream"] = drift;
                    }
                    entry
                });
                assert_eq!(listing.body["items"], wanted.collect::<Value>());
            }
        }
    }

    /// Compares a catalog with what the model resolves; gives what it pins (invariants 7 and 9).
    pub(super) fn matches(
        &mut self,
        who: usize,
        answer: &Value,
        resolved: &Resolved,
        cap: usize,
        budget: Option<u16>,
    ) -> Vec<Pin> {
        let Resolved {
            entries,
            blocked,
            sealed,
        } = resolved;
        let most = entries.len().min(cap.max(*sealed));
        let shown = match budget {
            None => {
                assert!(answer.get("report").is_none(), "{answer}");
                most
            }
            Some(budget) => {
                let report = &answer["report"];
                let kept = report["kept"].as_u64().unwrap() as usize;
                assert_eq!(kept, answer["entries"].as_array().unwrap().len());
                assert!(kept >= (*sealed).min(most) && kept <= most, "{answer}");
                let tokens = answer["block"].as_str().unwrap().len().div_ceil(4);
                assert_eq!(report["estimated_tokens"], tokens);
                assert_eq!(report["token_budget"], budget);
                assert!(tokens <= usize::from(budget) || kept == *sealed, "{answer}");
                let cut: Vec<&Value> = entries[kept..most]
                    .iter()
                    .map(|(entry, _)| &entry["name"])
                    .collect();
                assert_eq!(report["cut"], json!(cut));
                kept
            }
        };
        let scopes: Vec<String> = CAST[who].spots().iter().map(|spot| spot.text()).collect();
        assert_eq!(answer["scopes"], json!(scopes));
        let wanted: Vec<&Value> = entries[..shown].iter().map(|(entry, _)| entry).collect();
        assert_eq!(
            answer["entries"],
            json!(wanted),
            "entries of {:?}",
            CAST[who]
        );
        let omitted: Vec<&Value> = entries[shown..]
            .iter()
            .map(|(entry, _)| &entry["name"])
            .collect();
        assert_eq!(answer["omitted"], omitted.len());
        assert_eq!(answer["omitted_names"], json!(omitted));
        assert_eq!(answer["blocked"], json!(blocked));
        let block = answer["block"].as_str().unwrap();
        let lines = block.lines().filter(|line| line.starts_with("- ")).count();
        assert_eq!(lines, shown, "one line an entry: {block}");
        assert_eq!(block.is_empty(), shown == 0);
        self.etag(answer);
        entries[..shown]
            .iter()
            .map(|(_, pin)| pin.clone())
            .collect()
    }

    /// An etag changes when and only when the catalog does.
    fn etag(&mut self, answer: &Value) {
        let mut content = stable(answer);
        let etag = content["etag"].take().as_str().unwrap().to_owned();
        let content = content.to_string();
        let before = self.etags.insert(etag.clone(), content.clone());
        assert!(
            before.is_none_or(|before| before == content),
            "one etag, two catalogs"
        );
        let before = self.catalogs.insert(content, etag.clone());
        assert!(
            before.is_none_or(|before| before == etag),
            "one catalog, two etags"
        );
    }
}

/// What of a catalog stays when it is asked for again.
pub(super) fn stable(answer: &Value) -> Value {
    let mut answer = answer.clone();
    let members = answer.as_object_mut().unwrap();
    for field in ["turn", "offer", "expires_at"] {
        members.remove(field).unwrap();
    }
    answer
}
