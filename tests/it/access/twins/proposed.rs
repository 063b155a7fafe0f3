//! What acme proposes, and decides.

use serde_json::json;

use super::twin::Twin;
use crate::api::proposals::{approval, proposal};
use crate::harness::{Client, content};

/// What is proposed and decided.
pub(super) async fn proposals(twin: &mut Twin, agent: &Client, tom: &Client, publisher: &Client) {
    const ALL: &str = "/v1/proposals";
    const ONE: &str = "/v1/proposals/{id}";
    let new = |scope: &str, text: &str| {
        let mut body = proposal(scope, "tone", text);
        body["files"] = json!([{"path": "a", "text": "a"}]);
        body
    };
    let mut made = Vec::new();
    for (client, scope, text) in [
        (agent, "tenant:acme", "tone, better"),
        (tom, "tenant:acme", "tone, otherwise"),
        (agent, "global", "tone for all"),
    ] {
        let answer = twin
            .post(client, ALL, ALL, new(scope, text))
            .await
            .expect(201);
        made.push(answer.text("id"));
        twin.interlude().await;
    }
    let [better, otherwise, wide] = &made[..] else {
        unreachable!()
    };
    let of = |id: &str| format!("/v1/proposals/{id}");
    for client in [agent, tom, publisher] {
        twin.get(client, ALL, "/v1/proposals?limit=2")
            .await
            .expect(200);
        twin.get(client, ONE, &of(better)).await.expect(200);
        twin.get(client, ONE, &of(wide)).await;
        twin.get(client, ONE, &of("p-999999")).await.expect(404);
    }
    let file = "/v1/proposals/{id}/file";
    twin.get(tom, file, &format!("{}/file?path=a", of(better)))
        .await
        .expect(200);
    let body = Some(content("tone, better still"));
    twin.step(agent, ("PUT", ONE), &of(better), &[], body)
        .await
        .expect(200);
    twin.interlude().await;
    let post = async |twin: &mut Twin, client: &Client, verb: &str, id: &str, body| {
        let route = match verb {
            "comments" => "/v1/proposals/{id}/comments",
            "decision" => "/v1/proposals/{id}/decision",
            "rebase" => "/v1/proposals/{id}/rebase",
            _ => "/v1/proposals/{id}/withdraw",
        };
        let path = format!("{}/{verb}", of(id));
        twin.post(client, route, &path, body).await
    };
    post(twin, tom, "comments", better, json!({"text": "yes"}))
        .await
        .expect(201);
    let page = twin.get(publisher, ONE, &of(better)).await.expect(200);
    post(twin, publisher, "decision", better, approval(&page.body))
        .await
        .expect(200);
    twin.interlude().await;
    twin.get(tom, ONE, &of(otherwise)).await.expect(200);
    post(twin, tom, "rebase", otherwise, json!({}))
        .await
        .expect(200);
    post(twin, tom, "withdraw", otherwise, json!({}))
        .await
        .expect(200);
    twin.interlude().await;
    twin.get(
        publisher,
        ALL,
        "/v1/proposals?state=published&scope=tenant:acme",
    )
    .await
    .expect(200);
}
