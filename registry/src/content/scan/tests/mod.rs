//! The rules, family by family, on texts that they are meant for and on texts that they must leave alone; and what holds
//! for every text.

mod families;
mod harmless;
mod laws;
mod operators;

use std::sync::Arc;

use serde_json::Map;

use super::{Findings, Scan, Scanner, Severity};

fn scanner() -> Arc<Scanner> {
    Scanner::built_in().unwrap()
}

/// The findings of a text that is a SKILL.md's.
fn findings(text: &str) -> Findings {
    let mut scan = Scan::new(scanner());
    scan.skill_md(text);
    scan.finish()
}

/// The rules at `medium` or above that hit a text.
fn rules(text: &str) -> Vec<String> {
    findings(text)
        .items
        .iter()
        .filter(|finding| finding.severity >= Severity::Medium)
        .map(|finding| finding.rule.to_string())
        .collect()
}

#[track_caller]
fn hits(rule: &str, texts: &[&str]) {
    for text in texts {
        let found = rules(text);
        assert!(
            found.iter().any(|found| found == rule),
            "{rule} does not hit, but {found:?}: {text}"
        );
    }
}

#[track_caller]
fn misses(texts: &[&str]) {
    for text in texts {
        let found = findings(text);
        let found: Vec<_> = found
            .items
            .iter()
            .filter(|finding| finding.severity >= Severity::Medium)
            .collect();
        assert!(found.is_empty(), "{found:?}: {text}");
    }
}

/// The findings of a frontmatter with these tools.
fn tools(now: &str, before: Option<&str>) -> Vec<String> {
    let map = |tools: &str| {
        let mut map = Map::new();
        map.insert("allowed-tools".to_owned(), tools.into());
        map
    };
    let text = format!("---\nname: a\ndescription: b\nallowed-tools: {now}\n---\nc\n");
    let mut scan = Scan::new(scanner());
    scan.frontmatter(&text, "b", &map(now), before.map(map).as_ref());
    let findings = scan.finish();
    assert!(
        findings.items.iter().all(|finding| finding.line == 4),
        "{findings:?}"
    );
    findings
        .items
        .iter()
        .map(|finding| finding.rule.to_string())
        .collect()
}
