//! The text that a run begins with: what a role is told, and then what is ambient.

use crate::item::{ItemName, Kind};
use crate::scope::Scope;

/// A part of an opening, wrapped as [`wrap_item`](super::wrap_item) does.
#[derive(Debug, Clone, Copy)]
pub struct OpeningPart<'a> {
    /// What it is.
    pub item: &'a ItemName,
    /// Where it lives.
    pub scope: &'a Scope,
    /// Its text, wrapped.
    pub block: &'a str,
}

/// The heading of a part; the instruction of a role has none.
#[must_use]
pub fn heading(item: &ItemName, scope: &Scope) -> Option<String> {
    match item.kind() {
        Kind::Skill => Some(format!("## {} [{scope}]", item.name())),
        Kind::RoleInstruction | Kind::Prompt => None,
    }
}

/// The parts one after the other, each under its heading, with a blank line between; empty when there are none.
#[must_use]
pub fn render_opening(parts: &[OpeningPart<'_>]) -> String {
    let mut out = String::new();
    for part in parts {
        if !out.is_empty() {
            out.push_str("\n\n");
        }
        if let Some(heading) = heading(part.item, part.scope) {
            out.push_str(&heading);
            out.push_str("\n\n");
        }
        out.push_str(part.block);
    }
    out
}
