//! Where the operator lets catalogs be a little old: how old, and what is exact all the same (design §6).

use std::sync::Arc;
use std::time::Duration;

use hyper::Method;
use serde_json::json;
use vestry::clock::ManualClock;

use super::beside::{Ground, at, entries};
use crate::harness::{Builder, Client, People, Response, START, TestServer};

const STALENESS: Duration = Duration::from_secs(30);

/// A server that tells nobody what it writes, one that lets catalogs be old, and their clock.
async fn quiet_and_bounded(ground: &Ground) -> (TestServer, TestServer, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new(START));
    let server = async |seed, max_staleness| {
        let builder = Builder {
            seed,
            installation: Some(ground.shared()),
            max_staleness,
            clock: Some(clock.clone()),
            ..Builder::default()
        };
        builder.start().await
    };
    let quiet = server(1, Duration::ZERO).await;
    (quiet, server(2, STALENESS).await, clock.clone())
}

async fn catalog(client: &Client, min_version: Option<&str>) -> Response {
    let headers: Vec<(&str, &str)> = min_version
        .map(|version| ("vestry-min-version", version))
        .into_iter()
        .collect();
    client
        .send(Method::POST, "/v1/catalog", &headers, Some(json!({})))
        .await
}

/// What the one skill of the catalog is said to be for.
async fn offered(client: &Client, min_version: Option<&str>) -> String {
    let catalog = catalog(client, min_version).await.expect(200);
    let mut entries = entries(&catalog);
    assert_eq!(entries.len(), 1);
    entries.remove(0).1
}

fn version(answer: &Response) -> String {
    answer.headers["vestry-version"]
        .to_str()
        .unwrap()
        .to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_catalog_is_as_old_as_is_allowed_and_has_what_it_is_asked_to_have() {
    let Some(ground) = Ground::new().await else {
        return;
    };
    let (a, b, clock) = quiet_and_bounded(&ground).await;
    let mut people = People::usual(&a).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let tom = at(&b, &people.agent("acme", "tom", "bot").await);
    maria.create("tenant:acme", "x", "one").await.expect(201);
    assert_eq!(offered(&tom, None).await, "Use when one.");

    // Nobody told the other server, and the time is not over.
    let written = maria.update("tenant:acme", "x", "two").await.expect(200);
    assert_eq!(offered(&tom, None).await, "Use when one.");
    clock.advance_seconds(29);
    assert_eq!(offered(&tom, None).await, "Use when one.");
    // Whoever names the write sees it at once, and so does everybody with this credential from then on.
    let two = version(&written);
    assert_eq!(offered(&tom, Some(&two)).await, "Use when two.");
    assert_eq!(offered(&tom, None).await, "Use when two.");

    // Nobody names it: when the time is over it is there.
    maria.update("tenant:acme", "x", "three").await.expect(200);
    assert_eq!(offered(&tom, None).await, "Use when two.");
    clock.advance_seconds(31);
    assert_eq!(offered(&tom, None).await, "Use when three.");
    // A clock that was set back says nothing about an age.
    let written = maria.update("tenant:acme", "x", "four").await.expect(200);
    clock.advance_seconds(-3_600);
    assert_eq!(offered(&tom, None).await, "Use when four.");
    clock.advance_seconds(3_600);
    // At a server without the opt-in everything is exact, with or without a version.
    let here = at(&a, &tom);
    assert_eq!(offered(&here, None).await, "Use when four.");
    assert_eq!(
        offered(&here, Some(&version(&written))).await,
        "Use when four."
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn loads_and_everything_else_are_exact() {
    let Some(ground) = Ground::new().await else {
        return;
    };
    let (a, b, _clock) = quiet_and_bounded(&ground).await;
    let mut people = People::usual(&a).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let tom = at(&b, &people.agent("acme", "tom", "bot").await);
    maria.create("tenant:acme", "x", "one").await.expect(201);
    let offer = catalog(&tom, None).await.expect(200).text("offer");
    tom.load(&offer, "x").await.expect(200);
    for _ in 0..5 {
        maria
            .verb("tenant:acme", "x", "quarantine")
            .await
            .expect(200);
        tom.load(&offer, "x")
            .await
            .expect_problem(410, "skill-recalled");
        maria.verb("tenant:acme", "x", "release").await.expect(200);
        tom.load(&offer, "x").await.expect(200);
    }
    // A listing, and who may do something at all.
    maria.update("tenant:acme", "x", "two").await.expect(200);
    let read = tom.get("/v1/skills/tenant:acme/x").await.expect(200);
    assert_eq!(read.body["revision"], 2);
    let human = people.human("tom").await;
    let there = at(&b, &human);
    catalog(&there, None).await.expect(200);
    human
        .send(Method::POST, "/v1/logout", &[], None)
        .await
        .expect(204);
    there
        .get("/v1/skills")
        .await
        .expect_problem(401, "authority-ended");
    there
        .load(&offer, "x")
        .await
        .expect_problem(401, "authority-ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_told_makes_catalogs_fresh_without_waiting() {
    let Some(ground) = Ground::new().await else {
        return;
    };
    let servers = ground.servers(2, STALENESS).await;
    let [a, b] = &servers[..] else { unreachable!() };
    let mut people = People::usual(a).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let tom = at(b, &people.agent("acme", "tom", "bot").await);
    maria.create("tenant:acme", "x", "0").await.expect(201);
    for number in 1..=10 {
        let text = number.to_string();
        catalog(&tom, None).await.expect(200);
        maria.update("tenant:acme", "x", &text).await.expect(200);
        // Notifications are no promise, so there is no bound but that of a test's patience. The clock stands still.
        let mut tries = 0;
        while offered(&tom, None).await != format!("Use when {text}.") {
            tries += 1;
            assert!(tries < 1_000, "nothing was heard of write {number}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_that_are_not_there_are_refused() {
    let Some(ground) = Ground::new().await else {
        return;
    };
    let (a, b, _clock) = quiet_and_bounded(&ground).await;
    let mut people = People::usual(&a).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let tom = people.agent("acme", "tom", "bot").await;
    let written = maria.create("tenant:acme", "x", "one").await.expect(201);
    assert!(version(&written).starts_with('t'), "{}", version(&written));
    for server in [&a, &b] {
        let tom = at(server, &tom);
        catalog(&tom, None).await.expect(200);
        for version in ["t999999", "g999999"] {
            catalog(&tom, Some(version))
                .await
                .expect_problem(409, "conflict");
        }
        for malformed in ["", "42", "t", "x1", "t-1", "t1 t2", "t99999999999999999999"] {
            let refused = catalog(&tom, Some(malformed)).await.expect(400);
            assert!(
                refused.detail().contains("Vestry-Min-Version"),
                "{malformed}"
            );
        }
    }
    // Members of tenants learn nothing of how far global is; whoever belongs to none does.
    let global = people.root.create("global", "y", "it").await.expect(201);
    assert!(version(&global).starts_with('g'), "{}", version(&global));
    for client in [&maria, &people.human("tom").await] {
        let made = client.post("/v1/keys", json!({"name": "host"})).await;
        let told = made.headers.get("vestry-version");
        let is_own = told.is_none_or(|told| told.to_str().unwrap().starts_with('t'));
        assert!(is_own, "{told:?}");
    }
    // What changes nothing has no version.
    let same = maria.update("tenant:acme", "x", "one").await.expect(200);
    assert_eq!(same.body["unchanged"], true);
    assert_eq!(same.headers.get("vestry-version"), None);
}
