//! False alarms: findings at medium or above on the ordinary examples, which are all harmless.

use std::path::Path;

use serde_json::Value;

use super::corpus::examples;
use crate::harness::{Directory, run};

/// The most of a hundred skills that may be flagged although nothing is wrong with them.
const MOST_PERCENT: usize = 2;

/// Scans a directory with the program, and gives what it says of each skill.
pub(super) async fn scan(directory: &Path) -> Vec<Value> {
    let output = run(&["scan", directory.to_str().unwrap(), "--json"], "").await;
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    report["skills"].as_array().unwrap().clone()
}

/// The skills of the example worlds have their frontmatter elsewhere; here they get one.
fn worlds(into: &Path) -> usize {
    let mut count = 0;
    let mut directories = vec![examples("worlds")];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let is_skill = path.components().any(|part| part.as_os_str() == "skills");
            if is_skill && path.extension().is_some_and(|extension| extension == "md") {
                let name = path.file_stem().unwrap().to_str().unwrap();
                let body = std::fs::read_to_string(&path).unwrap();
                let folder = into.join(count.to_string()).join(name);
                std::fs::create_dir_all(&folder).unwrap();
                let text =
                    format!("---\nname: {name}\ndescription: A skill of a world.\n---\n{body}");
                std::fs::write(folder.join("SKILL.md"), text).unwrap();
                count += 1;
            }
        }
    }
    count
}

#[tokio::test(flavor = "multi_thread")]
async fn ordinary_skills_raise_few_alarms() {
    let directory = Directory::new();
    let count = worlds(directory.path());
    assert!(count >= 20, "{count}");
    let mut skills = scan(directory.path()).await;
    assert_eq!(skills.len(), count);
    // What the reader refuses comes to no reviewer.
    let corpus = scan(&examples("corpus")).await;
    skills.extend(
        corpus
            .into_iter()
            .filter(|skill| skill["refused"].is_null()),
    );
    assert!(skills.len() >= 320, "{}", skills.len());
    let mut alarms = Vec::new();
    for skill in &skills {
        let findings = skill["findings"].as_array().unwrap();
        let rules: Vec<&str> = findings
            .iter()
            .filter(|finding| finding["severity"] != "low")
            .map(|finding| finding["rule"].as_str().unwrap())
            .collect();
        if !rules.is_empty() {
            alarms.push(format!("{}: {}", skill["path"], rules.join(", ")));
        }
    }
    println!(
        "{} of {} harmless skills are flagged:\n{}",
        alarms.len(),
        skills.len(),
        alarms.join("\n")
    );
    assert!(
        alarms.len() * 100 <= skills.len() * MOST_PERCENT,
        "{} of {}:\n{}",
        alarms.len(),
        skills.len(),
        alarms.join("\n")
    );
}
