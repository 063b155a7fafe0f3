//! What `allowed-tools` allows. It grants nothing here; hosts of agents may follow it.

use std::collections::BTreeSet;
use std::ops::Range;

use serde_json::{Map, Value};

use super::{Detector, head, line_of_key};

/// Keys that hosts read tools from.
const KEYS: [&str; 4] = ["allowed-tools", "allowed_tools", "allowedTools", "tools"];
/// Tools that run commands.
const SHELLS: [&str; 12] = [
    "bash",
    "shell",
    "sh",
    "zsh",
    "powershell",
    "terminal",
    "execute",
    "exec",
    "run",
    "run_command",
    "computer",
    "cmd",
];
/// Commands that run, fetch or change anything, so that allowing them is allowing all.
const ANY_COMMAND: [&str; 30] = [
    "sudo",
    "doas",
    "sh",
    "bash",
    "zsh",
    "fish",
    "dash",
    "ksh",
    "pwsh",
    "powershell",
    "env",
    "xargs",
    "eval",
    "exec",
    "nohup",
    "curl",
    "wget",
    "nc",
    "ncat",
    "netcat",
    "socat",
    "ssh",
    "scp",
    "rsync",
    "rm",
    "dd",
    "chmod",
    "chown",
    "crontab",
    "su",
];
/// Tools that only read.
const READERS: [&str; 7] = ["read", "grep", "glob", "ls", "notebookread", "view", "list"];
/// The most tools that are looked at.
const MOST: usize = 500;

/// What is reported of the tools of a frontmatter, with a sentence on each.
pub(in crate::content::scan) fn find(
    frontmatter: &Map<String, Value>,
    previous: Option<&Map<String, Value>>,
) -> Vec<(Detector, String)> {
    let tools = tools_of(frontmatter);
    let mut found = Vec::new();
    let list = |tools: Vec<&String>| {
        let named: Vec<String> = tools
            .into_iter()
            .take(8)
            .map(|tool| format!("`{}`", tool.chars().take(40).collect::<String>()))
            .collect();
        format!("It has {}.", named.join(", "))
    };
    let any: Vec<&String> = tools.iter().filter(|tool| is_any(tool)).collect();
    let dangerous: Vec<&String> = tools
        .iter()
        .filter(|tool| !is_any(tool) && is_dangerous(tool))
        .collect();
    if !any.is_empty() {
        found.push((Detector::ToolsAny, list(any)));
    }
    if !dangerous.is_empty() {
        found.push((Detector::ToolsDangerous, list(dangerous)));
    }
    if let Some(previous) = previous {
        let before = tools_of(previous);
        let new: Vec<&String> = tools
            .iter()
            .filter(|tool| !is_reader(tool) && !before.iter().any(|known| covers(known, tool)))
            .collect();
        if !new.is_empty() {
            found.push((Detector::ToolsWidened, list(new)));
        }
    }
    found
}

/// Where the tools are written.
pub(in crate::content::scan) fn place(text: &str) -> Range<usize> {
    let line = KEYS
        .iter()
        .map(|key| line_of_key(head(text), key))
        .find(|line| *line > 1)
        .unwrap_or(1);
    let start: usize = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    let length = text
        .get(start..)
        .and_then(|rest| rest.lines().next())
        .map_or(0, str::len);
    start..start.saturating_add(length)
}

/// The tools, in lower case and without spaces inside.
fn tools_of(frontmatter: &Map<String, Value>) -> BTreeSet<String> {
    let mut tools = BTreeSet::new();
    for key in KEYS {
        match frontmatter.get(key) {
            Some(Value::String(text)) => split(text, &mut tools),
            Some(Value::Array(items)) => {
                for item in items.iter().filter_map(Value::as_str) {
                    split(item, &mut tools);
                }
            }
            Some(Value::Object(fields)) => {
                for (name, _) in fields {
                    split(name, &mut tools);
                }
            }
            _ => {}
        }
    }
    tools
}

/// Tools are parted by commas and spaces outside of brackets.
fn split(text: &str, tools: &mut BTreeSet<String>) {
    let mut depth: usize = 0;
    let mut tool = String::new();
    let mut take = |tool: &mut String| {
        let whole = std::mem::take(tool);
        let whole = whole.trim();
        if !whole.is_empty() && tools.len() < MOST {
            tools.insert(whole.to_lowercase());
        }
    };
    for sign in text.chars() {
        match sign {
            '(' => depth = depth.saturating_add(1),
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (sign == ',' || sign.is_whitespace()) {
            take(&mut tool);
        } else {
            tool.push(sign);
        }
    }
    take(&mut tool);
}

/// The name of a tool, and what it is restricted to.
fn parts(tool: &str) -> (&str, Option<&str>) {
    match tool.split_once('(') {
        Some((name, inside)) => (name.trim(), Some(inside.trim_end_matches(')').trim())),
        None => (tool, None),
    }
}

/// Whether a restriction restricts nothing.
fn is_open(inside: Option<&str>) -> bool {
    inside.is_none_or(|inside| {
        inside
            .chars()
            .all(|sign| matches!(sign, '*' | ':' | ' ' | '.' | '?'))
    })
}

fn is_any(tool: &str) -> bool {
    let (name, inside) = parts(tool);
    let is_wild = name.chars().all(|sign| matches!(sign, '*' | '.' | '_'))
        || matches!(name, "all" | "any" | "everything")
        || name.starts_with("mcp__*")
        || name == "mcp*";
    is_wild || (SHELLS.contains(&name) && is_open(inside))
}

fn is_dangerous(tool: &str) -> bool {
    let (name, inside) = parts(tool);
    if name.contains('*') {
        return true;
    }
    let Some(inside) = inside.filter(|_| SHELLS.contains(&name)) else {
        return false;
    };
    let command = inside
        .split(|sign: char| sign.is_whitespace() || matches!(sign, ':' | '*' | ';' | '|' | '&'))
        .find(|word| !word.is_empty())
        .unwrap_or_default();
    let command = command.rsplit('/').next().unwrap_or_default();
    ANY_COMMAND.contains(&command)
}

fn is_reader(tool: &str) -> bool {
    READERS.contains(&parts(tool).0)
}

/// Whether an earlier permission covers a tool.
fn covers(known: &str, tool: &str) -> bool {
    if known == tool {
        return true;
    }
    let (known_name, known_inside) = parts(known);
    let (name, inside) = parts(tool);
    if known_name != name {
        return known_name == "*";
    }
    if is_open(known_inside) {
        return true;
    }
    match (known_inside, inside) {
        (Some(known), Some(inside)) => known
            .strip_suffix('*')
            .map(|prefix| prefix.trim_end_matches(':'))
            .is_some_and(|prefix| !prefix.is_empty() && inside.starts_with(prefix)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn detectors(tools: Value, previous: Option<Value>) -> Vec<Detector> {
        let map = |tools: Value| {
            let mut map = Map::new();
            map.insert("allowed-tools".to_owned(), tools);
            map
        };
        let previous = previous.map(map);
        find(&map(tools), previous.as_ref())
            .into_iter()
            .map(|(detector, _)| detector)
            .collect()
    }

    #[test]
    fn wildcards_are_found_in_every_form() {
        for tools in [
            "*",
            "Bash",
            "Bash(*)",
            "Read, Bash(:*)",
            "bash( * )",
            "Read mcp__*",
            "ALL",
        ] {
            assert_eq!(
                detectors(json!(tools), None),
                [Detector::ToolsAny],
                "{tools}"
            );
        }
        for tools in [
            "Bash(sudo *)",
            "Bash(curl:*) Read",
            "Bash(/bin/sh -c *)",
            "mcp__files__*",
        ] {
            assert_eq!(
                detectors(json!(tools), None),
                [Detector::ToolsDangerous],
                "{tools}"
            );
        }
        assert_eq!(
            detectors(json!(["Read", "Bash(git:*)", "Bash(git add *)"]), None),
            []
        );
        assert_eq!(detectors(json!([]), None), []);
    }

    #[test]
    fn what_is_new_is_found() {
        let widened = |now: &str, before: &str| {
            detectors(json!(now), Some(json!(before))).contains(&Detector::ToolsWidened)
        };
        assert!(widened("Bash(git:*) Bash(npm:*)", "Bash(git:*)"));
        assert!(widened("Write", ""));
        assert!(!widened("Bash(git add:*) Read", "Bash(git:*)"));
        assert!(!widened("Read Grep", ""));
        assert!(!widened("Bash(git:*)", "Bash(git:*), Write"));
    }
}
