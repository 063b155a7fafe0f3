//! Which turn a caller is in, and what happens, is the same at every server.

use std::time::{Duration, Instant};

use serde_json::json;

use super::beside::{Ground, at};
use crate::harness::People;
use crate::mcp::speaker::{Speaker, names};

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_one_server_began_is_resumed_at_another() {
    let Some(ground) = Ground::new().await else {
        return;
    };
    let [a, b] = &ground.servers(2, Duration::ZERO).await[..] else {
        unreachable!()
    };
    let mut people = People::usual(a).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let agent = people.agent("acme", "tom", "bot").await;
    maria.create("tenant:acme", "a", "First.").await.expect(201);
    let first = agent.turn("t-1").await.expect(200);
    at(b, &maria)
        .update("tenant:acme", "a", "Second.")
        .await
        .expect(200);
    let resumed = at(b, &agent).turn("t-1").await.expect(200);
    for field in ["entries", "etag", "block"] {
        assert_eq!(resumed.body[field], first.body[field], "{field}");
    }
    // An offer of one is an offer at the other.
    for server in [a, b] {
        for taken in [&first, &resumed] {
            let loaded = at(server, &agent).load(&taken.text("offer"), "a").await;
            assert!(loaded.expect(200).text("block").contains("Do First."));
        }
    }
    // Terms that differ are refused by whoever is asked.
    at(b, &agent)
        .post("/v1/catalog", json!({"turn": "t-1", "cap": 3}))
        .await
        .expect_problem(409, "turn-conflict");
}

#[tokio::test(flavor = "multi_thread")]
async fn over_mcp_a_token_is_in_the_same_turn_everywhere() {
    let Some(ground) = Ground::new().await else {
        return;
    };
    let [a, b] = &ground.servers(2, Duration::ZERO).await[..] else {
        unreachable!()
    };
    let mut people = People::usual(a).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let agent = people.agent("acme", "tom", "bot").await;
    let (here, there) = (Speaker::new(&agent), Speaker::new(&at(b, &agent)));
    maria.create("tenant:acme", "a", "First.").await.expect(201);
    assert_eq!(names(&here.skills().await), ["a"]);
    at(b, &maria)
        .update("tenant:acme", "a", "Second.")
        .await
        .expect(200);
    maria.create("tenant:acme", "b", "More.").await.expect(201);
    let says = async |speaker: &Speaker, text: &str| {
        let read = speaker.read("skill://tenant/a/SKILL.md").await;
        assert!(read["text"].as_str().unwrap().contains(text), "{read}");
    };
    says(&there, "Do First.").await;
    let unlisted = json!({"uri": "skill://tenant/b/SKILL.md"});
    assert_eq!(there.error("skills/get", unlisted).await["code"], -32602);
    // Listing at the other begins the next turn, for both.
    assert_eq!(names(&there.skills().await), ["a", "b"]);
    says(&here, "Do Second.").await;
    says(&there, "Do Second.").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_at_one_server_is_told_by_the_other_within_a_second() {
    let Some(ground) = Ground::new().await else {
        return;
    };
    let [a, b] = &ground.servers(2, Duration::ZERO).await[..] else {
        unreachable!()
    };
    let people = People::usual(a).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let mut tap = at(b, &maria).tap("", None).await;
    let mut slowest = Duration::ZERO;
    for number in 0..5 {
        let name = format!("s{number}");
        maria.create("tenant:acme", &name, "it").await.expect(201);
        let acknowledged = Instant::now();
        let told = tap.next().await.unwrap();
        slowest = slowest.max(acknowledged.elapsed());
        assert_eq!(told.said(), format!("publish-skill tenant:acme/{name}"));
    }
    println!("told after {slowest:?} at most");
    assert!(slowest < Duration::from_secs(3), "{slowest:?}");
    // Where one stream ended the other server goes on.
    let last = tap.last.clone();
    drop(tap);
    at(b, &maria)
        .update("tenant:acme", "s0", "more")
        .await
        .expect(200);
    let mut tap = maria.tap("?wait=0", last.as_deref()).await;
    let said: Vec<String> = tap.rest().await.iter().map(|told| told.said()).collect();
    assert_eq!(said, ["publish-skill tenant:acme/s0"]);
}
