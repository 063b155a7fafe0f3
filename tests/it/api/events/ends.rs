//! When a stream ends.

use std::time::{Duration, Instant};

use serde_json::json;
use vestry::http::streams::StreamLimits;

use crate::harness::{Builder, People, TestServer};

/// A server whose streams look often whether they still may.
async fn with_quick_beat() -> TestServer {
    Builder {
        stream_limits: Some(StreamLimits {
            beat: Duration::from_millis(200),
            ..StreamLimits::default()
        }),
        ..Builder::default()
    }
    .start()
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_removed_members_stream_ends_before_anything_else_is_told() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let mia = people.human("mia").await;
    let agent = people.agent("acme", "mia", "bot").await;
    let mut taps = [mia.tap("", None).await, agent.tap("", None).await];
    maria.create("tenant:acme", "before", "x").await.expect(201);
    for tap in &mut taps {
        assert_eq!(
            tap.next().await.unwrap().said(),
            "publish-skill tenant:acme/before"
        );
    }
    maria
        .delete("/v1/tenants/acme/members/mia")
        .await
        .expect(200);
    maria.create("tenant:acme", "after", "x").await.expect(201);
    for tap in &mut taps {
        let end = tap.next().await.unwrap();
        assert_eq!(
            (end.event.as_str(), &end.data["reason"]),
            ("end", &json!("authority-ended"))
        );
        assert!(tap.next().await.is_none());
        assert!(!tap.heard.contains("after"));
    }
    mia.get("/v1/events?wait=0")
        .await
        .expect_problem(401, "authority-ended");
}

/// Where nothing happens in the chains of the caller, the beat finds out; so it does when the token is over.
#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_with_its_session_and_with_its_token() {
    let server = with_quick_beat().await;
    let people = People::usual(&server).await;
    let mia = people.human("mia").await;
    let mut tap = mia.tap("", None).await;
    mia.post("/v1/logout", json!({})).await.expect(204);
    assert_eq!(tap.next().await.unwrap().data["reason"], "authority-ended");

    let tom = people.human("tom").await;
    let mut tap = tom.tap("", None).await;
    let mut other = tom.tap("", None).await;
    server.advance(15 * 60 + 5);
    assert_eq!(tap.next().await.unwrap().data["reason"], "token-ended");
    assert!(tap.next().await.is_none());
    // With the next token it goes on where it was.
    let tom = people.human("tom").await;
    tom.create("actor:tom", "later", "x").await.expect(201);
    let told = tom.tap("?wait=0", tap.last.as_deref()).await.rest().await;
    assert_eq!(super::said(&told), ["publish-skill actor:tom/later"]);
    assert_eq!(other.next().await.unwrap().event, "end");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_stream_shows_that_it_lives() {
    let server = with_quick_beat().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let mut tap = tom.tap("?wait=2", None).await;
    assert_eq!(tap.rest().await, []);
    let beats = tap.heard.matches(": still here").count();
    assert!((2..=12).contains(&beats), "{beats} in {}", tap.heard);
}

/// A server that is asked to stop does not wait for streams, and says so.
#[tokio::test(flavor = "multi_thread")]
async fn a_draining_server_ends_its_streams() {
    let mut server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let mut taps = Vec::new();
    for _ in 0..5 {
        taps.push(tom.tap("", None).await);
    }
    let reading = tokio::spawn(async move {
        for tap in &mut taps {
            assert_eq!(tap.next().await.unwrap().data["reason"], "shutting-down");
            assert!(tap.next().await.is_none());
        }
    });
    let begun = Instant::now();
    server.stop().await;
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
    reading.await.unwrap();
}
