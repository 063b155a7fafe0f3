//! Roles, attachments and openings by commands alone.

use super::Shell;
use super::import::put;
use crate::harness::{People, TestServer};

const NOTE: &str = "---\nname: note\ndescription: Use for notes.\nmetadata:\n  templated: \"true\"\n---\n\nOf {{organization.name}}.\n";
const SUPPORT: &str = "---\nname: support\ndescription: What support is told.\n---\n\nBe kind.\n";
const TONE: &str =
    "---\nname: tone\ndescription: Says how.\nmetadata:\n  mode: ambient\n---\n\nBe brief.\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_role_is_told_given_skills_and_its_run_opened() {
    let server = TestServer::start().await;
    let _people = People::usual(&server).await;
    let shell = Shell::at(&server);
    shell.login("maria").await;
    shell.elevate("tenant:acme").await;
    let home = shell.home.path().to_owned();
    put(&home, "note/SKILL.md", NOTE);
    put(&home, "support/SKILL.md", SUPPORT);
    put(&home, "tone/SKILL.md", TONE);
    let scope = ["--scope", "tenant:acme"];
    for what in [
        vec!["skill", "publish", "note"],
        vec!["skill", "publish", "tone"],
        vec!["skill", "publish", "support", "--role"],
    ] {
        let command: Vec<&str> = what.into_iter().chain(scope).collect();
        shell.ok(&command).await;
    }
    // The role's instruction is named wherever skills are.
    let shown = shell
        .ok(&["skill", "show", "tenant:acme/role:support"])
        .await;
    assert!(shown.contains("Be kind."), "{shown}");
    let roles = shell.ok(&["role", "list", "--scope", "tenant:acme"]).await;
    assert!(roles.contains("support"), "{roles}");
    let list = shell.ok(&["skill", "list", "--scope", "tenant:acme"]).await;
    assert!(list.contains("active, ambient"), "{list}");
    assert!(!list.contains("support"), "{list}");

    let role = "tenant:acme/support";
    let attached = shell
        .ok(&["role", "attach", role, "note", "--reason", "it is theirs"])
        .await;
    assert!(attached.contains("note"), "{attached}");
    shell
        .ok(&["role", "attach", role, "tone", "--mode", "ambient"])
        .await;
    let shown = shell.json(&["role", "show", role]).await;
    assert_eq!(shown["skills"].as_array().unwrap().len(), 2);
    let list = shell.ok(&["skill", "list", "--scope", "tenant:acme"]).await;
    assert!(list.contains("for support"), "{list}");

    // The data of a run: what the samples print is what a host may send.
    let sample = shell.ok(&["templates", "samples", "task-start"]).await;
    put(&home, "context.json", &sample);
    let context = ["--context", "context.json"];
    let opening = shell
        .ok(&["opening", "--role", "support", context[0], context[1]])
        .await;
    let lines: Vec<&str> = opening.lines().collect();
    assert!(lines[1].starts_with("role:support"), "{opening}");
    assert!(lines[2].starts_with("tone"), "{opening}");
    let text = shell
        .ok(&[
            "opening", "--text", "--role", "support", context[0], context[1],
        ])
        .await;
    assert!(text.contains("## tone [tenant:acme]"), "{text}");
    let none = shell.ok(&["opening", context[0], context[1]]).await;
    assert!(none.contains("The run begins with nothing."), "{none}");

    let catalog = shell.json(&["catalog", "--role", "support"]).await;
    assert_eq!(catalog["entries"].as_array().unwrap().len(), 1);
    let rendered = shell.ok(&["load", "note", context[0], context[1]]).await;
    assert!(
        rendered.contains("Of ") && !rendered.contains("{{"),
        "{rendered}"
    );
    let source = shell.ok(&["load", "note", "--template"]).await;
    assert!(source.contains("Of {{organization.name}}.\n"), "{source}");

    shell.ok(&["role", "detach", role, "note", "tone"]).await;
    let shown = shell.ok(&["role", "show", role]).await;
    assert_eq!(shown, "Nothing is attached to this role there.\n");
    // What the server refuses is said in a sentence.
    let refused = shell
        .run(&["role", "attach", role, "absent"])
        .await
        .sentence(1);
    assert!(!refused.is_empty(), "{refused}");
    put(&home, "context.json", "[]");
    let refused = shell
        .run(&["opening", context[0], context[1]])
        .await
        .sentence(1);
    assert!(refused.contains("JSON object"), "{refused}");
}
