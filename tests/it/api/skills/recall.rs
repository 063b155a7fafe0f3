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

/// The leftover of a used key: with another digest it is 422, and nothing is carried out (invariant 20).
#[tokio::test(flavor = "multi_thread")]
async fn a_used_key_recalls_nothing_else() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let mut digests = Vec::new();
    for name in ["one", "two"] {
        let made = maria.create("tenant:acme", name, name).await.expect(201);
        digests.push(made.text("digest"));
    }
    let recall = async |digest: &str, action: &str, key: &str| {
        let body = json!({"digest": digest, "reason": "bad", "action": action});
        let path = "/v1/recall";
        maria
            .send(
                hyper::Method::POST,
                path,
                &[("idempotency-key", key)],
                Some(body),
            )
            .await
    };
    let first = recall(&digests[0], "quarantine", "k").await.expect(200);
    recall(&digests[1], "quarantine", "k")
        .await
        .expect_problem(422, "idempotency-mismatch");
    recall(&digests[0], "revoke", "k")
        .await
        .expect_problem(422, "idempotency-mismatch");
    let state = async |name: &str| {
        let path = format!("/v1/skills/tenant:acme/{name}");
        maria.get(&path).await.expect(200).text("status")
    };
    assert_eq!(state("two").await, "active");
    assert_eq!(state("one").await, "quarantined");
    let again = recall(&digests[0], "quarantine", "k").await.expect(200);
    assert_eq!(again.body, first.body);
    // Another key is another request, and so is one that only begins like it.
    for (key, action) in [("k1", "disable"), ("k-", "quarantine")] {
        recall(&digests[1], action, key).await.expect(200);
    }
    assert_eq!(state("two").await, "quarantined");
}

#[tokio::test(flavor = "multi_thread")]
async fn content_is_disabled_and_revoked_by_its_digest() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let agent = people.agent("acme", "maria", "bot").await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let digest = maria
        .create("tenant:acme", "bad", "bad")
        .await
        .expect(201)
        .text("digest");
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    // One that had the content, and has other content now.
    maria.create("actor:maria", "bad", "bad").await.expect(201);
    maria.update("actor:maria", "bad", "good").await.expect(200);
    let recall = async |action: &str| {
        let body = json!({"digest": digest, "reason": "bad", "action": action});
        maria.post("/v1/recall", body).await
    };
    let answer = recall("disable").await.expect(200);
    assert_eq!(answer.body["action"], "disable");
    let names = |list: &Value| -> Vec<String> {
        list.as_array()
            .unwrap()
            .iter()
            .map(|found| format!("{}/{}", found["scope"], found["name"]).replace('"', ""))
            .collect()
    };
    assert_eq!(
        names(&answer.body["recalled"]),
        ["tenant:acme/bad"],
        "what has other content now is not disabled"
    );
    assert_eq!(offered(&agent).await, ["bad@actor:maria"]);
    // What was offered before still loads, until the content is revoked.
    agent.load(&offer, "bad").await.expect(200);
    let answer = recall("revoke").await.expect(200);
    assert_eq!(
        names(&answer.body["recalled"]),
        ["actor:maria/bad", "tenant:acme/bad"]
    );
    agent
        .load(&offer, "bad")
        .await
        .expect_problem(410, "skill-recalled");
    assert_eq!(offered(&agent).await, ["bad@actor:maria"]);
    let refused = recall("quarantine").await.expect(200);
    assert_eq!(refused.body["recalled"], json!([]));
    assert_eq!(refused.body["refused"][0]["rule"], "revoked");
    maria
        .post(
            "/v1/recall",
            json!({"digest": digest, "reason": "bad", "action": "delete"}),
        )
        .await
        .expect_problem(400, "malformed");
}

/// Invariants 10 and 19: a quarantine that was acknowledged is in force for the next load, whoever loads from whichever
/// offer, by name or a file of it, and for the next catalog.
#[tokio::test(flavor = "multi_thread")]
async fn an_acknowledged_quarantine_holds_for_the_next_load_everywhere() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    people.root.create("global", "bad", "bad").await.expect(201);
    let mut offers = Vec::new();
    for (tenant, actor) in [("acme", "tom"), ("acme", "cust-1"), ("globex", "gus")] {
        for agent in ["a", "b"] {
            let client = people.agent(tenant, actor, agent).await;
            for turn in ["t-1", "t-2"] {
                let offer = client.turn(turn).await.expect(200).text("offer");
                client.load(&offer, "bad").await.expect(200);
                offers.push((client.clone(), offer));
            }
        }
    }
    for round in 0..5 {
        people
            .root
            .verb("global", "bad", "quarantine")
            .await
            .expect(200);
        let mut loads = tokio::task::JoinSet::new();
        for (client, offer) in &offers {
            let (client, offer) = (client.clone(), offer.clone());
            loads.spawn(async move {
                client
                    .load(&offer, "bad")
                    .await
                    .expect_problem(410, "skill-recalled");
                let body = json!({"offer": offer, "name": "bad", "path": "a"});
                client
                    .post("/v1/load/file", body)
                    .await
                    .expect_problem(410, "skill-recalled");
                assert!(offered(&client).await.is_empty(), "round {round}");
            });
        }
        loads.join_all().await;
        people
            .root
            .verb("global", "bad", "release")
            .await
            .expect(200);
        for (client, offer) in &offers {
            client.load(offer, "bad").await.expect(200);
        }
    }
}
