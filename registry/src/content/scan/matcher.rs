//! All patterns that are compared with one reading of a text.
//!
//! Most patterns are met by nothing in most texts. So one pass looks for the literals that matches begin and end with, and
//! a pattern is compared only where one of each of its lists is there. Nothing is missed by that: the literals are taken
//! from the patterns themselves, and a pattern that has none is always compared.

use std::collections::BTreeMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use regex::bytes::Regex;
use regex_syntax::hir::Hir;
use regex_syntax::hir::literal::{ExtractKind, Extractor};

/// The most literals of a list; a pattern with more has none.
const MOST_LITERALS: usize = 128;
/// The most bytes of a literal that are looked for.
const LONGEST_LITERAL: usize = 16;
/// Shorter literals are everywhere.
const SHORTEST_LITERAL: usize = 3;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) regex: Regex,
    /// Lists of literals: of each one must be in a text that the pattern matches.
    needs: Vec<Vec<Vec<u8>>>,
}

impl Pattern {
    pub(super) fn new(regex: Regex, hir: &Hir) -> Self {
        let needs = [ExtractKind::Prefix, ExtractKind::Suffix]
            .into_iter()
            .filter_map(|kind| literals(hir, kind))
            .collect();
        Self { regex, needs }
    }
}

/// The literals of which one begins, or ends, each match.
fn literals(hir: &Hir, kind: ExtractKind) -> Option<Vec<Vec<u8>>> {
    let is_prefix = matches!(kind, ExtractKind::Prefix);
    let mut extractor = Extractor::new();
    extractor.kind(kind).limit_total(MOST_LITERALS);
    let mut found = extractor.extract(hir);
    if is_prefix {
        found.keep_first_bytes(LONGEST_LITERAL);
    } else {
        found.keep_last_bytes(LONGEST_LITERAL);
    }
    let list: Vec<Vec<u8>> = found
        .literals()?
        .iter()
        .map(|literal| literal.as_bytes().to_vec())
        .collect();
    let is_of_use =
        !list.is_empty() && list.iter().all(|literal| literal.len() >= SHORTEST_LITERAL);
    is_of_use.then_some(list)
}

/// The patterns of a rule.
#[derive(Debug)]
struct Entry {
    rule: usize,
    patterns: Vec<(Regex, Vec<Vec<usize>>)>,
}

/// The patterns of the rules for one reading, and what looks for their literals.
#[derive(Debug, Default)]
pub(super) struct Matcher {
    entries: Vec<Entry>,
    literals: BTreeMap<Vec<u8>, usize>,
    automaton: Option<AhoCorasick>,
}

impl Matcher {
    /// Adds the patterns of a rule.
    pub(super) fn add(&mut self, rule: usize, patterns: Vec<Pattern>) {
        let literals = &mut self.literals;
        let mut id = |literal: Vec<u8>| {
            let next = literals.len();
            *literals.entry(literal).or_insert(next)
        };
        let patterns = patterns
            .into_iter()
            .map(|Pattern { regex, needs }| {
                let needs = needs
                    .into_iter()
                    .map(|list| list.into_iter().map(&mut id).collect())
                    .collect();
                (regex, needs)
            })
            .collect();
        self.entries.push(Entry { rule, patterns });
    }

    /// Compiles the literals, when all patterns are there.
    ///
    /// # Errors
    /// What is wrong, as a sentence.
    pub(super) fn finish(&mut self) -> Result<(), String> {
        let mut literals: Vec<(&Vec<u8>, &usize)> = self.literals.iter().collect();
        literals.sort_by_key(|(_, id)| **id);
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .build(literals.into_iter().map(|(literal, _)| literal))
            .map_err(|error| format!("the literals of the rules cannot be compiled: {error}"))?;
        self.automaton = Some(automaton);
        Ok(())
    }

    /// Finds the matches of each rule, in order; of a pattern that has a group, the group. `work` counts the bytes that
    /// were compared.
    pub(super) fn find(
        &self,
        bytes: &[u8],
        work: &mut u64,
        mut then: impl FnMut(usize, Vec<Range<usize>>),
    ) {
        let seen = self.seen(bytes, work);
        let is_there = |list: &Vec<usize>| {
            list.iter()
                .any(|id| seen.get(*id).copied().unwrap_or_default())
        };
        for Entry { rule, patterns } in &self.entries {
            let mut found = Vec::new();
            for (regex, needs) in patterns {
                if needs.iter().all(is_there) {
                    each(regex, bytes, work, &mut found);
                }
            }
            if !found.is_empty() {
                found.sort_by_key(|place| (place.start, place.end));
                then(*rule, found);
            }
        }
    }

    /// Which literals are in a text.
    fn seen(&self, bytes: &[u8], work: &mut u64) -> Vec<bool> {
        let mut seen = vec![false; self.literals.len()];
        let Some(automaton) = &self.automaton else {
            return seen;
        };
        *work = work.saturating_add(bytes.len() as u64);
        for found in automaton.find_overlapping_iter(bytes) {
            if let Some(seen) = seen.get_mut(found.pattern().as_usize()) {
                *seen = true;
            }
        }
        seen
    }
}

/// Every match of a pattern. Matches are bounded, so that this is linear.
fn each(regex: &Regex, bytes: &[u8], work: &mut u64, found: &mut Vec<Range<usize>>) {
    let has_group = regex.captures_len() > 1;
    let mut from: usize = 0;
    while let Some(whole) = regex.find_at(bytes, from) {
        *work = work.saturating_add(whole.end().saturating_sub(from) as u64);
        let group = if has_group {
            regex
                .captures_at(bytes, whole.start())
                .and_then(|captures| captures.get(1).map(|group| group.range()))
        } else {
            None
        };
        found.push(group.unwrap_or_else(|| whole.range()));
        from = whole.end().max(from.saturating_add(1));
    }
    *work = work.saturating_add(bytes.len().saturating_sub(from) as u64);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matcher(patterns: &[&str]) -> Matcher {
        let mut matcher = Matcher::default();
        for (rule, pattern) in patterns.iter().enumerate() {
            let hir = regex_syntax::ParserBuilder::new()
                .unicode(false)
                .utf8(false)
                .build()
                .parse(pattern)
                .unwrap();
            let regex = regex::bytes::RegexBuilder::new(pattern)
                .unicode(false)
                .build()
                .unwrap();
            matcher.add(rule, vec![Pattern::new(regex, &hir)]);
        }
        matcher.finish().unwrap();
        matcher
    }

    fn found(patterns: &[&str], text: &str) -> Vec<(usize, usize, usize)> {
        let mut all = Vec::new();
        matcher(patterns).find(text.as_bytes(), &mut 0, |rule, places| {
            all.extend(
                places
                    .into_iter()
                    .map(|place| (rule, place.start, place.end)),
            );
        });
        all
    }

    #[test]
    fn literals_leave_nothing_out() {
        let patterns = [
            "(?:curl|wget) [^\\n]{0,40}\\| ?(?:ba)?sh",
            "[a-z]{3,9}:secret",
            "(?i)TOKEN=(?P<secret>[a-z]{4,9})",
            "[0-9]{4,6}",
        ];
        assert_eq!(
            found(&patterns, "curl x | sh; abc:secret; token=abcd 1234 12345"),
            [
                (0, 0, 11),
                (1, 13, 23),
                (2, 31, 35),
                (3, 36, 40),
                (3, 41, 46)
            ]
        );
        assert_eq!(found(&patterns, "curl it; fish | ash; ab:secre"), []);
    }

    #[test]
    fn what_is_not_there_is_not_compared() {
        let matcher = matcher(&["curl [^\\n]{0,40}bash"]);
        let mut work = 0;
        matcher.find(b"curl and nothing else", &mut work, |_, _| {});
        assert_eq!(work, 21);
    }
}
