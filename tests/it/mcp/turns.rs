//! Without sessions the turn is the token: which turn it is in is durable (design §8).

use serde_json::json;

use super::begin;
use super::speaker::{Speaker, names};

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_outlives_restarts_and_the_end_of_its_offer() {
    let (mut server, _people, maria, tom) = begin().await;
    maria.create("tenant:acme", "a", "First.").await.expect(201);
    tom.skills().await;
    maria
        .update("tenant:acme", "a", "Second.")
        .await
        .expect(200);
    maria.create("tenant:acme", "b", "x").await.expect(201);
    let first = async |tom: &Speaker| {
        let read = tom.read("skill://tenant/a/SKILL.md").await;
        assert!(
            read["text"].as_str().unwrap().contains("Do First."),
            "{read}"
        );
        let error = tom
            .error("skills/get", json!({"uri": "skill://tenant/b/SKILL.md"}))
            .await;
        assert_eq!(error["code"], -32602);
    };
    first(&tom).await;
    // The offer lives 15 minutes; the turn is offered the same again.
    server.advance(20 * 60);
    first(&tom).await;
    server.restart_in_place().await;
    let tom = tom.after(&server);
    first(&tom).await;
    assert_eq!(names(&tom.skills().await), ["a", "b"]);
    let read = tom.read("skill://tenant/a/SKILL.md").await;
    assert!(
        read["text"].as_str().unwrap().contains("Do Second."),
        "{read}"
    );
}

/// A list of what is there already begins no new turn, so that polling writes nothing.
#[tokio::test(flavor = "multi_thread")]
async fn listing_the_same_again_keeps_the_turn() {
    let (_server, _people, maria, tom) = begin().await;
    maria.create("tenant:acme", "a", "x").await.expect(201);
    let turn = async || {
        let result = tom.done("skill_catalog", json!({})).await;
        result["_meta"]["dev.vestry/turn"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let first = turn().await;
    tom.skills().await;
    tom.get("server/discover", json!({})).await;
    assert_eq!(turn().await, first);
    maria.create("tenant:acme", "b", "x").await.expect(201);
    let second = turn().await;
    assert_ne!(second, first);
    assert_eq!(turn().await, second);
    // It is a turn like any other: asked for by its name, over HTTP, it gives the same.
    let resumed = tom.client().turn(&first).await.expect(200);
    assert_eq!(resumed.body["entries"].as_array().unwrap().len(), 1);
}

/// An API key has no end: what it is in does, after 30 days, and a new one begins.
#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_in_a_turn_too() {
    let (server, people, maria, _tom) = begin().await;
    maria.create("tenant:acme", "a", "First.").await.expect(201);
    let human = people.human("tom").await;
    let made = human
        .post("/v1/keys", json!({"name": "host"}))
        .await
        .expect(201);
    let tom = Speaker::new(&human.with_token(made.text("key")));
    tom.skills().await;
    maria
        .update("tenant:acme", "a", "Second.")
        .await
        .expect(200);
    let read = tom.read("skill://tenant/a/SKILL.md").await;
    assert!(
        read["text"].as_str().unwrap().contains("Do First."),
        "{read}"
    );
    server.advance(31 * 24 * 60 * 60);
    let read = tom.read("skill://tenant/a/SKILL.md").await;
    assert!(
        read["text"].as_str().unwrap().contains("Do Second."),
        "{read}"
    );
}

/// Listing and reading at once: whatever is read is of a catalog that was listed, and none is lost.
#[tokio::test(flavor = "multi_thread")]
async fn lists_and_reads_at_once_agree() {
    let (_server, _people, maria, tom) = begin().await;
    maria.create("tenant:acme", "a", "0").await.expect(201);
    tom.skills().await;
    let writer = tokio::spawn(async move {
        for number in 1..20 {
            maria
                .update("tenant:acme", "a", &number.to_string())
                .await
                .expect(200);
        }
    });
    let mut speakers = Vec::new();
    for _ in 0..4 {
        let tom = tom.clone();
        speakers.push(tokio::spawn(async move {
            for _ in 0..15 {
                tom.skills().await;
                tom.read("skill://tenant/a/SKILL.md").await;
            }
        }));
    }
    writer.await.unwrap();
    for speaker in speakers {
        speaker.await.unwrap();
    }
    // What was listed last is what is read, also by whoever reads it from the database.
    let listed = tom.skills().await.remove(0);
    let got = tom.get("skills/get", json!({"uri": listed["uri"]})).await;
    assert_eq!(got["skill"], listed);
    assert_eq!(listed["_meta"]["dev.vestry/revision"], 20);
}

/// One credential is in so many turns at once, and many that ask for the same begin one.
#[tokio::test(flavor = "multi_thread")]
async fn turns_of_one_credential_are_bounded() {
    let (server, _people, maria, tom) = begin().await;
    maria.create("tenant:acme", "a", "First.").await.expect(201);
    let asked = (0..20).map(|_| {
        let tom = tom.clone();
        tokio::spawn(async move { tom.done("skill_catalog", json!({})).await })
    });
    let mut turns = std::collections::BTreeSet::new();
    for asked in asked.collect::<Vec<_>>() {
        turns.insert(asked.await.unwrap()["_meta"]["dev.vestry/turn"].to_string());
    }
    assert_eq!(turns.len(), 1);
    // With nothing templated every context gives the same.
    for number in 0..5 {
        let context = json!({"organization": {"name": number.to_string()}});
        let tom = tom.with_context(context);
        let result = tom.done("skill_catalog", json!({})).await;
        turns.insert(result["_meta"]["dev.vestry/turn"].to_string());
    }
    assert_eq!(turns.len(), 1);
    // The first loses its turn to those that came later, and gets one of now.
    for number in 0..32 {
        server.advance(1);
        tom.at(&format!("?role=r{number}")).skills().await;
    }
    maria
        .update("tenant:acme", "a", "Second.")
        .await
        .expect(200);
    let read = tom.at("?role=r31").read("skill://tenant/a/SKILL.md").await;
    assert!(
        read["text"].as_str().unwrap().contains("Do First."),
        "{read}"
    );
    let read = tom.read("skill://tenant/a/SKILL.md").await;
    assert!(
        read["text"].as_str().unwrap().contains("Do Second."),
        "{read}"
    );
}
