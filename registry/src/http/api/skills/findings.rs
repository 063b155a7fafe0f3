//! What the scanner found in the content of a skill, as it is answered.

use schemars::JsonSchema;
use serde::Serialize;

use crate::content::scan;

/// Something that a reviewer should look at. It advises: nothing is refused or allowed because of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Finding {
    /// The id of the rule, such as `network-to-shell`.
    rule: String,
    /// `low`, `medium`, `high` or `critical`.
    severity: String,
    /// The line, from 1, of the file, or of the SKILL.md.
    line: usize,
    /// The path of the bundled file; left out for the SKILL.md.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// What is there: at most 160 characters, with secrets masked and what does not show escaped.
    excerpt: String,
    /// What it means.
    message: String,
}

/// The findings of a scan, and how many more there are.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub(in crate::http) struct Findings {
    /// What a reviewer should look at, at most 100, the most severe of all; left out when there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Finding>,
    /// How many more there are; left out when there are none.
    #[serde(skip_serializing_if = "is_zero")]
    findings_omitted: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl From<scan::Findings> for Findings {
    fn from(scan::Findings { items, omitted }: scan::Findings) -> Self {
        Self {
            findings: items.into_iter().map(Finding::from).collect(),
            findings_omitted: omitted,
        }
    }
}

impl From<scan::Finding> for Finding {
    fn from(
        scan::Finding {
            rule,
            severity,
            line,
            file,
            excerpt,
            message,
        }: scan::Finding,
    ) -> Self {
        Self {
            rule: rule.to_string(),
            severity: severity.to_string(),
            line,
            file: file.map(|file| file.to_string()),
            excerpt,
            message,
        }
    }
}
