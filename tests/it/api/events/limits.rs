//! How many streams there are, and what those cost that are not read.

use std::time::Duration;

use vestry::http::streams::StreamLimits;

use super::said;
use crate::harness::{Builder, People, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn streams_are_bounded_for_each_principal_and_in_all() {
    let server = Builder {
        stream_limits: Some(StreamLimits {
            per_principal: 2,
            in_all: 3,
            ..StreamLimits::default()
        }),
        ..Builder::default()
    }
    .start()
    .await;
    let mut people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let first = tom.tap("", None).await;
    let second = tom.tap("", None).await;
    let refused = tom.get("/v1/events?wait=0").await;
    let refused = refused.expect_problem(429, "too-many-requests");
    assert_eq!(refused.headers["retry-after"], "15");
    // An agent of the same actor is another principal, and so is that of another actor.
    let agent = people.agent("acme", "tom", "bot").await;
    let third = agent.tap("", None).await;
    let other = people.agent("acme", "mia", "bot").await;
    let refused = other.get("/v1/events?wait=0").await;
    let refused = refused.expect_problem(503, "busy");
    assert_eq!(refused.headers["retry-after"], "15");
    // A place is free again when its stream is gone. The server notices when it says something next.
    drop(first);
    let maria = people.elevated("maria", "tenant:acme").await;
    let mut number = 0;
    let again = loop {
        number += 1;
        maria
            .create("tenant:acme", &format!("s{number}"), "x")
            .await
            .expect(201);
        if other.get("/v1/events?wait=0").await.status == 200 {
            break other.tap("", None).await;
        }
        assert!(
            number < 200,
            "the place of a stream that is gone stays taken"
        );
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    drop((second, third, again));
}

/// A tenant whose platform opens streams for all its agents leaves room for the others.
#[tokio::test(flavor = "multi_thread")]
async fn streams_are_bounded_for_each_tenant() {
    let server = Builder {
        stream_limits: Some(StreamLimits {
            per_tenant: 2,
            ..StreamLimits::default()
        }),
        ..Builder::default()
    }
    .start()
    .await;
    let mut people = People::usual(&server).await;
    let first = people.agent("acme", "tom", "bot").await.tap("", None).await;
    let second = people.agent("acme", "mia", "bot").await.tap("", None).await;
    let third = people.agent("acme", "max", "bot").await;
    let refused = third.get("/v1/events?wait=0").await;
    refused.expect_problem(429, "too-many-requests");
    let other = people.agent("globex", "zoe", "bot").await;
    other.get("/v1/events?wait=0").await.expect(200);
    drop((first, second));
}

/// Whoever does not read for a while gets everything, once, when it does; others are not held up meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn a_slow_reader_holds_nobody_up_and_misses_nothing() {
    const CHANGES: usize = 400;
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let mut slow = tom.tap("", None).await;
    let mut quick = people.human("mia").await.tap("", None).await;
    let mut expected = Vec::new();
    for number in 0..CHANGES {
        let name = format!("s{number}");
        maria.create("tenant:acme", &name, "x").await.expect(201);
        expected.push(format!("publish-skill tenant:acme/{name}"));
        assert_eq!(quick.next().await.unwrap().said(), expected[number]);
    }
    let mut told = Vec::new();
    while told.len() < CHANGES {
        told.push(slow.next().await.unwrap());
    }
    assert_eq!(said(&told), expected);
}

/// More records than a page looks at, hardly any of which are events.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_finds_its_events_among_many_other_records() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    maria.create("tenant:acme", "first", "x").await.expect(201);
    for _ in 0..150 {
        // Each leaves a record, and none is an event.
        let key = maria
            .post(
                "/v1/services",
                serde_json::json!({"tenant": "acme", "name": "s"}),
            )
            .await
            .expect(201);
        let path = format!("/v1/tenants/acme/services/{}", key.text("id"));
        maria.delete(&path).await.expect(204);
    }
    maria.create("tenant:acme", "last", "x").await.expect(201);
    let told = people.human("mia").await.told("?since=start&wait=0").await;
    assert_eq!(
        said(&told),
        [
            "publish-skill tenant:acme/first",
            "publish-skill tenant:acme/last"
        ]
    );
}
