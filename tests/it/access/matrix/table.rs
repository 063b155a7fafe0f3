//! Drawing the table: routes with the same cells share a block, principals with the same cells share a row.

use super::Asked;

/// One route.
pub(super) struct Block {
    pub(super) route: Asked,
    pub(super) action: String,
    pub(super) rows: Vec<Row>,
    /// What an allowed request came to.
    pub(super) allowed: Vec<String>,
}

/// One principal.
#[derive(PartialEq, Eq, Clone)]
pub(super) struct Row {
    pub(super) label: &'static str,
    pub(super) cells: Vec<(&'static str, String)>,
}

/// Principals that are named together where all of them have the same row.
const FAMILIES: &[(&str, &[&str])] = &[
    (
        "(no valid credential)",
        &[
            "anonymous",
            "garbage",
            "publisher +tenant, token ended",
            "member, removed",
            "agent of a removed member",
            "service, revoked",
            "member's key, revoked",
        ],
    ),
    (
        "(every session)",
        &[
            "member",
            "member +tenant (demoted)",
            "auditor",
            "auditor +tenant (demoted)",
            "publisher",
            "publisher +tenant",
            "publisher +tenant, expired",
            "publisher +tenant, revoked",
            "admin",
            "admin +global",
            "admin +global, expired",
            "admin +global, revoked",
            "admin +tenant",
            "admin & member",
            "admin & member +global",
            "admin & member +tenant",
            "admin & member +other tenant",
        ],
    ),
    (
        "(every key)",
        &["member's key", "publisher's key", "admin's key"],
    ),
    (
        "(every agent)",
        &[
            "agent for a member",
            "agent for a publisher",
            "agent for an admin",
            "agent for an external actor",
        ],
    ),
    (
        "(every member session)",
        &["member", "member +tenant (demoted)"],
    ),
    (
        "(every auditor session)",
        &["auditor", "auditor +tenant (demoted)"],
    ),
    (
        "(every publisher session)",
        &[
            "publisher",
            "publisher +tenant",
            "publisher +tenant, expired",
            "publisher +tenant, revoked",
        ],
    ),
    (
        "(every admin session)",
        &[
            "admin",
            "admin +global",
            "admin +global, expired",
            "admin +global, revoked",
            "admin +tenant",
        ],
    ),
    (
        "(every admin & member session)",
        &[
            "admin & member",
            "admin & member +global",
            "admin & member +tenant",
            "admin & member +other tenant",
        ],
    ),
];

/// The labels, with whole families under one name.
fn gathered(mut labels: Vec<&'static str>) -> Vec<&'static str> {
    for (family, members) in FAMILIES {
        if members.iter().all(|member| labels.contains(member)) {
            let at = labels
                .iter()
                .position(|label| *label == members[0])
                .unwrap();
            labels[at] = family;
            labels.retain(|label| !members.contains(label));
        }
    }
    labels
}

const HEAD: &str = "\
The authorization matrix: who may do what to what, in which state, and by which rule.

Written by `VESTRY_BLESS=1 cargo test -p vestry-tests --test it access::matrix`, and compared by the same test without
it. Every cell was decided by `vestry_policies::decide` and by a running server over HTTP, and both agreed:
  a rule   the verdict's rule. Refusals are 403 with that rule; `not-in-scope` is 404 without one where the route reads;
  401      the credential lets nobody in: nothing was decided;
  a code   of a route that asks for no credential.
A cell stands for all states of the target; where the states make a difference to whoever is allowed, the line under the
block says what became of the request (`=`: nothing had to change). A change that was allowed was found in the audit log
under the rule of its cell. `+scope` is an elevation for that scope.

Invariant 2: no agent, service or key has an `elevated-` cell. Invariant 3: every change at a tenant or at global that is
allowed is `elevated-`, and of a human's session. Invariant 4: outside the caller's scopes every cell is `not-in-scope`.

Names in parentheses stand for all principals of a kind:
";

pub(super) fn render(blocks: Vec<Block>) -> String {
    let mut groups: Vec<Vec<Block>> = Vec::new();
    for block in blocks {
        match groups.iter_mut().find(|group| group[0].rows == block.rows) {
            Some(group) => group.push(block),
            None => groups.push(vec![block]),
        }
    }
    let mut text = HEAD.to_owned();
    for (family, members) in FAMILIES {
        text.push_str(&format!("  {family:<30} {}\n", members.join("; ")));
    }
    for group in groups {
        text.push('\n');
        for block in &group {
            let route = format!("{} {}", block.route.0, block.route.1);
            text.push_str(&format!("## {route:<58} {}\n", block.action));
        }
        grid(&mut text, &group[0].rows);
        for block in &group {
            if !block.allowed.is_empty() {
                let route = block.route.1.replace("/v1/skills/{scope}/{name}", "…");
                text.push_str(&format!(
                    "allowed: {} {route}: {}\n",
                    block.route.0,
                    block.allowed.join(", ")
                ));
            }
        }
    }
    text
}

fn grid(text: &mut String, rows: &[Row]) {
    let mut groups: Vec<(Vec<&'static str>, &Row)> = Vec::new();
    for row in rows {
        match groups
            .iter_mut()
            .find(|(_, first)| first.cells == row.cells)
        {
            Some((labels, _)) => labels.push(row.label),
            None => groups.push((vec![row.label], row)),
        }
    }
    let columns: Vec<&str> = rows[0].cells.iter().map(|(column, _)| *column).collect();
    let widths: Vec<usize> = (0..columns.len())
        .map(|index| {
            rows.iter()
                .map(|row| row.cells[index].1.chars().count())
                .chain([columns[index].chars().count()])
                .max()
                .unwrap_or(0)
        })
        .collect();
    let line = |text: &mut String, label: &str, cells: &[&str]| {
        let mut line = format!("{label:<34}");
        for (cell, width) in cells.iter().zip(&widths) {
            line.push_str(&format!(" | {cell:<width$}"));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    };
    line(text, "", &columns);
    for (labels, row) in groups {
        let labels = gathered(labels);
        let cells: Vec<&str> = row.cells.iter().map(|(_, cell)| cell.as_str()).collect();
        for (number, label) in labels.iter().enumerate() {
            let is_last = number + 1 == labels.len();
            let label = if is_last {
                (*label).to_owned()
            } else {
                format!("{label} /")
            };
            line(text, &label, if is_last { &cells } else { &[] });
        }
    }
}
