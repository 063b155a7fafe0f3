//! Proposing and deciding at the command line.

use serde_json::json;

use super::Shell;
use super::import::{put, skill_md};
use crate::api::proposals::set;
use crate::harness::{Directory, People, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn a_lesson_is_proposed_read_approved_and_published() {
    let server = TestServer::start().await;
    let _people = People::usual(&server).await;
    let (tom, maria) = (Shell::at(&server), Shell::at(&server));
    tom.login("tom").await;
    maria.login("maria").await;
    let directory = Directory::new();
    let root = directory.path();
    put(
        root,
        "triage/SKILL.md",
        skill_md("triage", "a case arrives"),
    );
    put(root, "triage/notes.txt", "notes\n");
    let folder = root.join("triage");
    let folder = folder.to_str().unwrap();

    let text = tom
        .ok(&[
            "proposal",
            "create",
            folder,
            "--scope",
            "tenant:acme",
            "--rationale",
            "It saves a day.",
            "--link",
            "https://wiki.example/triage",
        ])
        .await;
    assert!(
        text.starts_with("p-1 for tenant:acme/triage is proposed: open, sha256:"),
        "{text}"
    );
    let listed = maria.ok(&["proposal", "list", "--state", "open"]).await;
    assert!(
        listed.contains("p-1") && listed.contains("human:tom"),
        "{listed}"
    );

    // The page names everything, and at its end what would approve exactly this.
    let page = maria.ok(&["proposal", "show", "p-1"]).await;
    for part in [
        "p-1 for tenant:acme/triage: open",
        "nothing: there is no such skill",
        "It saves a day.",
        "https://wiki.example/triage",
        "+name: triage",
        "file notes.txt: added",
        "0 of 1",
        "run `vestry elevate --scope tenant:acme --reason …` first",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    assert_eq!(
        maria
            .ok(&["proposal", "show", "p-1", "--file", "notes.txt"])
            .await,
        "notes\n"
    );
    assert_eq!(
        maria.ok(&["proposal", "show", "p-1", "--raw"]).await,
        skill_md("triage", "a case arrives")
    );
    maria.elevate("tenant:acme").await;
    maria.ok(&["proposal", "comment", "p-1", "Good."]).await;
    let page = maria.ok(&["proposal", "show", "p-1"]).await;
    assert!(page.contains("human:maria:\n    Good."), "{page}");
    let command = page
        .lines()
        .find_map(|line| line.trim().strip_prefix("vestry "))
        .unwrap();
    assert!(
        command.starts_with("proposal approve p-1 --digest sha256:"),
        "{command}"
    );

    // An edit by its author makes that command approve nothing.
    put(
        root,
        "triage/SKILL.md",
        skill_md("triage", "a case arrives late"),
    );
    let file = root.join("triage/SKILL.md");
    let text = tom
        .ok(&["proposal", "edit", "p-1", file.to_str().unwrap()])
        .await;
    assert!(
        text.starts_with("p-1 for tenant:acme/triage is edited: open"),
        "{text}"
    );
    let arguments: Vec<&str> = command.split(' ').collect();
    let said = maria.run(&arguments).await.sentence(1);
    assert!(said.contains("not what the proposal says now"), "{said}");
    let page = maria.ok(&["proposal", "show", "p-1"]).await;
    let command = page
        .lines()
        .find_map(|line| line.trim().strip_prefix("vestry "))
        .unwrap();
    let arguments: Vec<&str> = command.split(' ').collect();
    let text = maria.ok(&arguments).await;
    assert!(
        text.starts_with(
            "p-1 for tenant:acme/triage is approved: published as revision 1, sha256:"
        ),
        "{text}"
    );
    let shown = maria.json(&["skill", "show", "tenant:acme/triage"]).await;
    assert_eq!(shown["files"][0]["path"], "notes.txt");
}

#[tokio::test(flavor = "multi_thread")]
async fn proposals_are_rejected_withdrawn_and_rebased() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    maria
        .create("tenant:acme", "refunds", "one")
        .await
        .expect(201);
    let (tom, pavel) = (Shell::at(&server), Shell::at(&server));
    tom.login("tom").await;
    pavel.login("pavel").await;
    pavel.elevate("tenant:acme").await;
    let directory = Directory::new();
    let root = directory.path();
    put(root, "refunds.md", skill_md("refunds", "money goes back"));
    let file = root.join("refunds.md");
    let create = [
        "proposal",
        "create",
        file.to_str().unwrap(),
        "--scope",
        "tenant:acme",
        "--rationale",
        "So.",
    ];
    assert_eq!(tom.json(&create).await["id"], "p-1");
    maria
        .update("tenant:acme", "refunds", "two")
        .await
        .expect(200);
    let page = pavel.ok(&["proposal", "show", "p-1"]).await;
    assert!(
        page.contains("p-1 for tenant:acme/refunds: stale"),
        "{page}"
    );
    assert!(page.contains("vestry proposal rebase p-1"), "{page}");
    assert!(page.contains("-Do two.") && page.contains("@@"), "{page}");
    let text = tom.ok(&["proposal", "rebase", "p-1"]).await;
    assert!(text.contains("is rebased: open"), "{text}");
    let coloured = pavel
        .ok(&["proposal", "show", "p-1", "--color", "always"])
        .await;
    assert!(coloured.contains("\u{1b}[32m+"), "{coloured:?}");
    let text = pavel
        .ok(&["proposal", "reject", "p-1", "--reason", "not so"])
        .await;
    assert!(text.contains("is rejected: rejected"), "{text}");
    let page = tom.ok(&["proposal", "show", "p-1"]).await;
    assert!(page.contains("pavel: reject not so"), "{page}");
    assert_eq!(tom.json(&create).await["id"], "p-2");
    let text = tom
        .ok(&["proposal", "withdraw", "p-2", "--reason", "later"])
        .await;
    assert!(text.contains("is withdrawn: withdrawn"), "{text}");
    let said = tom.run(&["proposal", "show", "p-9"]).await.sentence(1);
    assert!(said.contains("there is no proposal p-9"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reviewed_publication_says_that_it_waits() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    set(&people, "acme", json!({"review_names": ["*"]})).await;
    let maria = Shell::at(&server);
    maria.login("maria").await;
    maria.elevate("tenant:acme").await;
    let directory = Directory::new();
    let root = directory.path();
    put(
        root,
        "skills/triage/SKILL.md",
        skill_md("triage", "a case arrives"),
    );
    let folder = root.join("skills/triage");
    let text = maria
        .ok(&[
            "skill",
            "publish",
            folder.to_str().unwrap(),
            "--scope",
            "tenant:acme",
        ])
        .await;
    assert!(
        text.starts_with("p-1 for tenant:acme/triage waits for a review: open"),
        "{text}"
    );
    // An import takes what waits for no success.
    let all = root.join("skills");
    let ran = maria
        .run(&["import", all.to_str().unwrap(), "--scope", "tenant:acme"])
        .await;
    assert_eq!(ran.code, 1, "{}", ran.text());
    assert!(
        ran.text().contains("waits for a review as p-1"),
        "{}",
        ran.text()
    );
    let settings = ["settings", "set", "approvers=maria,pavel", "review_names="];
    let set = maria.json(&settings).await;
    assert_eq!(set["approvers"], json!(["maria", "pavel"]));
    assert_eq!(set["review_names"], json!([]));
}
