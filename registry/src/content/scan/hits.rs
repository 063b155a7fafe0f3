//! What was hit in one text: a bounded list, and the number of the others.

use std::collections::HashMap;
use std::ops::Range;

/// The most places that are kept of one rule in one text; the others are counted.
const MOST_PER_RULE: usize = 5;

/// A place that a rule has hit.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    /// The rule, by its place in the list of rules.
    pub(super) rule: usize,
    /// Where in the text.
    pub(super) place: Range<usize>,
    /// What is said of it beyond the rule's message.
    pub(super) more: Option<String>,
}

/// The hits in one text.
#[derive(Debug, Default)]
pub(super) struct Hits {
    kept: Vec<Hit>,
    seen: HashMap<usize, Seen>,
    omitted: usize,
}

#[derive(Debug, Default)]
struct Seen {
    kept: usize,
    last_line: usize,
}

impl Hits {
    /// Adds a hit on a line. A second one of the same rule on the same line is the same finding.
    pub(super) fn add(
        &mut self,
        rule: usize,
        line: usize,
        place: Range<usize>,
        more: Option<String>,
    ) {
        let seen = self.seen.entry(rule).or_default();
        if seen.last_line == line {
            return;
        }
        seen.last_line = line;
        if seen.kept >= MOST_PER_RULE {
            self.omitted = self.omitted.saturating_add(1);
            return;
        }
        seen.kept = seen.kept.saturating_add(1);
        self.kept.push(Hit { rule, place, more });
    }

    /// The hits that were kept, and how many were not.
    pub(super) fn into_parts(self) -> (Vec<Hit>, usize) {
        (self.kept, self.omitted)
    }
}
