//! `vestry templates`: checking, rendering and looking up without a server.

use serde_json::Value;

use super::import::{put, skill_md};
use crate::harness::{Directory, run};

async fn templates(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut all = vec!["templates"];
    all.extend(arguments);
    let output = run(&all, "").await;
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_is_checked_and_rendered() {
    let home = Directory::new();
    let path = home.path();
    put(path, "good.md", "Of {{organization.name}}.\n");
    put(path, "bad.md", "One.\n{{task.titel}}\n");
    let file = |name: &str| path.join(name).to_str().unwrap().to_owned();
    let (code, stdout, stderr) = templates(&["check", &file("good.md")]).await;
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stdout.contains("reads organization.name"), "{stdout}");
    let (code, stdout, _) = templates(&["check", &file("bad.md")]).await;
    assert_eq!(code, Some(1));
    assert!(
        stdout.contains("{{task.titel}}") && stdout.contains('^'),
        "{stdout}"
    );
    let (code, stdout, _) = templates(&["check", &file("bad.md"), "--json"]).await;
    assert_eq!(code, Some(1));
    let said: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(said["accepted"], false);
    assert_eq!(said["diagnostics"][0]["line"], 2);
    let (code, stdout, _) = templates(&["samples", "task-start"]).await;
    assert_eq!(code, Some(0));
    let sample: Value = serde_json::from_str(&stdout).unwrap();
    let name = sample["organization"]["name"].as_str().unwrap().to_owned();
    let (code, stdout, stderr) = templates(&["render", &file("good.md")]).await;
    assert_eq!(
        (code, stdout),
        (Some(0), format!("Of {name}.\n")),
        "{stderr}"
    );
    put(
        path,
        "context.json",
        r#"{"organization": {"name": "Ours"}}"#,
    );
    let (_, stdout, stderr) = templates(&[
        "render",
        &file("good.md"),
        "--context",
        &file("context.json"),
    ])
    .await;
    assert_eq!(stdout, "Of Ours.\n", "{stderr}");
    put(path, "context.json", r#"{"organisation": {}}"#);
    let (code, _, stderr) = templates(&[
        "render",
        &file("good.md"),
        "--context",
        &file("context.json"),
    ])
    .await;
    assert_eq!(code, Some(1));
    assert!(stderr.contains("organisation"), "{stderr}");
    let (code, stdout, _) = templates(&["samples"]).await;
    assert_eq!(code, Some(0));
    assert!(stdout.lines().count() >= 18, "{stdout}");
    let (code, stdout, _) = templates(&["reference"]).await;
    assert_eq!(code, Some(0));
    assert!(
        stdout.contains("opening") && stdout.starts_with('#'),
        "{stdout}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn adopting_says_which_bodies_would_check() {
    let home = Directory::new();
    let path = home.path();
    put(path, "plain/SKILL.md", skill_md("plain", "no tags"));
    let with = |name: &str, metadata: &str, body: &str| {
        format!("---\nname: {name}\ndescription: Use it.\n{metadata}---\n\n{body}\n")
    };
    put(
        path,
        "would/SKILL.md",
        with("would", "", "Of {{organization.name}}."),
    );
    put(
        path,
        "is/SKILL.md",
        with(
            "is",
            "metadata:\n  templated: \"true\"\n",
            "Of {{organization.name}}.",
        ),
    );
    put(
        path,
        "actions/SKILL.md",
        with("actions", "", "run: ${{ secrets.TOKEN }}"),
    );
    let (code, stdout, stderr) = templates(&["adopt", path.to_str().unwrap(), "--json"]).await;
    assert_eq!(code, Some(0), "{stderr}");
    let said: Value = serde_json::from_str(&stdout).unwrap();
    let verdict = |name: &str| {
        let skills = said["skills"].as_array().unwrap();
        let skill = skills.iter().find(|skill| skill["name"] == name).unwrap();
        skill["verdict"].as_str().unwrap().to_owned()
    };
    assert_eq!(verdict("plain"), "no tags");
    assert_eq!(verdict("would"), "would check");
    assert_eq!(verdict("is"), "template");
    assert_eq!(verdict("actions"), "refused");
    let (_, stdout, _) = templates(&["adopt", path.to_str().unwrap()]).await;
    assert!(stdout.contains("1 would check"), "{stdout}");
}

/// What ships as a template is one, and raises no alarm.
#[tokio::test(flavor = "multi_thread")]
async fn the_examples_and_the_built_in_skills_are_templates() {
    let examples = crate::templates::whole::directory();
    let built_in = examples.join("../../registry/built-in");
    for (directory, count) in [(examples, 6), (built_in, 6)] {
        let directory = directory.to_str().unwrap();
        let (code, stdout, stderr) = templates(&["adopt", directory, "--json"]).await;
        assert_eq!(code, Some(0), "{stderr}");
        let said: Value = serde_json::from_str(&stdout).unwrap();
        let skills = said["skills"].as_array().unwrap();
        assert!(skills.len() >= count, "{stdout}");
        for skill in skills {
            assert_eq!(skill["verdict"], "template", "{skill}");
        }
        let scanned = run(&["scan", directory, "--json"], "").await;
        let scanned: Value = serde_json::from_slice(&scanned.stdout).unwrap();
        for skill in scanned["skills"].as_array().unwrap() {
            assert_eq!(skill["findings"], serde_json::json!([]), "{skill}");
        }
    }
}
