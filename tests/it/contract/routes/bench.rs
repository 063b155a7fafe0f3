//! A server, and the audit logs of all its chains.

use serde_json::Value;

use crate::harness::{Client, People, TestServer};

pub(super) struct Bench {
    pub(super) server: TestServer,
    pub(super) people: People,
    auditors: [(&'static str, Client, &'static str); 3],
}

impl Bench {
    pub(super) async fn new() -> Self {
        let server = TestServer::start().await;
        let people = People::usual(&server).await;
        let auditors = [
            ("acme", people.human("ines").await, "tenant"),
            ("globex", people.human("greta").await, "tenant"),
            ("global", people.root.clone(), "global"),
        ];
        Self {
            server,
            people,
            auditors,
        }
    }

    /// All records of the three chains.
    pub(super) async fn records(&self) -> [Vec<Value>; 3] {
        let mut all = [const { Vec::new() }; 3];
        for (records, (_, auditor, log)) in all.iter_mut().zip(&self.auditors) {
            let mut cursor = String::new();
            loop {
                let path = format!("/v1/audit?log={log}&limit=200{cursor}");
                let page = auditor.get(&path).await.expect(200);
                records.extend(page.body["items"].as_array().unwrap().iter().cloned());
                match page.body["next_cursor"].as_str() {
                    Some(next) => cursor = format!("&cursor={next}"),
                    None => break,
                }
            }
        }
        all
    }

    /// The records that came since, with the names of their chains.
    pub(super) async fn since(&self, before: &[Vec<Value>; 3]) -> Vec<(&'static str, Value)> {
        let after = self.records().await;
        let mut new = Vec::new();
        for (index, (chain, ..)) in self.auditors.iter().enumerate() {
            assert_eq!(
                after[index][..before[index].len()],
                before[index][..],
                "a chain only grows"
            );
            let fresh = after[index][before[index].len()..].iter();
            new.extend(fresh.map(|record| (*chain, record.clone())));
        }
        new
    }
}
