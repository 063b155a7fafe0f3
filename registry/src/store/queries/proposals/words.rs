//! What changed between two texts, word by word.

use std::time::Duration;

use similar::{ChangeTag, TextDiff};

use crate::store::Store;
use crate::store::body::Body;
use crate::store::error::StoreResult;

/// How long texts are compared before the rest counts as replaced.
const PATIENCE: Duration = Duration::from_millis(500);
/// How much of what is alike is shown on each side of a change, in characters.
const AROUND: usize = 120;

/// What became of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// It is in both.
    Same,
    /// It is in the earlier one only.
    Removed,
    /// It is in the later one only.
    Added,
    /// Text that is in both was left out here.
    LeftOut,
}

/// Pieces of text, in their order.
pub type Words = Vec<(Word, String)>;

impl Store {
    /// The difference of two SKILL.md, word by word. It takes a processor, and no connection.
    ///
    /// # Errors
    /// When the work could not be done.
    pub async fn word_diff(&self, (before, after): (Body, Body)) -> StoreResult<Words> {
        self.compare(move || words(before.skill_md(), after.skill_md()))
            .await
    }
}

fn words(before: &str, after: &str) -> Words {
    let mut pieces: Words = Vec::new();
    let diff = TextDiff::configure()
        .timeout(PATIENCE)
        .diff_words(before, after);
    for change in diff.iter_all_changes() {
        let word = match change.tag() {
            ChangeTag::Equal => Word::Same,
            ChangeTag::Delete => Word::Removed,
            ChangeTag::Insert => Word::Added,
        };
        match pieces.last_mut() {
            Some((last, text)) if *last == word => text.push_str(change.value()),
            _ => pieces.push((word, change.value().to_owned())),
        }
    }
    shortened(pieces)
}

/// Leaves out the middle of long pieces that are alike: a reviewer looks for what is not.
fn shortened(pieces: Words) -> Words {
    let last = pieces.len().saturating_sub(1);
    let mut shown = Vec::with_capacity(pieces.len());
    for (at, (word, text)) in pieces.into_iter().enumerate() {
        if word != Word::Same {
            shown.push((word, text));
            continue;
        }
        let keep = |wanted: bool| if wanted { AROUND } else { 0 };
        let (head, tail) = (keep(at != 0), keep(at != last));
        if text.chars().count() <= head.saturating_add(tail) {
            shown.push((word, text));
            continue;
        }
        let start: String = text.chars().take(head).collect();
        let mut end: Vec<char> = text.chars().rev().take(tail).collect();
        end.reverse();
        if !start.is_empty() {
            shown.push((Word::Same, start));
        }
        shown.push((Word::LeftOut, String::new()));
        if !end.is_empty() {
            shown.push((Word::Same, end.into_iter().collect()));
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(pieces: &Words, leave: Word) -> String {
        pieces
            .iter()
            .filter(|(word, _)| *word != leave)
            .map(|(_, text)| text.as_str())
            .collect()
    }

    #[test]
    fn the_pieces_are_the_two_texts() {
        let (before, after) = ("refund within 30 days\n", "refund within 14 days\n");
        let pieces = words(before, after);
        assert_eq!(joined(&pieces, Word::Added), before);
        assert_eq!(joined(&pieces, Word::Removed), after);
        assert!(
            pieces.contains(&(Word::Removed, "30".to_owned())),
            "{pieces:?}"
        );
        assert!(
            pieces.contains(&(Word::Added, "14".to_owned())),
            "{pieces:?}"
        );
    }

    #[test]
    fn long_pieces_that_are_alike_are_cut_and_nothing_else() {
        let long = "word ".repeat(500);
        let pieces = words(&format!("{long}a {long}"), &format!("{long}b {long}"));
        let kinds: Vec<Word> = pieces.iter().map(|(word, _)| *word).collect();
        assert_eq!(
            kinds,
            [
                Word::LeftOut,
                Word::Same,
                Word::Removed,
                Word::Added,
                Word::Same,
                Word::LeftOut
            ]
        );
        let shown: usize = pieces.iter().map(|(_, text)| text.chars().count()).sum();
        assert_eq!(shown, 2 * AROUND + 2);
        let same = words("x\n", "x\n");
        assert_eq!(same, [(Word::LeftOut, String::new())]);
    }
}
