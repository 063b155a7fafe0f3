//! Importing a directory of skills.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

mod exporting;
mod interrupted;
mod refusals;

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

/// The templates of `examples/` are taken as they are, and are templates on the server.
#[tokio::test(flavor = "multi_thread")]
async fn the_example_templates_are_imported() {
    let (_server, people, shell) = at_acme().await;
    let directory = crate::templates::whole::directory();
    let import = [
        "import",
        directory.to_str().unwrap(),
        "--scope",
        "tenant:acme",
    ];
    let report = shell.json(&import).await;
    assert_eq!(names(&report, "refused"), Vec::<String>::new(), "{report}");
    let created = names(&report, "created");
    assert!(created.len() >= 6, "{report}");
    let maria = people.human("maria").await;
    for name in created {
        let path = format!("/v1/skills/tenant:acme/{name}");
        let skill = maria.get(&path).await.expect(200);
        assert_eq!(skill.body["templated"], true, "{name}");
    }
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
