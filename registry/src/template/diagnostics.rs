//! What is wrong with a template, as data and as text with the place underlined.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use super::span::{Lines, Span};

/// Whether a template can be saved all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "DiagnosticSeverity")]
pub enum Severity {
    /// It cannot.
    Error,
    /// It can, but it may not do what its author means.
    Warning,
}

/// One thing that is wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Diagnostic {
    /// A stable word for the kind, such as `unknown-field`.
    pub code: &'static str,
    /// Whether it refuses the template.
    pub severity: Severity,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// Bytes of the source.
    pub span: Span,
    /// The situations in which it is so; empty when it is so in all.
    pub situations: Vec<String>,
    /// One sentence.
    pub message: String,
    /// What to write instead, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// All that is wrong, in the order of the source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Diagnostics(Vec<Diagnostic>);

/// Diagnostics beyond this many are counted but not described.
pub const MOST: usize = 100;

impl Diagnostics {
    pub(super) fn new(source: &str, findings: Vec<Finding>) -> Diagnostics {
        let lines = Lines::of(source);
        let mut all: Vec<Diagnostic> = findings
            .into_iter()
            .map(|finding| finding.within(source).placed(&lines))
            .collect();
        all.sort_by(|a, b| {
            (a.span.start, a.span.end, a.severity, a.code, &a.message).cmp(&(
                b.span.start,
                b.span.end,
                b.severity,
                b.code,
                &b.message,
            ))
        });
        all.dedup();
        if all.len() > MOST {
            let more = all.len() - MOST;
            all.truncate(MOST);
            if let Some(last) = all.last_mut() {
                last.message =
                    format!("{} (and {more} more findings after this one)", last.message);
            }
        }
        Diagnostics(all)
    }

    /// Whether nothing is wrong.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }

    /// As text for a terminal: each with its line and the span underlined.
    #[must_use]
    pub fn text(&self, source: &str) -> String {
        let lines = Lines::of(source);
        let mut out = String::new();
        for diagnostic in &self.0 {
            diagnostic.write(&lines, &mut out);
        }
        out
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Diagnostic {
    fn write(&self, lines: &Lines<'_>, out: &mut String) {
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let (line, start) = lines.line(self.span.start);
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let before = self.span.start.saturating_sub(start);
        let under = self.span.end.min(start + line.len()).saturating_sub(start);
        let lead: String = line
            .get(..before)
            .unwrap_or(line)
            .chars()
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        let carets = "^".repeat(
            line.get(before..under)
                .map_or(1, |marked| marked.chars().count())
                .max(1),
        );
        // Writing into a text cannot fail.
        let _ = writeln!(out, "{word}[{}]: {}", self.code, self.message);
        let _ = writeln!(out, "{margin}--> {}:{}", self.line, self.column);
        let _ = writeln!(out, "{number} | {line}");
        let _ = writeln!(out, "{margin} | {lead}{carets}");
        if let Some(suggestion) = &self.suggestion {
            let _ = writeln!(out, "{margin} = help: {suggestion}");
        }
        out.push('\n');
    }
}

/// A diagnostic before its line and column are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) code: &'static str,
    pub(super) severity: Severity,
    pub(super) span: Span,
    pub(super) situations: Vec<String>,
    pub(super) message: String,
    pub(super) suggestion: Option<String>,
}

impl Finding {
    pub(super) fn error(code: &'static str, span: Span, message: impl Into<String>) -> Finding {
        Finding {
            code,
            severity: Severity::Error,
            span,
            situations: Vec::new(),
            message: message.into(),
            suggestion: None,
        }
    }

    pub(super) fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Finding {
        Finding {
            severity: Severity::Warning,
            ..Finding::error(code, span, message)
        }
    }

    pub(super) fn suggest(mut self, suggestion: impl Into<String>) -> Finding {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// With its span at character boundaries of the source, whatever it was.
    fn within(mut self, source: &str) -> Finding {
        let start = source.floor_char_boundary(self.span.start);
        self.span = start..source.ceil_char_boundary(self.span.end).max(start);
        self
    }

    fn placed(self, lines: &Lines<'_>) -> Diagnostic {
        let at = lines.position(self.span.start);
        Diagnostic {
            code: self.code,
            severity: self.severity,
            line: at.line,
            column: at.column,
            span: self.span,
            situations: self.situations,
            message: self.message,
            suggestion: self.suggestion,
        }
    }
}
