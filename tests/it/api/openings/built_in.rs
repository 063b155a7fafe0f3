//! The six skills that come with the program: ordinary content, created once.

use hyper::Method;
use serde_json::{Value, json};
use vestry::built_in::SKILLS;

use super::{open, parts};
use crate::harness::{Builder, Client, People, TestServer, content, context};

const KINDS: [&str; 6] = [
    "task-start",
    "task-resume",
    "conversation-start",
    "conversation-resume",
    "agent-conversation-start",
    "agent-conversation-resume",
];

async fn begin() -> (TestServer, People, Client) {
    let server = Builder {
        built_in_skills: true,
        ..Builder::default()
    }
    .start()
    .await;
    let mut people = People::usual(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    (server, people, agent)
}

async fn listed(client: &Client) -> Vec<Value> {
    let list = client.get("/v1/skills?scope=global").await.expect(200);
    list.body["items"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_server_opens_runs_of_every_kind() {
    let (_server, people, agent) = begin().await;
    let skills = listed(&people.root).await;
    assert_eq!(skills.len(), SKILLS.len());
    for skill in &skills {
        assert_eq!(skill["mode"], "ambient", "{skill}");
        assert_eq!(skill["templated"], true, "{skill}");
        assert_eq!(skill["author_kind"], "system", "{skill}");
        assert_eq!(skill["sealed"], false, "{skill}");
    }
    for kind in KINDS {
        let opening = open(&agent, json!({"context": context(kind)}))
            .await
            .expect(200);
        assert_eq!(parts(&opening), [format!("opening-{kind}")], "{kind}");
        assert_eq!(opening.body["situation"], kind);
    }
    // They are in no catalog, and load nothing.
    let catalog = agent.post("/v1/catalog", json!({})).await.expect(200);
    assert_eq!(catalog.body["entries"], json!([]));
    // Their first revision has a record like any other, and the SKILL.md is the program's byte for byte.
    let log = people
        .root
        .get("/v1/audit?log=global&limit=200")
        .await
        .expect(200);
    let records = log.body["items"].as_array().unwrap();
    for built_in in SKILLS {
        let target = format!("global/{}", built_in.name);
        let record = records
            .iter()
            .find(|record| record["target"] == target.as_str())
            .unwrap();
        assert_eq!(record["principal"], "system");
        let path = format!("/v1/skills/{target}");
        let accept = [("accept", "text/markdown")];
        let text = people
            .root
            .send(Method::GET, &path, &accept, None)
            .await
            .expect(200);
        assert_eq!(text.bytes, built_in.skill_md.as_bytes());
        let read = people.root.get(&path).await.expect(200);
        assert_eq!(record["after"], read.body["digest"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn they_are_edited_replaced_hidden_and_removed_and_do_not_come_back() {
    let (mut server, mut people, agent) = begin().await;
    let start = json!({"context": context("task-start")});
    let path = "/v1/skills/global/opening-task-start";
    let maria = people.elevated("maria", "tenant:acme").await;
    // A tenant replaces one, for its own members only.
    let mut own = content("what acme says");
    own["mode"] = "ambient".into();
    let new = [("if-none-match", "*")];
    let replaced = "/v1/skills/tenant:acme/opening-task-start";
    maria
        .send(Method::PUT, replaced, &new, Some(own))
        .await
        .expect(201);
    let opening = open(&agent, start.clone()).await.expect(200);
    assert_eq!(opening.body["parts"][0]["scope"], "tenant:acme");
    let other = people.agent("globex", "gus", "bot").await;
    let opening = open(&other, start.clone()).await.expect(200);
    assert_eq!(opening.body["parts"][0]["scope"], "global");
    // It hides another one.
    let hide = json!({"tenant": "acme", "reason": "we have our own"});
    maria
        .post("/v1/skills/global/opening-task-resume/hide", hide)
        .await
        .expect(200);
    let resume = json!({"context": context("task-resume")});
    let opening = open(&agent, resume.clone()).await.expect(200);
    // Its own one is not guarded, so that it opens every run.
    assert_eq!(parts(&opening), ["opening-task-start"]);
    let another = people.agent("acme", "mia", "bot").await;
    maria.delete(replaced).await.expect(200);
    let opening = open(&another, resume.clone()).await.expect(200);
    assert_eq!(opening.body["parts"], json!([]));
    assert_eq!(opening.body["text"], "");
    assert_eq!(
        open(&other, resume).await.expect(200).body["parts"][0]["scope"],
        "global"
    );

    // The administrator edits one and removes another; nothing of that is undone by a restart.
    let mut edited = content("edited by the operator");
    edited["mode"] = "ambient".into();
    let any = [("if-match", "*")];
    people
        .root
        .send(Method::PUT, path, &any, Some(edited))
        .await
        .expect(200);
    people
        .root
        .delete("/v1/skills/global/opening-conversation-start")
        .await
        .expect(200);
    for _ in 0..2 {
        server.restart().await;
        people.at(&server);
        let skills = listed(&people.root).await;
        assert_eq!(skills.len(), SKILLS.len() - 1);
        let other = people.agent("globex", "gus", "bot").await;
        let opening = open(&other, start.clone()).await.expect(200);
        let body = opening.body["parts"][0]["body"].as_str().unwrap();
        assert!(body.contains("edited by the operator"), "{body}");
    }
    server.stop().await;
    let reports = server.verify_audit().await;
    assert!(
        reports.iter().all(|report| report.faults.is_empty()),
        "{reports:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_wants_none_has_none_for_good() {
    let mut server = TestServer::start().await;
    let people = People::only_root(&server).await;
    assert!(listed(&people.root).await.is_empty());
    server.start_with_built_in_skills().await;
    let mut people = people;
    people.at(&server);
    assert!(
        listed(&people.root).await.is_empty(),
        "the database is no new one"
    );
}
