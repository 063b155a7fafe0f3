//! Read-only sources: folders of skills, composed with the database.

use std::path::Path;

use hyper::Method;
use serde_json::{Value, json};
use vestry::store::{SourceOrder, SourceSpec};
use vestry_policies::Scope;

use crate::harness::{
    Builder, Client, Directory, People, Response, SOURCE_POLL, TestServer, content,
};

fn write(folder: &Path, name: &str, description: &str, body: &str) {
    let directory = folder.join(name);
    std::fs::create_dir_all(&directory).unwrap();
    let text = format!("---\nname: {name}\ndescription: {description}\n---\n{body}\n");
    std::fs::write(directory.join("SKILL.md"), text).unwrap();
}

fn spec(folder: &Path, scope: &str, order: SourceOrder) -> SourceSpec {
    SourceSpec {
        directory: folder.to_owned(),
        scope: Scope::parse(scope, None).unwrap(),
        order,
    }
}

async fn server(sources: Vec<SourceSpec>) -> TestServer {
    Builder {
        sources,
        ..Builder::default()
    }
    .start()
    .await
}

fn entry(catalog: &Response, name: &str) -> Value {
    catalog.body["entries"]
        .as_array()
        .unwrap()
        .iter()
        .find(|entry| entry["name"] == name)
        .cloned()
        .unwrap_or_default()
}

async fn catalog(agent: &Client) -> Response {
    agent.post("/v1/catalog", json!({})).await.expect(200)
}

/// Asks for catalogs until one is as it should be: a source is looked at every now and then.
async fn eventually(agent: &Client, holds: impl Fn(&Response) -> bool) -> Response {
    for _ in 0..500 {
        let catalog = catalog(agent).await;
        if holds(&catalog) {
            return catalog;
        }
        tokio::time::sleep(SOURCE_POLL).await;
    }
    panic!(
        "the source was not read again: {}",
        catalog(agent).await.body
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_earlier_source_wins_and_its_body_is_loaded() {
    let (first, last) = (Directory::new(), Directory::new());
    write(
        first.path(),
        "both",
        "From the first.",
        "Body of the first.",
    );
    write(last.path(), "both", "From the last.", "Body of the last.");
    write(last.path(), "stored", "From the last.", "Body of the last.");
    write(last.path(), "only", "From the last.", "Body of the last.");
    std::fs::create_dir_all(last.path().join("only/scripts")).unwrap();
    std::fs::write(last.path().join("only/scripts/run.sh"), "echo hello\n").unwrap();
    let server = server(vec![
        spec(last.path(), "global", SourceOrder::After),
        spec(first.path(), "global", SourceOrder::Before),
    ])
    .await;
    let mut people = People::usual(&server).await;
    people
        .root
        .create("global", "stored", "stored")
        .await
        .expect(201);
    people
        .root
        .create("global", "both", "hidden")
        .await
        .expect_problem(409, "conflict");
    people
        .root
        .post("/v1/skills/global/both/check", content("hidden"))
        .await
        .expect_problem(409, "conflict");
    let maria = people.elevated("maria", "tenant:acme").await;
    maria
        .create("tenant:acme", "only", "narrower")
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;

    let taken = catalog(&agent).await;
    let offer = taken.text("offer");
    assert_eq!(entry(&taken, "both")["description"], "From the first.");
    assert_eq!(entry(&taken, "both")["revision"], 0);
    assert_eq!(entry(&taken, "stored")["description"], "Use when stored.");
    assert_eq!(entry(&taken, "stored")["revision"], 1);
    assert_eq!(entry(&taken, "only")["scope"], "tenant:acme");
    assert_eq!(entry(&taken, "only")["shadows"], json!(["global"]));
    let loaded = agent.load(&offer, "both").await.expect(200);
    assert_eq!(loaded.body["body"], "Body of the first.\n");
    assert_eq!(loaded.body["digest"], entry(&taken, "both")["digest"]);
    let loaded = agent.load(&offer, "stored").await.expect(200);
    assert_eq!(loaded.body["body"], "Do stored.\n");

    // Listings and reads agree with the catalog (invariant 9).
    let tom = people.human("tom").await;
    let listed = tom.get("/v1/skills?scope=global").await.expect(200);
    let rows: Vec<(&str, &str)> = listed.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["name"].as_str().unwrap(),
                row["author_kind"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [("both", "source"), ("only", "source"), ("stored", "human")]
    );
    let read = tom.get("/v1/skills/global/both").await.expect(200);
    assert_eq!(read.body["body"], "Body of the first.\n");
    let accept = [("accept", "text/markdown")];
    let read = tom
        .send(Method::GET, "/v1/skills/global/both", &accept, None)
        .await;
    assert_eq!(
        read.bytes,
        std::fs::read(first.path().join("both/SKILL.md")).unwrap()
    );
    let read = tom.get("/v1/skills/global/only").await.expect(200);
    assert_eq!(read.body["files"][0]["path"], "scripts/run.sh");
    let file = "/v1/skills/global/only/revisions/0/file?path=scripts/run.sh";
    assert_eq!(tom.get(file).await.expect(200).bytes, "echo hello\n");
    // Agents get the bodies of wider scopes from their offer only.
    let read = agent.get("/v1/skills/global/both").await.expect(200);
    assert!(read.body.get("body").is_none());
    agent.get(file).await.expect_problem(403, "refused");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_seen_and_what_was_offered_before_is_withdrawn() {
    let folder = Directory::new();
    write(folder.path(), "one", "Use one.", "First.");
    write(folder.path(), "two", "Use two.", "Second.");
    std::fs::write(folder.path().join("two/data.txt"), "data").unwrap();
    let server = server(vec![spec(folder.path(), "global", SourceOrder::After)]).await;
    let mut people = People::usual(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    let before = catalog(&agent).await;
    let offer = before.text("offer");
    let body = json!({"offer": offer, "name": "two", "path": "data.txt"});
    let file = agent.post("/v1/load/file", body.clone()).await.expect(200);
    assert_eq!(file.body["text"], "data");

    write(folder.path(), "one", "Use one now.", "Changed.");
    let after = eventually(&agent, |catalog| {
        entry(catalog, "one")["description"] == "Use one now."
    })
    .await;
    // The pin is to what was read; it never loads as something else (invariants 10 and 12).
    agent
        .load(&offer, "one")
        .await
        .expect_problem(410, "skill-recalled");
    let loaded = agent.load(&after.text("offer"), "one").await.expect(200);
    assert_eq!(loaded.body["body"], "Changed.\n");
    // What did not change loads from the old offer as before.
    let loaded = agent.load(&offer, "two").await.expect(200);
    assert_eq!(loaded.body["body"], "Second.\n");

    std::fs::remove_dir_all(folder.path().join("two")).unwrap();
    eventually(&agent, |catalog| entry(catalog, "two").is_null()).await;
    agent
        .load(&offer, "two")
        .await
        .expect_problem(410, "skill-recalled");
    agent
        .post("/v1/load/file", body)
        .await
        .expect_problem(410, "skill-recalled");
    // A broken skill is left out, and the others stay.
    std::fs::write(folder.path().join("one/SKILL.md"), "no frontmatter").unwrap();
    write(folder.path(), "three", "Use three.", "Third.");
    let left = eventually(&agent, |catalog| !entry(catalog, "three").is_null()).await;
    assert!(entry(&left, "one").is_null());
}

/// What was withdrawn in the database does not come back from behind it.
#[tokio::test(flavor = "multi_thread")]
async fn a_source_behind_the_database_brings_nothing_back() {
    let folder = Directory::new();
    write(
        folder.path(),
        "it",
        "From the source.",
        "Body of the source.",
    );
    let server = server(vec![spec(folder.path(), "tenant:acme", SourceOrder::After)]).await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let agent = people.agent("acme", "tom", "bot").await;
    let description = async || entry(&catalog(&agent).await, "it")["description"].clone();
    assert_eq!(description().await, "From the source.");
    maria
        .create("tenant:acme", "it", "stored")
        .await
        .expect(201);
    assert_eq!(description().await, "Use when stored.");
    maria
        .verb("tenant:acme", "it", "quarantine")
        .await
        .expect(200);
    assert!(description().await.is_null());
    maria.verb("tenant:acme", "it", "release").await.expect(200);
    maria.verb("tenant:acme", "it", "disable").await.expect(200);
    assert!(description().await.is_null());
    maria.delete("/v1/skills/tenant:acme/it").await.expect(200);
    assert_eq!(description().await, "From the source.");
    // Another tenant sees nothing of it (invariant 17).
    let other = people.agent("globex", "gus", "bot").await;
    assert!(entry(&catalog(&other).await, "it").is_null());
}
