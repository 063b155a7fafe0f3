//! Skills, one by one: reading and changing them. Publishing is elsewhere.

use super::Shell;
use crate::harness::{People, TestServer};

async fn world() -> (TestServer, People, Shell) {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    maria
        .create("tenant:acme", "refunds", "one thing")
        .await
        .expect(201);
    maria
        .update("tenant:acme", "refunds", "another thing")
        .await
        .expect(200);
    people
        .root
        .create("global", "style", "writing")
        .await
        .expect(201);
    let shell = Shell::at(&server);
    shell.login("maria").await;
    (server, people, shell)
}

#[tokio::test(flavor = "multi_thread")]
async fn skills_are_listed_shown_and_compared() {
    let (_server, _people, shell) = world().await;
    let text = shell.ok(&["skill", "list"]).await;
    assert_eq!(
        text,
        "NAME     SCOPE        REV    DESCRIPTION\n\
         refunds  tenant:acme  2      Use when another thing.\n\
         style    global       1      Use when writing.\n"
    );
    assert_eq!(
        shell.json(&["skill", "list", "-q", "STYLE"]).await["items"][0]["name"],
        "style"
    );
    let text = shell.ok(&["skill", "list", "--scope", "tenant:acme"]).await;
    assert!(text.starts_with("NAME     REV  STATUS  AUTHOR"), "{text}");
    assert!(
        text.contains("refunds  2    active  human:maria  2027-01-15T")
            || text.contains("refunds  2    active  maria"),
        "{text}"
    );
    assert_eq!(
        shell
            .ok(&[
                "skill",
                "list",
                "--scope",
                "tenant:acme",
                "--status",
                "archived"
            ])
            .await,
        "There are no such skills.\n"
    );
    assert_eq!(
        shell
            .run(&["skill", "list", "--status", "archived"])
            .await
            .code,
        2
    );
    let sentence = shell
        .run(&["skill", "list", "--scope", "tenant:globex"])
        .await
        .sentence(1);
    assert!(!sentence.is_empty());

    let text = shell.ok(&["skill", "show", "tenant:acme/refunds"]).await;
    assert!(
        text.contains("skill        tenant:acme/refunds\nrevision     2\nstatus       active\n"),
        "{text}"
    );
    assert!(text.ends_with("\n\nDo another thing.\n"), "{text}");
    let text = shell
        .ok(&["skill", "show", "tenant:acme/refunds", "--revision", "1"])
        .await;
    assert!(text.ends_with("\n\nDo one thing.\n"), "{text}");
    let sentence = shell
        .run(&["skill", "show", "tenant:acme/payroll"])
        .await
        .sentence(1);
    assert!(
        sentence.contains("`vestry skill list --scope tenant:acme`"),
        "{sentence}"
    );

    let text = shell.ok(&["skill", "history", "tenant:acme/refunds"]).await;
    assert!(text.starts_with("REV  AT "), "{text}");
    assert_eq!(text.lines().count(), 3);
    let history = shell
        .json(&["skill", "history", "tenant:acme/refunds"])
        .await;
    assert_eq!(history["items"][0]["revision"], 2);

    for arguments in [
        &["skill", "diff", "tenant:acme/refunds"][..],
        &[
            "skill",
            "diff",
            "tenant:acme/refunds",
            "--from",
            "1",
            "--to",
            "2",
        ],
    ] {
        let text = shell.ok(arguments).await;
        assert!(
            text.contains("-Do one thing.\n+Do another thing.\n"),
            "{text}"
        );
    }
    let mut colored = vec!["skill", "diff", "tenant:acme/refunds"];
    colored.extend(["--color", "always"]);
    let text = shell.ok(&colored).await;
    assert!(
        text.contains("\u{1b}[31m-Do one thing.\u{1b}[0m\n"),
        "{text:?}"
    );
    assert_eq!(
        shell.json(&["skill", "diff", "tenant:acme/refunds"]).await["to"]["revision"],
        2
    );
    let sentence = shell
        .run(&["skill", "diff", "global/style"])
        .await
        .sentence(1);
    assert!(
        sentence.contains("nothing to compare it with"),
        "{sentence}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn skills_are_changed_by_every_verb() {
    let (_server, people, shell) = world().await;
    shell.elevate("tenant:acme").await;
    let skill = "tenant:acme/refunds";
    for (verb, field, value) in [
        ("seal", "sealed", serde_json::json!(true)),
        ("unseal", "sealed", false.into()),
        ("disable", "status", "disabled".into()),
        ("enable", "status", "active".into()),
        ("quarantine", "status", "quarantined".into()),
        ("release", "status", "active".into()),
    ] {
        let arguments = ["skill", verb, skill, "--reason", "a test"];
        let changed = shell.json(&arguments).await;
        assert_eq!(changed[field], value, "{verb}");
        assert_eq!(changed["unchanged"], false, "{verb}");
        let text = shell.ok(&arguments).await;
        assert!(
            text.starts_with("tenant:acme/refunds was so already: revision 2, "),
            "{text}"
        );
        // Why is asked, always.
        assert_eq!(shell.run(&arguments[..3]).await.code, 2);
    }
    let stale = [
        "skill",
        "disable",
        skill,
        "--reason",
        "x",
        "--if-match",
        "sha256:0",
    ];
    let sentence = shell.run(&stale).await.sentence(1);
    assert!(
        sentence.contains("somebody changed it meanwhile"),
        "{sentence}"
    );

    let text = shell
        .ok(&[
            "skill",
            "rollback",
            skill,
            "--to",
            "1",
            "--reason",
            "it was better",
        ])
        .await;
    assert!(
        text.starts_with("tenant:acme/refunds changed: revision 3, active, sha256:"),
        "{text}"
    );
    let text = shell.ok(&["skill", "history", skill]).await;
    assert!(text.contains("[back to 1]"), "{text}");

    let revoked = shell
        .json(&[
            "skill",
            "revoke",
            skill,
            "--revision",
            "2",
            "--reason",
            "bad",
        ])
        .await;
    assert_eq!(revoked["revision"], 3);
    let shown = shell.json(&["skill", "show", skill]).await;
    let digest = shown["digest"].as_str().unwrap();
    let recall = [
        "skill",
        "recall",
        digest,
        "--reason",
        "bad",
        "--scope",
        "tenant:acme",
    ];
    let recalled = shell.json(&recall).await;
    assert_eq!(
        recalled["recalled"].as_array().unwrap().len(),
        2,
        "{recalled}"
    );
    let text = shell.ok(&recall).await;
    assert!(text.contains("quarantined  tenant:acme  refunds"), "{text}");

    let hide = ["skill", "hide", "style", "--reason", "a test"];
    assert_eq!(
        shell.ok(&hide).await,
        "global/style is hidden from the members of acme\n"
    );
    let unhide = [
        "skill",
        "unhide",
        "global/style",
        "--tenant",
        "acme",
        "--reason",
        "a test",
    ];
    assert_eq!(
        shell.ok(&unhide).await,
        "global/style is shown to the members of acme\n"
    );

    assert_eq!(
        shell.json(&["skill", "archive", skill]).await["status"],
        "archived"
    );
    // A member has no part in any of it.
    let tom = Shell::at(&_server);
    tom.login("tom").await;
    let sentence = tom.run(&["skill", "archive", skill]).await.sentence(1);
    assert!(
        sentence.contains("elevat") || sentence.contains("role"),
        "{sentence}"
    );
    drop(people);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_says_what_would_happen_and_does_nothing() {
    let (_server, people, shell) = world().await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let seal = ["skill", "seal", "tenant:acme/refunds", "--dry-run"];
    // Without an elevation it is told, and the exit says that it may not be done.
    let ran = shell.run(&seal).await;
    assert_eq!(ran.code, 1, "{}{}", ran.text(), ran.stderr);
    assert!(
        ran.text().contains("you may not do it now"),
        "{}",
        ran.text()
    );
    shell.elevate("tenant:acme").await;
    let text = shell
        .ok(&["skill", "disable", "tenant:acme/refunds", "--dry-run"])
        .await;
    assert_eq!(
        text,
        "tenant:acme/refunds: disable would do this, and you may do it (rule elevated-human)\n\
         of 5 actors (the tenant), 5 would notice\n\
         ACTORS           WHO\n\
         5       lose it  ines, maria, mia, pavel, tom\n"
    );
    let answer = shell
        .json(&["skill", "archive", "tenant:acme/refunds", "--dry-run"])
        .await;
    assert_eq!(answer["impact"]["loses"]["actors"], 5);
    let text = shell.ok(&["skill", "hide", "style", "--dry-run"]).await;
    assert!(text.contains("lose it"), "{text}");
    let shown = maria
        .get("/v1/skills/tenant:acme/refunds")
        .await
        .expect(200);
    assert_eq!(shown.body["status"], "active");
    // Without --dry-run a reason is needed.
    assert_eq!(shell.run(&seal[..3]).await.code, 2);

    // What is overridden changes, and the list says so.
    maria
        .create("tenant:acme", "style", "ours")
        .await
        .expect(201);
    people
        .root
        .update("global", "style", "writing well")
        .await
        .expect(200);
    let text = shell.ok(&["skill", "list", "--upstream-changed"]).await;
    assert!(
        text.contains("overrides global, global revision 2 is newer than 1"),
        "{text}"
    );
    assert!(!text.contains("refunds"), "{text}");
}
