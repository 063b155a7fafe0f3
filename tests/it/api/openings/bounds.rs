//! How much an opening takes, and what is left out when it is too much.

use serde_json::json;

use super::{ambient, begin, open, parts};
use crate::api::roles::instruct;

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_much_is_left_out_by_name() {
    let (_server, _people, maria, agent) = begin().await;
    let settings = maria.get("/v1/tenants/acme/settings").await.expect(200);
    assert!(settings.body["skills_per_tenant"].as_u64().unwrap() > 200);
    for number in 0..103 {
        ambient(&maria, "tenant:acme", &format!("s{number:03}"), "x\n").await;
    }
    ambient(&maria, "tenant:acme", "zz-law", "The law.\n").await;
    maria
        .verb("tenant:acme", "zz-law", "seal")
        .await
        .expect(200);
    let opening = open(&agent, json!({})).await.expect(200);
    let told = parts(&opening);
    assert_eq!(told.len(), 100);
    // What is sealed is never left out.
    assert_eq!(told[0], "zz-law");
    assert_eq!(opening.body["omitted"], 4);
    assert_eq!(
        opening.body["omitted_names"],
        json!(["s099", "s100", "s101", "s102"])
    );
    // So is what is too long together.
    let mut people = _people;
    let other = people.agent("globex", "gus", "bot").await;
    let greta = people.elevated("greta", "tenant:globex").await;
    for number in 0..6 {
        let body = "y".repeat(250_000);
        ambient(&greta, "tenant:globex", &format!("s{number}"), &body).await;
    }
    let opening = open(&other, json!({})).await.expect(200);
    assert_eq!(parts(&opening), ["s0", "s1", "s2", "s3"]);
    assert_eq!(opening.body["omitted_names"], json!(["s4", "s5"]));
}

/// Nobody crowds out what is sealed, nor what was meant for more than itself (threat 2).
#[tokio::test(flavor = "multi_thread")]
async fn neither_size_nor_number_crowds_out_what_is_wider() {
    let (_server, people, maria, agent) = begin().await;
    ambient(&people.root, "global", "law", "The law.\n").await;
    ambient(&maria, "tenant:acme", "mandate", "The mandate.\n").await;
    ambient(&maria, "tenant:acme", "tone", "Be kind.\n").await;
    maria
        .verb("tenant:acme", "mandate", "seal")
        .await
        .expect(200);
    let huge = json!({"description": "Takes all the room.", "body": "x".repeat(1_040_000)});
    instruct(&agent, "actor:tom", "s", huge).await.expect(201);
    let opening = open(&agent, json!({"role": "s"})).await.expect(200);
    assert_eq!(parts(&opening), ["role:s", "mandate", "tone", "law"]);
    for number in 0..3 {
        let body = "y".repeat(400_000);
        ambient(&agent, "actor:tom", &format!("y{number}"), &body).await;
    }
    let opening = open(&agent, json!({"role": "s"})).await.expect(200);
    assert!(opening.body["omitted"].as_u64().unwrap() > 0);
    for name in ["mandate", "tone", "law"] {
        assert!(parts(&opening).iter().any(|part| part == name), "{name}");
    }
    for number in 0..101 {
        ambient(&agent, "actor:tom", &format!("a{number:03}"), "x\n").await;
    }
    let opening = open(&agent, json!({})).await.expect(200);
    for name in ["mandate", "tone", "law"] {
        assert!(parts(&opening).iter().any(|part| part == name), "{name}");
    }
    assert!(opening.body["omitted"].as_u64().unwrap() >= 4);
}

/// What templates cost together is bounded too, by what each was checked to cost at most.
#[tokio::test(flavor = "multi_thread")]
async fn templates_that_cost_too_much_together_are_left_out_by_name() {
    let (_server, _people, maria, agent) = begin().await;
    let dear = "Dear.\n{{#each people}}{{#each @root.people}}{{#if about}}{{/if}}{{#if about}}{{/if}}{{#if about}}{{/if}}{{/each}}{{/each}}\n";
    ambient(&maria, "tenant:acme", "tone", "Be kind.\n").await;
    for number in 10..24 {
        ambient(&agent, "actor:tom", &format!("dear-{number}"), dear).await;
    }
    let opening = open(&agent, json!({})).await.expect(200);
    let told = parts(&opening);
    assert!(told.contains(&"tone".to_owned()), "{told:?}");
    let omitted = opening.body["omitted_names"].as_array().unwrap();
    assert!(!omitted.is_empty() && told.len() > 5, "{told:?}");
    assert_eq!(told.len() + omitted.len(), 15);
}
