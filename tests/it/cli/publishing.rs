//! Publishing, checking and editing one skill.

use serde_json::json;

use super::Shell;
use super::import::{put, skill_md};
use crate::harness::{Directory, People, TestServer};

async fn tom() -> (TestServer, People, Shell) {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let shell = Shell::at(&server);
    shell.login("tom").await;
    (server, people, shell)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_is_published_from_a_folder_a_file_or_standard_input() {
    let (_server, _people, shell) = tom().await;
    let directory = Directory::new();
    let root = directory.path();
    put(
        root,
        "triage/SKILL.md",
        skill_md("triage", "a case arrives"),
    );
    put(root, "triage/notes.txt", "notes\n");
    let folder = root.join("triage");
    let publish = [
        "skill",
        "publish",
        folder.to_str().unwrap(),
        "--scope",
        "actor:tom",
    ];
    let check = [
        "skill",
        "check",
        folder.to_str().unwrap(),
        "--scope",
        "actor:tom",
    ];
    let text = shell.ok(&check).await;
    assert!(text.starts_with("actor:tom/triage: publishing would create it, and you may publish it (rule own-scope); "), "{text}");
    let text = shell.ok(&publish).await;
    assert!(
        text.starts_with("actor:tom/triage created: revision 1, active, sha256:"),
        "{text}"
    );
    assert_eq!(shell.json(&publish).await["unchanged"], true);
    assert!(shell.ok(&check).await.contains("would change nothing"));

    // The SKILL.md alone keeps the files; its name is that of the folder.
    put(
        root,
        "triage/SKILL.md",
        skill_md("triage", "a case arrives late"),
    );
    let file = folder.join("SKILL.md");
    let changed = shell
        .json(&[
            "skill",
            "publish",
            file.to_str().unwrap(),
            "--scope",
            "actor:tom",
            "-m",
            "late",
        ])
        .await;
    assert_eq!(changed["revision"], 2);
    let shown = shell.json(&["skill", "show", "actor:tom/triage"]).await;
    assert_eq!(shown["files"][0]["path"], "notes.txt");
    assert_eq!(shown["message"], "late");
    assert_eq!(
        shell
            .ok(&["skill", "show", "actor:tom/triage", "--raw"])
            .await,
        skill_md("triage", "a case arrives late")
    );
    assert_eq!(
        shell
            .ok(&["skill", "show", "actor:tom/triage", "--file", "notes.txt"])
            .await,
        "notes\n"
    );
    let old = shell
        .ok(&[
            "skill",
            "show",
            "actor:tom/triage",
            "--raw",
            "--revision",
            "1",
        ])
        .await;
    assert_eq!(old, skill_md("triage", "a case arrives"));

    let stdin = ["skill", "publish", "-", "--scope", "actor:tom"];
    let ran = shell.run_with(&stdin, &skill_md("piped", "x")).await;
    assert!(ran.sentence(2).contains("give --name"));
    let ran = shell
        .run_with(
            &[&stdin[..], &["--name", "piped"]].concat(),
            &skill_md("piped", "x"),
        )
        .await;
    assert!(
        ran.text().starts_with("actor:tom/piped created"),
        "{}",
        ran.stderr
    );

    let stale = [&publish[..], &["--if-match", "sha256:0000"]].concat();
    let sentence = shell.run(&stale).await.sentence(1);
    assert!(
        sentence.contains("somebody changed it meanwhile"),
        "{sentence}"
    );
    // Where one may not, a check says so and exits with 1; what is wrong with the content is said by both.
    let elsewhere = [
        "skill",
        "check",
        folder.to_str().unwrap(),
        "--scope",
        "tenant:acme",
    ];
    let ran = shell.run(&elsewhere).await;
    assert_eq!(ran.code, 1);
    assert!(
        ran.text().contains("you may not publish it now"),
        "{}{}",
        ran.text(),
        ran.stderr
    );
    let ran = shell
        .run_with(
            &[&stdin[..], &["--name", "piped"]].concat(),
            "# no frontmatter\n",
        )
        .await;
    assert!(ran.sentence(1).len() > 20);
    let sentence = shell
        .run(&[
            "skill",
            "publish",
            root.to_str().unwrap(),
            "--scope",
            "actor:tom",
        ])
        .await
        .sentence(1);
    assert!(sentence.contains("run `vestry import`"), "{sentence}");

    let text = shell.ok(&["skill", "blame", "actor:tom/triage"]).await;
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 7, "{text}");
    assert!(
        lines[0].starts_with("1 ") && lines[0].ends_with("---"),
        "{text}"
    );
    assert!(
        lines[2].starts_with("2 ") && lines[2].contains("tom"),
        "{text}"
    );
    assert!(
        lines[2].ends_with("description: Use when a case arrives late."),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_published_and_nothing_is_lost_when_it_is_not() {
    let (_server, people, shell) = tom().await;
    let directory = Directory::new();
    put(
        directory.path(),
        "triage/SKILL.md",
        skill_md("triage", "a case arrives"),
    );
    let folder = directory.path().join("triage");
    shell
        .ok(&[
            "skill",
            "publish",
            folder.to_str().unwrap(),
            "--scope",
            "actor:tom",
        ])
        .await;
    let edit = |editor: &str| {
        let mut command = shell.command(&["skill", "edit", "actor:tom/triage", "-m", "edited"]);
        command.env("EDITOR", editor);
        super::run(command, "")
    };
    let ran = edit("sed -i 's/Do a case arrives/Do it/'").await;
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.text().contains("-Do a case arrives.\n+Do it.\n"),
        "{}",
        ran.text()
    );
    assert!(
        ran.text().ends_with('\n') && ran.text().contains("changed: revision 2"),
        "{}",
        ran.text()
    );
    let edits = shell.config().join("edits");
    assert_eq!(
        std::fs::read_dir(&edits).unwrap().count(),
        0,
        "nothing is left of what was published"
    );

    let ran = edit("true").await;
    assert_eq!((ran.code, ran.text().as_str()), (0, ""));
    assert!(ran.stderr.contains("nothing changed"), "{}", ran.stderr);

    // Refused by the server, overtaken by somebody else, and given up: the text is still there.
    let ran = edit("sh -c 'echo lost? > $0'").await;
    assert_eq!(ran.code, 1);
    let kept = ran
        .stderr
        .trim_end()
        .rsplit_once("your text is kept in ")
        .unwrap()
        .1
        .to_owned();
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "lost?\n");
    assert_eq!(super::mode(std::path::Path::new(&kept)), 0o600);

    let tom = people.human("tom").await;
    let body = json!({"description": "Use when it is quicker.", "body": "Quicker.\n"});
    let script = directory.path().join("slow-editor");
    put(
        directory.path(),
        "slow-editor",
        "#!/bin/sh\ntouch \"$0.started\"\nwhile [ ! -e \"$0.go\" ]; do sleep 0.01; done\necho more >> \"$1\"\n",
    );
    let running = tokio::spawn(edit(&format!("sh {}", script.display())));
    while !directory.path().join("slow-editor.started").exists() {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    tom.send(
        hyper::Method::PUT,
        "/v1/skills/actor:tom/triage",
        &[("if-match", "*")],
        Some(body),
    )
    .await
    .expect(200);
    put(directory.path(), "slow-editor.go", "");
    let ran = running.await.unwrap();
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("somebody changed it meanwhile"),
        "{}",
        ran.stderr
    );
    let kept = ran
        .stderr
        .trim_end()
        .rsplit_once("your text is kept in ")
        .unwrap()
        .1
        .to_owned();
    assert!(std::fs::read_to_string(&kept).unwrap().ends_with("more\n"));
    let ran = edit("false").await;
    assert!(ran.sentence(1).contains("nothing was published"));
}
