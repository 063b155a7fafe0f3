//! The example world `acme`: what each of its agents is offered, and that all of it loads.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vestry::world::{LoadedWorld, World, load};

use crate::harness::{Client, TestServer};

async fn acme() -> (TestServer, World, LoadedWorld) {
    let server = TestServer::start().await;
    let world = World::acme().unwrap();
    for user in world.users.iter().filter(|user| user.global_admin) {
        server.make_admin(&user.username, &user.password).await;
    }
    let loaded = load(server.address, &world).await.unwrap();
    (server, world, loaded)
}

/// The entries as `name scope`, with `< shadow` for each shadow and `!` for sealed ones.
fn lines(catalog: &Value) -> Vec<String> {
    let entries = catalog["entries"].as_array().unwrap();
    entries
        .iter()
        .map(|entry| {
            let text = |field: &str| entry[field].as_str().unwrap().to_owned();
            let mut line = format!("{} {}", text("name"), text("scope"));
            if entry["sealed"] == true {
                line.push('!');
            }
            for shadow in entry["shadows"].as_array().into_iter().flatten() {
                line.push_str(&format!(" < {}", shadow.as_str().unwrap()));
            }
            line
        })
        .collect()
}

const TOM: &[&str] = &[
    "data-retention tenant:acme!",
    "secrets-handling global!",
    "morning-triage actor:tom",
    "writing-style actor:tom < global",
    "customer-tone tenant:acme",
    "escalation tenant:acme",
    "refunds tenant:acme < global",
    "release-checklist tenant:acme",
    "returns-portal tenant:acme",
    "code-review global",
    "commit-messages global",
    "incident-report global",
    "meeting-notes global",
    "shell-scripts global",
    "sql-migrations global",
];

const CUSTOMER: &[&str] = &[
    "data-retention tenant:acme!",
    "secrets-handling global!",
    "customer-tone tenant:acme",
    "escalation tenant:acme",
    "refunds tenant:acme < global",
    "release-checklist tenant:acme",
    "returns-portal tenant:acme",
    "code-review global",
    "commit-messages global",
    "incident-report global",
    "meeting-notes global",
    "shell-scripts global",
    "sql-migrations global",
    "writing-style global",
];

const GRETA: &[&str] = &[
    "secrets-handling global!",
    "escalation tenant:globex",
    "refunds tenant:globex < global",
    "code-review global",
    "commit-messages global",
    "incident-report global",
    "meeting-notes global",
    "sales-outreach global",
    "shell-scripts global",
    "sql-migrations global",
    "writing-style global",
];

#[tokio::test(flavor = "multi_thread")]
async fn each_is_offered_what_the_world_says_and_all_of_it_loads() {
    let (server, world, loaded) = acme().await;
    let agent = |agent: &str, actor: &str| {
        let token = &loaded.agent_tokens[&(agent.to_owned(), actor.to_owned())];
        server.client().with_token(token.clone())
    };
    let body = json!({"username": "greta", "password": world.passwords()["greta"]});
    let login = server.client().post("/v1/login", body).await.expect(200);
    let greta = server.client().with_token(login.text("access_token"));

    let secrets = json!([{"name": "secrets-handling", "scope": "actor:tom", "by": "global"}]);
    let mut seen = 0;
    for (client, expected, blocked) in [
        (agent("support-bot", "tom"), TOM, secrets),
        (agent("triage-bot", "cust-4711"), CUSTOMER, json!([])),
        (greta, GRETA, json!([])),
    ] {
        let catalog = client.turn("t-1").await.expect(200);
        assert_eq!(lines(&catalog.body), expected);
        assert_eq!(catalog.body["blocked"], blocked);
        assert_eq!(catalog.body["omitted"], 0);
        assert_eq!(catalog.body["omitted_names"], json!([]));
        let listed = client.get("/v1/skills?limit=200").await.expect(200);
        assert_eq!(
            lines(&json!({"entries": listed.body["items"]})),
            expected,
            "listing and offer agree"
        );
        seen += all_load(&client, &catalog.body, &world).await;
    }
    assert_eq!(seen, TOM.len() + CUSTOMER.len() + GRETA.len());
}

/// Loads every entry, and compares it with the file that it came from.
async fn all_load(client: &Client, catalog: &Value, world: &World) -> usize {
    let files: BTreeMap<(&str, &str), &str> = world
        .skills
        .iter()
        .map(|skill| {
            (
                (skill.scope.as_str(), skill.name.as_str()),
                skill.body.as_str(),
            )
        })
        .collect();
    let offer = catalog["offer"].as_str().unwrap();
    let entries = catalog["entries"].as_array().unwrap();
    for entry in entries {
        let name = entry["name"].as_str().unwrap();
        let loaded = client.load(offer, name).await.expect(200);
        let file = files[&(entry["scope"].as_str().unwrap(), name)];
        assert_eq!(loaded.text("body"), file, "{name}");
        assert!(file.len() > 1_000, "{name} is of real length");
        assert_eq!(loaded.body["digest"], entry["digest"]);
    }
    entries.len()
}

#[test]
fn the_world_has_skills_at_all_three_scopes() {
    let world = World::acme().unwrap();
    let at = |kind: &str| {
        world
            .skills
            .iter()
            .filter(|skill| skill.scope.starts_with(kind))
            .count()
    };
    assert_eq!((at("actor:"), at("tenant:"), at("global")), (3, 8, 10));
}
