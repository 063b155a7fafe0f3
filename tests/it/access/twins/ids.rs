//! Ids of another tenant, held against made-up ones.

use hyper::Method;
use serde_json::{Value, json};
use vestry::http::routes::table;

use super::pairs::{Held, pairs};
use super::said;
use crate::api::files::{bundle, digest as digest_of, publish};
use crate::harness::{People, Response, TestServer};

/// Replaces what has to differ between two requests.
fn without(text: &str, words: &[&str]) -> String {
    words
        .iter()
        .fold(text.to_owned(), |text, word| text.replace(word, "…"))
}

/// Someone who holds ids of another tenant gets for them, byte by byte, what made-up ids get.
#[tokio::test(flavor = "multi_thread")]
async fn an_id_of_another_tenant_is_as_good_as_one_that_does_not_exist() {
    println!("seed 0");
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let files = json!([{"path": "a", "text": "a file of acme"}]);
    publish(
        &maria,
        "tenant:acme",
        "refunds",
        bundle("refunds at acme", files),
    )
    .await
    .expect(201);
    maria
        .update("tenant:acme", "refunds", "refunds at acme, second")
        .await
        .expect(200);
    maria
        .create("tenant:acme", "tone", "tone at acme")
        .await
        .expect(201);
    let tom = people.human("tom").await;
    tom.create("actor:tom", "notes", "tom's notes")
        .await
        .expect(201);
    people
        .root
        .create("global", "handbook", "the handbook")
        .await
        .expect(201);
    let digest = maria
        .get("/v1/skills/tenant:acme/tone")
        .await
        .expect(200)
        .text("digest");
    let body = json!({"tenant": "acme", "name": "theirs"});
    let service = maria
        .post("/v1/services", body)
        .await
        .expect(201)
        .text("id");
    let key = tom
        .post("/v1/keys", json!({"name": "theirs"}))
        .await
        .expect(201)
        .text("id");
    let agent = people.agent("acme", "tom", "support-bot").await;
    // One that globex has no number for, and one at global.
    for text in ["one", "two", "three"] {
        tom.propose("tenant:acme", "proposed", text)
            .await
            .expect(201);
    }
    let own = agent
        .propose("tenant:acme", "proposed", "four")
        .await
        .expect(201)
        .text("id");
    let wide = agent
        .propose("global", "proposed", "five")
        .await
        .expect(201)
        .text("id");
    let offer = agent.turn("t-acme").await.expect(200).text("offer");
    let page = maria
        .get("/v1/skills?scope=tenant:acme&limit=1")
        .await
        .expect(200);
    let cursor = page.text("next_cursor");
    let page = maria.get("/v1/audit?limit=1").await.expect(200);
    let audit_cursor = page.text("next_cursor");
    let held = Held {
        digest,
        file: digest_of(b"a file of acme"),
        service,
        key,
        offer,
        cursor,
        audit_cursor,
        proposals: [own, wide],
    };

    let greta = people.elevated("greta", "tenant:globex").await;
    let gus = people.human("gus").await;
    let stranger = people.agent("globex", "gus", "support-bot").await;
    let namesake = people.agent("globex", "tom", "support-bot").await;
    let platform = people.service("globex").await;
    let clients = [&greta, &gus, &stranger, &namesake, &platform];

    let pairs = pairs(&held);
    let mut compared = 0;
    for (method, route, theirs, absent, body, absent_body) in &pairs {
        assert!(
            table()
                .rows()
                .iter()
                .any(|(of, path, _)| of.as_str() == *method && path == route),
            "{method} {route} is no route"
        );
        for client in clients {
            // The namesake of acme's tom has a scope of that name, and its own.
            let asked = format!("{theirs} {}", body.clone().unwrap_or_default());
            if std::ptr::eq(client, &namesake)
                && asked.contains("actor:tom")
                && method != &"GET"
                && method != &"DELETE"
            {
                continue;
            }
            let sent = [("x-request-id", "one-and-the-same")];
            let send = async |path: &String, body: &Option<Value>| {
                let method = Method::from_bytes(method.as_bytes()).unwrap();
                client.send(method, path, &sent, body.clone()).await
            };
            let (of_theirs, of_absent) =
                (send(theirs, body).await, send(absent, absent_body).await);
            assert!(
                !of_theirs.status.is_success() || *route == "/v1/audit",
                "{method} {theirs} succeeded: {}",
                of_theirs.body
            );
            assert_eq!(
                said(&of_theirs),
                said(&of_absent),
                "{method} {theirs} and {absent}"
            );
            compared += 1;
        }
    }
    // The same turn of the same agent and actor in another tenant is another turn.
    let taken = namesake.turn("t-acme").await.expect(200);
    let free = namesake.turn("t-free").await.expect(200);
    let text = |response: &Response| {
        let offer = response.text("offer");
        without(
            &String::from_utf8_lossy(&response.bytes),
            &[&offer, "t-acme", "t-free"],
        )
    };
    assert_eq!(text(&taken), text(&free));
    println!("{compared} pairs of answers");
}
