//! Switching off and recalling.

use serde_json::{Value, json};

use super::lifecycle::offered;
use crate::harness::{Client, People, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn what_is_switched_off_shadows_nothing() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    let maria = people.elevated("maria", "tenant:acme").await;
    people
        .root
        .create("global", "x", "global x")
        .await
        .expect(201);
    maria.create("tenant:acme", "x", "acme x").await.expect(201);
    maria
        .update("tenant:acme", "x", "acme x, later")
        .await
        .expect(200);
    assert_eq!(offered(&agent).await, ["x@tenant:acme"]);
    for (off, on) in [("disable", Some("enable")), ("quarantine", Some("release"))] {
        maria.verb("tenant:acme", "x", off).await.expect(200);
        assert_eq!(
            maria.verb("tenant:acme", "x", off).await.expect(200).body["unchanged"],
            true
        );
        assert_eq!(
            offered(&agent).await,
            ["x@global"],
            "{off}: no silent fall back to an older revision"
        );
        if let Some(on) = on {
            maria.verb("tenant:acme", "x", on).await.expect(200);
            assert_eq!(offered(&agent).await, ["x@tenant:acme"], "{on}");
        }
    }
    maria.verb("tenant:acme", "x", "revoke").await.expect(200);
    assert_eq!(offered(&agent).await, ["x@global"]);
    maria
        .verb("tenant:acme", "x", "release")
        .await
        .expect_problem(409, "conflict");
    maria
        .verb("tenant:acme", "x", "quarantine")
        .await
        .expect_problem(409, "conflict");
    // The same content again would undo the recall.
    maria
        .update("tenant:acme", "x", "acme x, later")
        .await
        .expect_problem(409, "conflict");
    let body = json!({"to": 2});
    maria
        .post("/v1/skills/tenant:acme/x/rollback", body)
        .await
        .expect_problem(409, "conflict");
    maria
        .post("/v1/skills/tenant:acme/x/rollback", json!({"to": 1}))
        .await
        .expect(200);
    assert_eq!(offered(&agent).await, ["x@tenant:acme"]);
    for verb in [
        "disable",
        "enable",
        "seal",
        "unseal",
        "quarantine",
        "release",
        "revoke",
    ] {
        maria
            .verb("tenant:acme", "nothing", verb)
            .await
            .expect_problem(404, "not-found");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn content_is_recalled_by_its_digest_wherever_the_caller_may() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let agent = people.agent("acme", "maria", "bot").await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let digest = people
        .root
        .create("global", "bad", "bad")
        .await
        .expect(201)
        .text("digest");
    for (client, scope) in [(&maria, "tenant:acme"), (&maria, "actor:maria")] {
        assert_eq!(
            client
                .create(scope, "bad", "bad")
                .await
                .expect(201)
                .text("digest"),
            digest
        );
    }
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    let recall = async |client: &Client, digest: &str| {
        client
            .post("/v1/recall", json!({"digest": digest, "reason": "bad"}))
            .await
    };
    let answer = recall(&maria, &digest).await.expect(200);
    let scopes = |list: &Value| -> Vec<String> {
        list.as_array()
            .unwrap()
            .iter()
            .map(|found| found["scope"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(
        scopes(&answer.body["recalled"]),
        ["actor:maria", "tenant:acme"]
    );
    assert_eq!(scopes(&answer.body["refused"]), ["global"]);
    assert_eq!(answer.body["refused"][0]["rule"], "needs-elevation");
    agent
        .load(&offer, "bad")
        .await
        .expect_problem(410, "skill-recalled");
    assert_eq!(offered(&agent).await, ["bad@global"]);
    let tom = people.human("tom").await;
    assert_eq!(
        recall(&tom, &digest)
            .await
            .expect_problem(403, "refused")
            .rule(),
        "needs-elevation"
    );
    let other = format!("sha256:{}", "0".repeat(64));
    recall(&maria, &other)
        .await
        .expect_problem(404, "not-found");
    for bad in [
        "",
        "sha256:",
        "sha256:xyz",
        &other.to_uppercase(),
        &other[7..],
        &format!("{other}0"),
    ] {
        let refused = recall(&maria, bad)
            .await
            .expect_problem(422, "invalid-content");
        assert_eq!(refused.body["field"], "digest");
    }
}
