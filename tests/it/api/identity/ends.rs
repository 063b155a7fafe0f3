//! Services: minting for their own tenant, and the end of what they minted.

use serde_json::json;

use super::{ended, uses};
use crate::harness::{People, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn a_service_mints_within_its_bounds() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let service = people.service("acme").await;
    for ttl in [
        json!(0),
        json!(-1),
        json!(3601),
        json!(i64::MAX),
        json!(i64::MIN),
    ] {
        let body = json!({"actor": {"id": "tom"}, "agent": "bot", "ttl_seconds": ttl});
        let refused = service
            .post("/v1/token", body)
            .await
            .expect_problem(422, "invalid-content");
        assert_eq!(refused.body["field"], "ttl_seconds");
    }
    let body = json!({"actor": {"id": "tom"}, "agent": "bot", "ttl_seconds": 3600});
    let minted = service.post("/v1/token", body.clone()).await.expect(200);
    let me = service
        .with_token(minted.text("access_token"))
        .get("/v1/me")
        .await
        .expect(200);
    assert_eq!(me.body["principal"], "agent:bot");
    assert_eq!(
        (&me.body["acts_for"], &me.body["tenant"], &me.body["kind"]),
        (&json!("tom"), &json!("acme"), &json!("agent"))
    );
    let agent = service.with_token(minted.text("access_token"));
    for (client, rule) in [
        (&people.human("maria").await, "services-only"),
        (&agent, "services-only"),
        // Without a tenant there is none to mint for: that comes first.
        (&people.root, "wrong-target"),
    ] {
        let refused = client
            .post("/v1/token", body.clone())
            .await
            .expect_problem(403, "refused");
        assert_eq!(refused.rule(), rule);
    }
    let refused = service
        .post("/v1/catalog", json!({}))
        .await
        .expect_problem(403, "refused");
    assert_eq!(refused.rule(), "needs-actor");
}

#[tokio::test(flavor = "multi_thread")]
async fn revoking_a_service_ends_its_agents() {
    let mut server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    people
        .root
        .create("global", "refunds", "refunds")
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    agent.load(&offer, "refunds").await.expect(200);
    let created = people
        .root
        .post("/v1/services", json!({"tenant": "acme", "name": "second"}))
        .await
        .expect(201);
    let second = agent.with_token(created.text("key"));
    let body = json!({"actor": {"id": "tom"}, "agent": "bot"});
    let minted = second.post("/v1/token", body.clone()).await.expect(200);
    let same = agent.with_token(minted.text("access_token"));

    let services = people
        .root
        .get("/v1/tenants/acme/services")
        .await
        .expect(200);
    let first = services.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["name"] == "platform")
        .unwrap();
    let path = format!(
        "/v1/tenants/acme/services/{}",
        first["id"].as_str().unwrap()
    );
    // Neither another tenant's publisher nor a wrong tenant in the path reaches it.
    let greta = people.elevated("greta", "tenant:globex").await;
    greta.delete(&path).await.expect_problem(403, "refused");
    greta
        .delete(&path.replace("acme", "globex"))
        .await
        .expect_problem(404, "not-found");
    let service = people.service("acme").await;
    service.get("/v1/me").await.expect(200);
    people.root.delete(&path).await.expect(204);
    people.root.delete(&path).await.expect(204);
    for _ in 0..2 {
        let again = |token: &str| server.client().with_token(token);
        for answer in uses(&again(agent.token()), "tom").await {
            ended(answer);
        }
        ended(again(agent.token()).load(&offer, "refunds").await);
        ended(again(service.token()).post("/v1/token", body.clone()).await);
        ended(again(service.token()).get("/v1/me").await);
        // The agent of the other service lives, and the offer made under the ended authority stays ended for it.
        again(same.token()).get("/v1/me").await.expect(200);
        server.restart().await;
    }
    // The name is free again.
    let root = server.client().with_token(people.root.token());
    root.post(
        "/v1/services",
        json!({"tenant": "acme", "name": "platform"}),
    )
    .await
    .expect(201);
    root.post(
        "/v1/services",
        json!({"tenant": "acme", "name": "platform"}),
    )
    .await
    .expect_problem(409, "already-exists");
}
