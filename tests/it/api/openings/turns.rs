//! A turn is opened once: asked again it gives the same, whatever was written meanwhile.

use serde_json::json;

use super::{ambient, begin, open, parts};
use crate::api::roles::instruct;
use crate::harness::{content, context};

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_was_opened_is_opened_the_same_again() {
    let (mut server, mut people, maria, agent) = begin().await;
    instruct(&maria, "tenant:acme", "support", content("be kind"))
        .await
        .expect(201);
    ambient(
        &maria,
        "tenant:acme",
        "tone",
        "{{#if task}}Of {{task.title}}.{{/if}}\n",
    )
    .await;
    ambient(
        &maria,
        "tenant:acme",
        "inventory",
        "{{#each skills}}{{name}};{{/each}}\n",
    )
    .await;
    maria
        .create("tenant:acme", "refunds", "refunds")
        .await
        .expect(201);
    let asked = json!({"turn": "t-1", "role": "support"});
    let first = open(&agent, asked.clone()).await.expect(200);
    assert_eq!(parts(&first), ["role:support", "inventory", "tone"]);

    // Invariant 12: later writes change nothing of it.
    ambient(&maria, "tenant:acme", "tone", "Another.\n").await;
    ambient(&maria, "tenant:acme", "more", "More.\n").await;
    maria
        .create("tenant:acme", "billing", "billing")
        .await
        .expect(201);
    maria
        .delete("/v1/roles/tenant:acme/support")
        .await
        .expect(200);
    let again = open(&agent, asked.clone()).await.expect(200);
    assert_eq!(again.bytes, first.bytes);
    server.advance(29 * 24 * 60 * 60);
    server.restart().await;
    people.at(&server);
    let agent = people.agent("acme", "tom", "bot").await;
    let again = open(&agent, asked.clone()).await.expect(200);
    assert_eq!(again.bytes, first.bytes);
    // A context is the same in any order of its fields, and no other one is.
    let mut turned = serde_json::Map::new();
    for (field, value) in context("task-start").as_object().unwrap().iter().rev() {
        turned.insert(field.clone(), value.clone());
    }
    let mut same = asked.clone();
    same["context"] = turned.into();
    assert_eq!(open(&agent, same).await.expect(200).bytes, first.bytes);
    for other in [
        json!({"turn": "t-1"}),
        json!({"turn": "t-1", "role": "sales"}),
        json!({"turn": "t-1", "role": "support", "context": context("task-resume")}),
    ] {
        open(&agent, other)
            .await
            .expect_problem(409, "turn-conflict");
    }
    // It is this agent's turn, and nobody else's.
    let other = people.agent("acme", "tom", "another-bot").await;
    let opening = open(&other, asked.clone()).await.expect(200);
    assert_eq!(parts(&opening), ["inventory", "more", "tone"]);
    let other = people.agent("acme", "mia", "bot").await;
    let opening = open(&other, asked.clone()).await.expect(200);
    assert_eq!(parts(&opening), ["inventory", "more", "tone"]);

    // After thirty days the turn is forgotten.
    server.advance(2 * 24 * 60 * 60);
    let agent = people.agent("acme", "tom", "bot").await;
    let opening = open(&agent, asked).await.expect(200);
    assert_eq!(parts(&opening), ["inventory", "more", "tone"]);
}

/// Many at once, while the skill is being written: whoever was first decides for all (invariants 12 and 20).
#[tokio::test(flavor = "multi_thread")]
async fn the_first_to_open_a_turn_decides_for_all() {
    let (_server, _people, maria, agent) = begin().await;
    ambient(&maria, "tenant:acme", "tone", "0\n").await;
    for round in 0..8 {
        let asked = json!({"turn": format!("t-{round}")});
        let writer = {
            let maria = maria.clone();
            tokio::spawn(async move {
                for number in 0..4 {
                    ambient(
                        &maria,
                        "tenant:acme",
                        "tone",
                        &format!("{round}.{number}\n"),
                    )
                    .await;
                }
            })
        };
        let mut asking = Vec::new();
        for _ in 0..6 {
            let (agent, asked) = (agent.clone(), asked.clone());
            asking.push(tokio::spawn(async move {
                open(&agent, asked).await.expect(200).bytes
            }));
        }
        let mut answers = Vec::new();
        for asked in asking {
            answers.push(asked.await.unwrap());
        }
        writer.await.unwrap();
        answers.push(open(&agent, asked).await.expect(200).bytes);
        assert!(answers.iter().all(|answer| answer == &answers[0]));
    }
    let log = maria
        .get("/v1/audit?action=open-run&limit=100")
        .await
        .expect(200);
    assert_eq!(
        log.body["items"].as_array().unwrap().len(),
        8,
        "one record each (invariant 16)"
    );
}

/// A token for an agent conversation has nothing of the task or the human's conversation that it came from (issue; design §5):
/// not its turns, not its offers, not the elevation of its human.
#[tokio::test(flavor = "multi_thread")]
async fn an_agent_conversation_inherits_no_authority() {
    let (_server, mut people, maria, agent) = begin().await;
    ambient(&maria, "tenant:acme", "tone", "Be kind.\n").await;
    maria
        .create("tenant:acme", "refunds", "refunds")
        .await
        .expect(201);
    let offer = agent.turn("t-task").await.expect(200).text("offer");
    open(&agent, json!({"turn": "t-task"})).await.expect(200);
    // The elevated publisher's agent talks to another agent: a token of its own, for the same actor.
    let talking = people.agent("acme", "maria", "talking-bot").await;
    let me = talking.get("/v1/me").await.expect(200);
    assert!(me.body["elevation"].is_null(), "{}", me.body);
    talking
        .load(&offer, "refunds")
        .await
        .expect_problem(401, "offer-invalid");
    let refused = talking.create("tenant:acme", "taken", "taken").await;
    assert_eq!(refused.expect(403).rule(), "humans-only");
    let same_actor = people.agent("acme", "tom", "talking-bot").await;
    same_actor
        .load(&offer, "refunds")
        .await
        .expect_problem(401, "offer-invalid");
    // The turn of the task is another one here, and so is what it was opened with.
    let conversation = context("agent-conversation-start");
    let opened = open(
        &same_actor,
        json!({"turn": "t-task", "context": conversation}),
    )
    .await
    .expect(200);
    assert_eq!(opened.body["situation"], "agent-conversation-start");
    // And of the task nothing may be said in it.
    let mut both = context("agent-conversation-start");
    both["task"] = context("task-start")["task"].clone();
    open(&same_actor, json!({"context": both}))
        .await
        .expect_problem(422, "invalid-context");
}
