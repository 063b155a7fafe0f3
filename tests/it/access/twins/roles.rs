//! What acme's roles are told, what they are offered, and what their runs begin with.

use serde_json::json;

use super::twin::Twin;
use crate::harness::{Client, content, context};

const ROLE: &str = "/v1/roles/{scope}/{role}";
const ATTACHMENTS: &str = "/v1/roles/{scope}/{role}/attachments";

/// Tells a role of acme's something, and opens runs of it.
pub(super) async fn roles(twin: &mut Twin, publisher: &Client, agent: &Client) {
    let new = [("if-none-match", "*")];
    let path = "/v1/roles/tenant:acme/support";
    twin.step(
        publisher,
        ("PUT", ROLE),
        path,
        &new,
        Some(content("support at acme")),
    )
    .await
    .expect(201);
    twin.interlude().await;
    let attachments = "/v1/roles/tenant:acme/support/attachments";
    let body = json!({"skills": [{"name": "refunds", "mode": "ambient"}], "reason": "a test"});
    twin.step(
        publisher,
        ("PUT", ATTACHMENTS),
        attachments,
        &[],
        Some(body),
    )
    .await
    .expect(200);
    for _ in 0..2 {
        for client in [publisher, agent] {
            twin.get(client, ROLE, path).await.expect(200);
            twin.get(client, ATTACHMENTS, attachments).await.expect(200);
        }
        let body = json!({"turn": "opened", "role": "support", "context": context("task-start")});
        twin.post(agent, "/v1/openings", "/v1/openings", body)
            .await
            .expect(200);
        let body = json!({"workflow": "bugfix", "role": "review"});
        let resolve = "/v1/prompts/resolve";
        twin.post(agent, resolve, resolve, body).await.expect(200);
        twin.get(agent, "/v1/skills", "/v1/skills?role=support")
            .await
            .expect(200);
        twin.interlude().await;
    }
    let body = json!({"skills": []});
    twin.step(
        publisher,
        ("PUT", ATTACHMENTS),
        attachments,
        &[],
        Some(body),
    )
    .await
    .expect(200);
    twin.step(publisher, ("DELETE", ROLE), path, &[], None)
        .await
        .expect(200);
}
