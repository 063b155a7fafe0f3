//! Named turns: the same turn keeps its catalog (invariants 12 and 13).

mod keeping;
mod lifetimes;
mod terms;

use serde_json::{Value, json};

use crate::harness::{People, TestServer};

const DAY: i64 = 24 * 60 * 60;

/// What of a catalog stays when it is asked for again.
fn stable(answer: &Value) -> Value {
    let mut answer = answer.clone();
    for field in ["offer", "expires_at"] {
        answer.as_object_mut().unwrap().remove(field).unwrap();
    }
    answer
}

/// The usual people and two global skills.
async fn people(server: &TestServer) -> People {
    let people = People::usual(server).await;
    for name in ["refunds", "returns"] {
        people.root.create("global", name, name).await.expect(201);
    }
    people
}

async fn set_max_cap(people: &People, max_cap: u32) {
    let settings = json!({
        "max_cap": max_cap, "agent_own_scope": "allow", "skills_per_actor": 200, "skills_per_tenant": 2_000,
        "revisions_per_skill": 10_000,
    });
    people
        .root
        .put("/v1/tenants/acme/settings", settings)
        .await
        .expect(200);
}
