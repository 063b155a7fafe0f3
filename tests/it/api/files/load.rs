//! Loading files under an offer: the boundary of loads (invariants 10 to 13).

use hyper::Method;
use serde_json::{Value, json};

use super::{bundle, digest, one, publish};
use crate::harness::{Client, People, Response, TestServer};

async fn load_file(client: &Client, offer: &str, name: &str, path: &str) -> Response {
    let body = json!({"offer": offer, "name": name, "path": path});
    client.post("/v1/load/file", body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offered_skill_gives_its_files() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let files = json!([
        {"path": "a.txt", "text": "caf\u{e9}\n"},
        {"path": "b.bin", "base64": "AP8="},
        {"path": "hidden.txt", "text": "a\u{200b}"},
    ]);
    publish(&maria, "tenant:acme", "x", bundle("x", files))
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    let loaded = agent.load(&offer, "x").await.expect(200);
    assert_eq!(super::paths(&loaded), ["a.txt", "b.bin", "hidden.txt"]);
    assert_eq!(
        loaded.body["files"][0],
        json!({"path": "a.txt", "size": 6, "digest": digest("caf\u{e9}\n".as_bytes())})
    );

    let file = load_file(&agent, &offer, "x", "a.txt").await.expect(200);
    assert_eq!(file.headers["content-type"], "application/json");
    assert_eq!(
        file.body,
        json!({"path": "a.txt", "size": 6, "digest": digest("caf\u{e9}\n".as_bytes()), "text": "caf\u{e9}\n"})
    );
    let file = load_file(&agent, &offer, "x", "b.bin").await.expect(200);
    assert_eq!(
        file.body,
        json!({"path": "b.bin", "size": 2, "digest": digest(&[0, 255]), "base64": "AP8="})
    );
    let file = load_file(&agent, &offer, "x", "hidden.txt")
        .await
        .expect(200);
    assert_eq!(file.body["base64"], "YeKAiw==");
    let body = json!({"offer": offer, "name": "x", "path": "a.txt"});
    for (accept, is_raw) in [
        ("application/octet-stream", true),
        ("text/html, application/octet-stream;q=0.5", true),
        ("application/octet-stream;q=0", false),
        ("application/json", false),
        ("*/*", false),
        ("", false),
    ] {
        let headers = [("accept", accept)];
        let file = agent
            .send(Method::POST, "/v1/load/file", &headers, Some(body.clone()))
            .await
            .expect(200);
        assert_eq!(file.body == Value::Null, is_raw, "{accept}");
        if is_raw {
            assert_eq!(file.bytes.as_ref(), "caf\u{e9}\n".as_bytes());
            assert_eq!(file.etag(), digest("caf\u{e9}\n".as_bytes()));
            assert_eq!(file.headers["content-disposition"], "attachment");
        }
    }
    let answer = load_file(&agent, &offer, "x", "../a.txt")
        .await
        .expect_problem(404, "file-not-found");
    assert_eq!(
        answer.detail(),
        "The skill has no file \"../a.txt\". It has: a.txt, b.bin, hidden.txt."
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_outside_the_offer_is_answered_as_a_load_answers_it() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    publish(&maria, "tenant:acme", "x", bundle("x", one("a", "text")))
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    // There now, and not offered; of another actor; nowhere.
    publish(
        &maria,
        "tenant:acme",
        "later",
        bundle("x", one("a", "text")),
    )
    .await
    .expect(201);
    let mia = people.human("mia").await;
    publish(&mia, "actor:mia", "private", bundle("x", one("a", "text")))
        .await
        .expect(201);
    let before = agent.counter("vestry_content_queries").await;
    for name in ["later", "private", "nowhere", "X", "../x", ""] {
        let loaded = agent.load(&offer, name).await.expect(404);
        let file = load_file(&agent, &offer, name, "a").await.expect(404);
        assert_eq!(file.bytes, loaded.bytes, "{name}");
        assert_eq!(file.code(), "skill-not-offered");
    }
    assert_eq!(
        agent.counter("vestry_content_queries").await,
        before,
        "nothing was looked up"
    );

    // Another caller's offer, and no offer at all.
    let other = people.agent("acme", "tom", "another-bot").await;
    load_file(&other, &offer, "x", "a")
        .await
        .expect_problem(401, "offer-invalid");
    load_file(&agent, "made.up.offer", "x", "a")
        .await
        .expect_problem(401, "offer-invalid");
    load_file(&agent.anonymous(), &offer, "x", "a")
        .await
        .expect_problem(401, "unauthenticated");
    server.advance(16 * 60);
    load_file(&agent, &offer, "x", "a")
        .await
        .expect_problem(401, "offer-expired");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offer_gives_the_files_that_it_pinned_until_they_are_recalled() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    publish(&maria, "tenant:acme", "x", bundle("x", one("a", "first")))
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    publish(&maria, "tenant:acme", "x", bundle("x", one("a", "second")))
        .await
        .expect(200);
    maria.delete("/v1/skills/tenant:acme/x").await.expect(200);
    let file = load_file(&agent, &offer, "x", "a").await.expect(200);
    assert_eq!(file.body["text"], "first");
    let body = json!({"reason": "bad", "revision": 1});
    maria
        .post("/v1/skills/tenant:acme/x/quarantine", body.clone())
        .await
        .expect(200);
    load_file(&agent, &offer, "x", "a")
        .await
        .expect_problem(410, "skill-recalled");
    load_file(&agent, &offer, "x", "no such file")
        .await
        .expect_problem(410, "skill-recalled");
    maria
        .post("/v1/skills/tenant:acme/x/release", body)
        .await
        .expect(200);
    load_file(&agent, &offer, "x", "a").await.expect(200);
}

/// Large files wait for room in memory, and all of them come through.
#[tokio::test(flavor = "multi_thread")]
async fn many_large_files_are_handed_out_at_once() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let bytes = vec![9_u8; 15 << 20];
    super::upload(&tom, &bytes).await.expect(201);
    let files = json!([{"path": "a", "digest": digest(&bytes)}]);
    publish(&tom, "actor:tom", "x", bundle("x", files))
        .await
        .expect(201);
    let mut running = Vec::new();
    for _ in 0..12 {
        let tom = tom.clone();
        running.push(tokio::spawn(async move {
            super::file(&tom, "actor:tom/x", 1, "a").await
        }));
    }
    for one in running {
        let answer = one.await.unwrap().expect(200);
        assert_eq!(super::hex(&answer.bytes), super::hex(&bytes));
    }
}
