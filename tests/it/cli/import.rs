//! Importing a directory of skills.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::Shell;
use crate::harness::{Client, Directory, People, TestServer};

/// Writes a file, with the directories above it.
pub(super) fn put(root: &Path, path: &str, bytes: impl AsRef<[u8]>) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// A SKILL.md.
pub(super) fn skill_md(name: &str, what: &str) -> String {
    format!("---\nname: {name}\ndescription: Use when {what}.\n---\n# {name}\n\nDo {what}.\n")
}

/// The names in a list of a report.
fn names(report: &Value, list: &str) -> Vec<String> {
    report[list]
        .as_array()
        .unwrap_or_else(|| panic!("no {list} in {report}"))
        .iter()
        .map(|line| line["name"].as_str().unwrap().to_owned())
        .collect()
}

/// Requests so far, by the count that the server keeps: of all methods, and of those that write.
async fn requests(client: &Client) -> (u64, u64) {
    let metrics = client.get("/metrics").await.expect(200);
    let text = String::from_utf8(metrics.bytes.to_vec()).unwrap();
    let mut counts = (0, 0);
    for line in text.lines().filter(|line| line.contains("/v1/skills")) {
        if line.contains("_bucket") || line.contains("_sum") || !line.contains("requests_total") {
            continue;
        }
        let count: u64 = line.rsplit_once(' ').unwrap().1.parse().unwrap();
        counts.0 += count;
        if line.contains("PUT") || line.contains("POST") {
            counts.1 += count;
        }
    }
    counts
}

/// A repository as teams have them.
fn repository() -> Directory {
    let directory = Directory::new();
    let root = directory.path();
    put(root, "README.md", "# Ours\n");
    put(
        root,
        "refunds/SKILL.md",
        skill_md("refunds", "somebody wants money back").replace('\n', "\r\n"),
    );
    put(root, "refunds/scripts/check.sh", "#!/bin/sh\necho ok\n");
    put(root, "refunds/assets/logo.bin", [0, 159, 146, 150, 255]);
    put(
        root,
        "refunds/nested/escalation/SKILL.md",
        skill_md("escalation", "it is urgent"),
    );
    put(
        root,
        ".claude/skills/triage.md",
        skill_md("triage", "a case arrives"),
    );
    put(root, ".claude/skills/README.md", "# About these\n");
    put(
        root,
        ".git/refunds/SKILL.md",
        skill_md("refunds", "nobody looks"),
    );
    let large: Vec<u8> = (0..200_000_u32).map(|n| (n % 251) as u8).collect();
    put(root, "large/SKILL.md", skill_md("large", "there is much"));
    put(root, "large/data.bin", large);
    directory
}

async fn at_acme() -> (TestServer, People, Shell) {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let shell = Shell::at(&server);
    shell.login("maria").await;
    shell.elevate("tenant:acme").await;
    (server, people, shell)
}

#[tokio::test(flavor = "multi_thread")]
async fn importing_twice_changes_nothing_and_costs_one_listing() {
    let (server, people, shell) = at_acme().await;
    let repository = repository();
    let import = [
        "import",
        repository.path().to_str().unwrap(),
        "--scope",
        "tenant:acme",
        "--message",
        "from git",
    ];
    let mut dry = import.to_vec();
    dry.push("--dry-run");
    let planned = shell.json(&dry).await;
    let all = ["escalation", "large", "refunds", "triage"];
    assert_eq!(names(&planned, "created"), all);
    assert_eq!(planned["dry_run"], true);
    assert_eq!(
        shell
            .json(&["skill", "list", "--scope", "tenant:acme"])
            .await["items"],
        json!([])
    );

    let done = shell.json(&import).await;
    assert_eq!(names(&done, "created"), all, "{done}");
    let maria = people.human("maria").await;
    let refunds = maria
        .get("/v1/skills/tenant:acme/refunds")
        .await
        .expect(200);
    let paths: Vec<&str> = refunds.body["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["assets/logo.bin", "scripts/check.sh"]);
    assert_eq!(refunds.text("message"), "from git");

    let before = requests(&server.client()).await;
    let again = shell.json(&import).await;
    assert_eq!(names(&again, "unchanged"), all, "{again}");
    let after = requests(&server.client()).await;
    assert_eq!(
        (after.0 - before.0, after.1 - before.1),
        (1, 0),
        "one listing, and nothing is written"
    );
    let text = shell.ok(&import).await;
    assert_eq!(
        text,
        "tenant:acme: 0 created, 0 updated, 4 unchanged, 0 refused\n"
    );

    // A change of the text, of a file, and a file that is gone: each is an update of that skill alone.
    let root = repository.path();
    put(
        root,
        ".claude/skills/triage.md",
        skill_md("triage", "a case arrives at night"),
    );
    put(root, "refunds/scripts/check.sh", "#!/bin/sh\necho better\n");
    std::fs::remove_file(root.join("large/data.bin")).unwrap();
    let text = shell.ok(&import).await;
    assert_eq!(
        text,
        "updated  large\nupdated  refunds\nupdated  triage\ntenant:acme: 0 created, 3 updated, 1 unchanged, 0 refused\n"
    );
    let large = maria.get("/v1/skills/tenant:acme/large").await.expect(200);
    assert_eq!(
        (&large.body["files"], &large.body["revision"]),
        (&json!([]), &json!(2))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_is_what_was_imported_byte_for_byte() {
    let (_server, _people, shell) = at_acme().await;
    let repository = repository();
    let root = repository.path();
    shell
        .ok(&["import", root.to_str().unwrap(), "--scope", "tenant:acme"])
        .await;
    let out = Directory::new();
    let export = [
        "export",
        out.path().to_str().unwrap(),
        "--scope",
        "tenant:acme",
    ];
    assert_eq!(
        shell.ok(&export).await,
        "tenant:acme: 4 written, 0 unchanged, 0 refused\n"
    );
    for (exported, imported) in [
        ("refunds/SKILL.md", "refunds/SKILL.md"),
        ("refunds/scripts/check.sh", "refunds/scripts/check.sh"),
        ("refunds/assets/logo.bin", "refunds/assets/logo.bin"),
        ("escalation/SKILL.md", "refunds/nested/escalation/SKILL.md"),
        ("triage/SKILL.md", ".claude/skills/triage.md"),
        ("large/SKILL.md", "large/SKILL.md"),
        ("large/data.bin", "large/data.bin"),
    ] {
        let (exported, imported) = (out.path().join(exported), root.join(imported));
        assert_eq!(
            std::fs::read(&exported).unwrap(),
            std::fs::read(imported).unwrap(),
            "{exported:?}"
        );
    }
    assert_eq!(
        shell.ok(&export).await,
        "tenant:acme: 0 written, 4 unchanged, 0 refused\n"
    );
    // And what was exported is what is there.
    let again = shell
        .json(&[
            "import",
            out.path().to_str().unwrap(),
            "--scope",
            "tenant:acme",
        ])
        .await;
    assert_eq!(names(&again, "unchanged").len(), 4, "{again}");

    // A file that differs is left, unless it is asked for.
    put(out.path(), "triage/SKILL.md", "mine");
    std::fs::remove_file(out.path().join("refunds/SKILL.md")).unwrap();
    let ran = shell.run(&[&export[..], &["--json"]].concat()).await;
    assert_eq!(ran.code, 1);
    let report = ran.json();
    assert_eq!(report["written"], json!(["refunds"]));
    assert_eq!(names(&report, "refused"), ["triage"]);
    assert_eq!(
        std::fs::read(out.path().join("triage/SKILL.md")).unwrap(),
        b"mine"
    );
    shell
        .ok(&[&export[..], &["--force", "--name", "triage"]].concat())
        .await;
    assert_ne!(
        std::fs::read(out.path().join("triage/SKILL.md")).unwrap(),
        b"mine"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_is_named_with_its_reason_and_the_rest_goes_in() {
    let (_server, _people, shell) = at_acme().await;
    let directory = Directory::new();
    let root = directory.path();
    put(root, "good/SKILL.md", skill_md("good", "all is well"));
    put(root, "Bad_Name/SKILL.md", skill_md("bad", "x"));
    put(root, "no-frontmatter/SKILL.md", "# Just text\n");
    put(root, "other-name/SKILL.md", skill_md("another-name", "x"));
    put(
        root,
        "latin/SKILL.md",
        b"---\nname: latin\ndescription: caf\xe9\n---\nx\n",
    );
    put(root, "twice/SKILL.md", skill_md("twice", "x"));
    put(root, "deeper/twice/SKILL.md", skill_md("twice", "y"));
    put(
        root,
        "hidden/SKILL.md",
        skill_md("hidden", "x").replace("Do x", "Do\u{202e} x"),
    );
    put(root, "many/SKILL.md", skill_md("many", "x"));
    for number in 0..513 {
        put(root, &format!("many/f{number}"), "");
    }
    std::os::unix::fs::symlink("/etc/passwd", root.join("good/passwd")).unwrap();
    let import = ["import", root.to_str().unwrap(), "--scope", "tenant:acme"];
    let ran = shell.run(&[&import[..], &["--json"]].concat()).await;
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let report = ran.json();
    assert_eq!(names(&report, "created"), ["good"]);
    assert_eq!(
        names(&report, "refused"),
        [
            "Bad_Name",
            "hidden",
            "latin",
            "many",
            "no-frontmatter",
            "other-name",
            "twice",
            "twice"
        ]
    );
    assert_eq!(report["skipped"][0]["reason"], "a symbolic link");
    let reason = |name: &str| -> String {
        let refused = report["refused"].as_array().unwrap();
        let found = refused.iter().find(|line| line["name"] == name).unwrap();
        found["reason"].as_str().unwrap().to_owned()
    };
    assert!(
        reason("latin").contains("not UTF-8 (line 3)"),
        "{}",
        reason("latin")
    );
    assert!(reason("many").contains("513 files"), "{}", reason("many"));
    let twice = reason("twice");
    assert!(
        twice.contains("deeper/twice") && twice.contains(" are both called twice"),
        "{twice}"
    );
    for name in ["no-frontmatter", "other-name", "hidden", "Bad_Name"] {
        assert!(reason(name).len() > 20, "{name}: {}", reason(name));
    }
    let ran = shell.run(&import).await;
    assert_eq!(ran.code, 1);
    let text = ran.text();
    assert!(text.contains("refused  latin: "), "{text}");
    assert!(
        text.ends_with("tenant:acme: 0 created, 0 updated, 1 unchanged, 8 refused\n"),
        "{text}"
    );
    // A dry run says the same of what the server would refuse.
    let dry = shell
        .run(&[&import[..], &["--dry-run", "--json"]].concat())
        .await;
    assert_eq!(names(&dry.json(), "refused"), names(&report, "refused"));

    let empty = Directory::new();
    std::fs::create_dir_all(empty.path()).unwrap();
    let sentence = shell
        .run(&[
            "import",
            empty.path().to_str().unwrap(),
            "--scope",
            "tenant:acme",
        ])
        .await
        .sentence(1);
    assert!(sentence.contains("has no skills"), "{sentence}");
}

fn many(count: usize) -> Directory {
    let directory = Directory::new();
    for number in 0..count {
        let name = format!("skill-{number}");
        put(
            directory.path(),
            &format!("{name}/SKILL.md"),
            skill_md(&name, "it is one of many"),
        );
    }
    directory
}

#[tokio::test(flavor = "multi_thread")]
async fn what_stops_everything_is_said_once() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let shell = Shell::at(&server);
    shell.login("maria").await;
    let directory = many(40);
    let import = |scope| {
        [
            "import",
            directory.path().to_str().unwrap(),
            "--scope",
            scope,
            "--json",
        ]
    };
    let ran = shell.run(&import("tenant:acme")).await;
    assert_eq!(ran.code, 1);
    let report = ran.json();
    assert_eq!(report["not_tried"], 40, "{report}");
    assert_eq!(
        report["stopped"],
        "this needs an elevation for tenant:acme: run `vestry elevate --scope tenant:acme --reason …` first"
    );
    assert_eq!(names(&report, "refused"), Vec::<String>::new());
    let ran = shell.run(&import("tenant:acme")[..4]).await;
    assert_eq!(
        ran.text(),
        "tenant:acme: 0 created, 0 updated, 0 unchanged, 0 refused, 40 not tried\n"
    );
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);

    // A scope that is full: what fits is there, and the rest is not tried one by one.
    let path = "/v1/tenants/acme/settings";
    let mut settings = people.root.get(path).await.expect(200).body;
    settings["skills_per_actor"] = 5.into();
    people.root.put(path, settings).await.expect(200);
    let ran = shell.run(&import("actor:maria")).await;
    assert_eq!(ran.code, 1);
    let report = ran.json();
    assert_eq!(names(&report, "created").len(), 5, "{report}");
    assert_eq!(report["not_tried"], 35);
    assert!(
        report["stopped"].as_str().unwrap().contains("quota"),
        "{report}"
    );

    // A scope of somebody else is not even listed.
    let sentence = shell.run(&import("tenant:globex")).await.sentence(1);
    assert!(sentence.contains("tenant:globex"), "{sentence}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_that_was_killed_is_finished_by_repeating_it() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let shell = Shell::at(&server);
    shell.login("maria").await;
    let directory = many(120);
    let import = [
        "import",
        directory.path().to_str().unwrap(),
        "--scope",
        "actor:maria",
    ];
    let maria = people.human("maria").await;
    let count = async || -> usize {
        let listed = maria
            .get("/v1/skills?scope=actor:maria&limit=200")
            .await
            .expect(200);
        listed.body["items"].as_array().unwrap().len()
    };
    let mut child = shell
        .command(&[&import[..], &["--jobs", "2", "--json"]].concat())
        .spawn()
        .unwrap();
    while count().await < 10 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    child.kill().await.unwrap();
    let there = count().await;
    assert!(there < 120, "it was killed too late");
    // Once more, ended as Ctrl-C does: what was done is said.
    let child = shell
        .command(&[&import[..], &["--jobs", "2", "--json"]].concat())
        .spawn()
        .unwrap();
    while count().await < there + 10 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let id = child.id().unwrap().to_string();
    tokio::process::Command::new("kill")
        .args(["-INT", &id])
        .status()
        .await
        .unwrap();
    let output = child.wait_with_output().await.unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    if report["interrupted"] == true {
        assert_eq!(output.status.code(), Some(1));
        let total: usize = ["created", "unchanged"]
            .iter()
            .map(|list| names(&report, list).len())
            .sum();
        assert_eq!(
            total as u64 + report["not_tried"].as_u64().unwrap(),
            120,
            "{report}"
        );
        assert_eq!(names(&report, "refused"), Vec::<String>::new());
    }

    let report = shell.json(&import).await;
    assert_eq!(names(&report, "refused"), Vec::<String>::new());
    assert_eq!(
        names(&report, "created").len() + names(&report, "unchanged").len(),
        120
    );
    let report = shell.json(&import).await;
    assert_eq!(names(&report, "unchanged").len(), 120);
    for skill in ["skill-0", "skill-119"] {
        let read = maria
            .get(&format!("/v1/skills/actor:maria/{skill}"))
            .await
            .expect(200);
        assert_eq!(read.body["revision"], 1, "nothing was published twice");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_out_of_a_skill_is_named_and_so_is_what_it_loses_by_that() {
    let (_server, people, shell) = at_acme().await;
    let directory = Directory::new();
    let root = directory.path();
    put(root, "web/SKILL.md", skill_md("web", "a page is made"));
    put(root, "web/steps.md", "1. Begin.\n");
    put(root, "web/node_modules/left-pad/index.js", "x");
    put(root, "web/.git/config", "x");
    put(root, "web/deeper/.git", "gitdir: elsewhere");
    put(root, "web/deeper/.DS_Store", "x");
    // What belongs to no skill is nobody's loss.
    put(root, "node_modules/other/index.js", "x");
    put(root, ".git/config", "x");
    let import = ["import", root.to_str().unwrap(), "--scope", "tenant:acme"];
    let report = shell.json(&import).await;
    assert_eq!(names(&report, "created"), ["web"]);
    let skipped = |report: &Value| -> Vec<String> {
        let skipped = report["skipped"].as_array().unwrap();
        let paths = skipped.iter().map(|line| line["path"].as_str().unwrap());
        let below = format!("{}/", root.display());
        paths.map(|path| path.replace(&below, "")).collect()
    };
    let left_out = [
        "web/.git",
        "web/deeper/.DS_Store",
        "web/deeper/.git",
        "web/node_modules",
    ];
    assert_eq!(skipped(&report), left_out, "{report}");
    let text = shell.ok(&import).await;
    assert_eq!(text.matches("skipped  ").count(), 4, "{text}");
    let maria = people.human("maria").await;
    let read = maria.get("/v1/skills/tenant:acme/web").await.expect(200);
    assert_eq!(
        read.body["files"].as_array().unwrap().len(),
        1,
        "{}",
        read.body
    );

    // The skill has files where there are links here: they go with the import, and it says so.
    std::os::unix::fs::symlink("steps.md", root.join("web/latest.md")).unwrap();
    std::os::unix::fs::symlink("deeper", root.join("web/old")).unwrap();
    let publisher = people.elevated("maria", "tenant:acme").await;
    let body = json!({
        "skill_md": skill_md("web", "a page is made"),
        "files": [
            {"path": "latest.md", "text": "x"}, {"path": "old/a.md", "text": "x"},
            {"path": "older.md", "text": "x"},
        ],
    });
    publisher
        .send(
            hyper::Method::PUT,
            "/v1/skills/tenant:acme/web",
            &[("if-match", "*")],
            Some(body),
        )
        .await
        .expect(200);
    let mut dry = import.to_vec();
    dry.push("--dry-run");
    for (arguments, revision) in [(&dry[..], 2), (&import[..], 3)] {
        let report = shell.json(arguments).await;
        assert_eq!(names(&report, "updated"), ["web"], "{report}");
        assert_eq!(
            report["updated"][0]["warnings"],
            json!([
                "the skill has latest.md and 1 more that are left out here; the new revision is without them"
            ])
        );
        let read = maria.get("/v1/skills/tenant:acme/web").await.expect(200);
        assert_eq!(read.body["revision"], revision);
    }
    assert_eq!(names(&shell.json(&import).await, "unchanged"), ["web"]);

    // Publishing the folder leaves the same out, and says so.
    let folder = root.join("web");
    let check = [
        "skill",
        "check",
        folder.to_str().unwrap(),
        "--scope",
        "tenant:acme",
    ];
    let ran = shell.run(&check).await;
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        ran.stderr,
        "left out: .git, deeper/.DS_Store, deeper/.git, latest.md, node_modules, old\n"
    );
}
