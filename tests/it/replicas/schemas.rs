//! Context schemas are the installation's: what one server activated, every other holds publications to, also those that it checked
//! just before.

use std::sync::Arc;

use serde_json::json;
use vestry::store::Point;

use super::beside::{Ground, at};
use crate::api::schemas::{Gate, SCHEMA, activate, built_in, publish, renamed};
use crate::harness::{Builder, People, TestServer};

/// Two servers; the first can be held up when it has checked what is to be published.
async fn two(ground: &Ground) -> (TestServer, TestServer, Arc<Gate>) {
    let gate = Gate::new(Point::Scanned);
    let first = Builder {
        installation: Some(ground.shared()),
        probe: Some(gate.clone()),
        ..Builder::default()
    };
    let first = first.start().await;
    let second = Builder {
        seed: 1,
        installation: Some(ground.shared()),
        clock: Some(first.clock.clone()),
        ..Builder::default()
    };
    (first, second.start().await, gate)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_schema_that_another_server_activates_between_check_and_publication_holds() {
    let Some(ground) = Ground::new().await else {
        return;
    };
    let (first, second, gate) = two(&ground).await;
    let people = People::usual(&first).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let root = at(&second, &people.root);
    publish(&maria, "tenant:acme", "old", "Of {{organization.name}}.\n")
        .await
        .expect(201);
    publish(&maria, "tenant:acme", "old", "{{len people}}\n")
        .await
        .expect(200);
    for (round, is_rollback) in [(1, false), (2, true)] {
        // Checked here, under the schema before.
        gate.arm();
        let publisher = maria.clone();
        let publication = tokio::spawn(async move {
            if is_rollback {
                let back = json!({"to": 1, "reason": "a test"});
                publisher
                    .post("/v1/skills/tenant:acme/old/rollback", back)
                    .await
            } else {
                publish(
                    &publisher,
                    "tenant:acme",
                    "late",
                    "Of {{organization.name}}.\n",
                )
                .await
            }
        });
        gate.is_reached().await;
        activate(&root, &renamed(2), true).await.expect(200);
        gate.release();
        let refused = publication.await.unwrap();
        refused.expect_problem(422, "template-refused");
        let read = maria.get("/v1/skills/tenant:acme/old").await.expect(200);
        assert_eq!(read.body["revision"], 2, "round {round}");
        maria.get("/v1/skills/tenant:acme/late").await.expect(404);
        // And what only the new one takes is taken here.
        let name = format!("firm-{round}");
        publish(&maria, "tenant:acme", &name, "Of {{firm.name}}.\n")
            .await
            .expect(201);
        activate(&root, &built_in(1), true).await.expect(200);
        let active = maria.get(SCHEMA).await.expect(200);
        assert_eq!(active.body["built_in"], true);
    }
    for chain in first.verify_audit().await {
        assert!(chain.faults.is_empty(), "{chain:?}");
    }
}
