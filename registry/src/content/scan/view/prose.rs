//! The view for prose.

use super::View;
use crate::content::scan::fold::{Folded, Folder};

impl View {
    /// The view for prose: words in lower case with one space between them, and nothing else.
    ///
    /// Punctuation and marks inside a word are left out, letters that stand apart one by one are put together, digits
    /// that stand for letters inside a word are those letters.
    pub(in crate::content::scan) fn prose(text: &str, folder: &mut Folder) -> Self {
        let mut view = Self::with_capacity(text.len());
        let mut words = Words::default();
        let mut characters = text.char_indices();
        while let Some((at, character)) = characters.next() {
            if character.is_ascii_alphanumeric() {
                words.letter(&mut view, at, character.to_ascii_lowercase());
            } else if character.is_ascii() {
                if let Some(length) = short_tag(text, at) {
                    // A tag that only styles does not part a word.
                    while characters.offset() < at.saturating_add(length) {
                        if characters.next().is_none() {
                            break;
                        }
                    }
                    continue;
                }
                words.sign(&mut view, character);
            } else {
                match folder.fold(character) {
                    Folded::Letters(letters) => words.letters(&mut view, at, letters),
                    Folded::Other if character == '’' => words.sign(&mut view, '\''),
                    Folded::Other => words.sign(&mut view, ' '),
                    Folded::Nothing => {}
                }
            }
        }
        words.end(&mut view);
        view
    }
}

/// The length of a tag without attributes, of one to ten letters, that begins here.
fn short_tag(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes().get(at..)?;
    if bytes.first() != Some(&b'<') {
        return None;
    }
    let name = bytes.iter().skip(1).take(13);
    let mut length: usize = 1;
    let mut letters: usize = 0;
    for byte in name {
        length = length.saturating_add(1);
        match byte {
            b'>' => return (letters > 0).then_some(length),
            b'/' => {}
            byte if byte.is_ascii_alphanumeric() => letters = letters.saturating_add(1),
            _ => return None,
        }
    }
    None
}

/// Words on their way into the view for prose.
#[derive(Debug, Default)]
struct Words {
    word: String,
    /// Where the word began.
    start: usize,
    /// How many letters it has, apart from signs that were left out.
    length: usize,
    has_letter: bool,
    has_digit: bool,
    /// How many signs that may stand inside a word were there since its last letter.
    pending: usize,
    /// A sign that stands for a letter where letters are on both sides.
    stands_for: Option<char>,
    /// Whether the word before was one letter.
    was_single: bool,
    /// The last character of the word before.
    last: Option<char>,
}

/// The most signs inside a word.
const SIGNS: usize = 3;

impl Words {
    fn letter(&mut self, view: &mut View, at: usize, letter: char) {
        self.join(at);
        self.has_letter |= letter.is_alphabetic();
        self.has_digit |= letter.is_ascii_digit();
        self.word.push(letter);
        self.length = self.length.saturating_add(1);
        self.bound(view);
    }

    fn letters(&mut self, view: &mut View, at: usize, letters: &str) {
        self.join(at);
        self.has_letter = true;
        self.word.push_str(letters);
        self.length = self.length.saturating_add(1);
        self.bound(view);
    }

    /// Goes on after signs inside the word.
    fn join(&mut self, at: usize) {
        if self.word.is_empty() {
            self.start = at;
        } else if let Some(letter) = self.stands_for
            && self.pending == 1
        {
            self.word.push(letter);
        }
        self.pending = 0;
        self.stands_for = None;
    }

    /// Words have no end in some scripts, and in what is no text.
    fn bound(&mut self, view: &mut View) {
        if self.word.len() >= 64 {
            self.flush(view, false);
        }
    }

    fn sign(&mut self, view: &mut View, sign: char) {
        let is_inside = matches!(
            sign,
            '-' | '_'
                | '.'
                | '*'
                | '\''
                | '`'
                | '~'
                | '"'
                | '^'
                | '@'
                | '$'
                | '!'
                | '|'
                | '+'
                | '\\'
        );
        if !is_inside || self.word.is_empty() || self.pending >= SIGNS {
            self.end(view);
            return;
        }
        self.pending = self.pending.saturating_add(1);
        self.stands_for = match sign {
            '@' => Some('a'),
            '$' => Some('s'),
            '!' | '|' => Some('i'),
            '+' => Some('t'),
            _ => None,
        };
    }

    fn end(&mut self, view: &mut View) {
        self.pending = 0;
        self.stands_for = None;
        if !self.word.is_empty() {
            self.flush(view, true);
        }
    }

    fn flush(&mut self, view: &mut View, is_whole: bool) {
        if self.has_letter && self.has_digit {
            self.word = without_digits(&self.word);
        }
        let first = self.word.chars().next();
        let is_single = self.length == 1 && first.is_some_and(char::is_alphabetic);
        let is_joined = (is_single && self.was_single) || without_spaces(self.last, first);
        view.mark(self.start);
        if !is_joined && !view.bytes.is_empty() && self.last.is_some() {
            view.bytes.push(b' ');
        }
        view.bytes.extend_from_slice(self.word.as_bytes());
        // After a part of a word that was too long there is no space.
        self.last = self.word.chars().next_back().filter(|_| is_whole);
        self.was_single = is_single;
        self.word.clear();
        self.length = 0;
        self.has_letter = false;
        self.has_digit = false;
    }
}

/// Scripts that write no spaces: one between their characters is there to part what is compared.
fn without_spaces(before: Option<char>, after: Option<char>) -> bool {
    let is_dense = |character: char| matches!(character, '\u{e00}'..='\u{eff}' | '\u{2e80}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}');
    before.is_some_and(is_dense) && after.is_some_and(is_dense)
}

/// Digits that stand for letters.
fn without_digits(word: &str) -> String {
    word.chars()
        .map(|character| match character {
            '0' => 'o',
            '1' => 'i',
            '3' => 'e',
            '4' => 'a',
            '5' => 's',
            '7' => 't',
            other => other,
        })
        .collect()
}
