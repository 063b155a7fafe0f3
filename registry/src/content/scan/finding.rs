//! What is reported.

use std::sync::Arc;

use serde::Serialize;
pub use vestry_policies::Severity;

/// The most findings that are reported of one skill; the others are counted.
pub const MAX_FINDINGS: usize = 100;

/// Something to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The id of the rule.
    pub rule: Arc<str>,
    /// How much it matters.
    pub severity: Severity,
    /// The line, from 1, of the file, or of the SKILL.md.
    pub line: usize,
    /// The path of the bundled file; none for the SKILL.md.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Arc<str>>,
    /// What is there: at most 160 characters, with secrets masked and what does not show escaped.
    pub excerpt: String,
    /// What it means, as a sentence or two.
    pub message: String,
}

/// What a scan found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// At most [`MAX_FINDINGS`], the most severe of all; in the order of files and lines, the SKILL.md first.
    pub items: Vec<Finding>,
    /// How many more there are.
    pub omitted: usize,
}

impl Findings {
    /// The highest severity; none where nothing was found. What is omitted is never more severe.
    #[must_use]
    pub fn max_severity(&self) -> Option<Severity> {
        self.items.iter().map(|finding| finding.severity).max()
    }

    /// Keeps the most severe ones, and brings them into order.
    pub(super) fn settle(mut items: Vec<Finding>, mut omitted: usize) -> Self {
        if items.len() > MAX_FINDINGS {
            // Stable: among equals the earlier ones are kept.
            items.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
            omitted = omitted.saturating_add(items.len().saturating_sub(MAX_FINDINGS));
            items.truncate(MAX_FINDINGS);
        }
        items.sort_by(|a, b| {
            (&a.file, a.line, &a.rule, &a.excerpt).cmp(&(&b.file, b.line, &b.rule, &b.excerpt))
        });
        Self { items, omitted }
    }
}
