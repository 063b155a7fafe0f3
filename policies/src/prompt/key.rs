//! The key of a template: the name of its file in `.conductor`, and of the default that comes with Vestry.

use std::fmt;

/// The most bytes of a key.
const MAX: usize = 128;
/// What a key's file ends with.
const EXTENSION: &str = ".md";

/// Why a text has no key in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a template key is 1 to {MAX} of A-Z a-z 0-9 . _ - and neither `.` nor `..`, as `review` for .conductor/review.md"
)]
pub struct KeyError;

/// A key: the base name of a file, and never a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TemplateKey(String);

impl TemplateKey {
    /// The base name that a text ends with: `../../review.md` is the key `review`.
    ///
    /// # Errors
    /// When its base name is none.
    pub fn sanitise(text: &str) -> Result<Self, KeyError> {
        let base = text.rsplit(['/', '\\']).next().unwrap_or_default();
        let name = base.strip_suffix(EXTENSION).unwrap_or(base);
        let is_name = !name.is_empty()
            && name.len() <= MAX
            && name != "."
            && name != ".."
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'));
        if is_name {
            Ok(Self(name.to_owned()))
        } else {
            Err(KeyError)
        }
    }

    /// The word.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of its file: `review.md`.
    #[must_use]
    pub fn file(&self) -> String {
        format!("{}{EXTENSION}", self.0)
    }
}

impl fmt::Display for TemplateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_base_name() {
        for (text, key) in [
            ("review", "review"),
            ("review.md", "review"),
            ("code_review-2.1", "code_review-2.1"),
            ("../../etc/passwd", "passwd"),
            ("/etc/passwd", "passwd"),
            ("..\\..\\review.md", "review"),
            ("a/b\\c", "c"),
            (".hidden", ".hidden"),
        ] {
            assert_eq!(TemplateKey::sanitise(text).unwrap().as_str(), key);
        }
        assert_eq!(TemplateKey::sanitise("review").unwrap().file(), "review.md");
    }

    #[test]
    fn what_has_no_base_name_is_refused() {
        let long = "x".repeat(MAX + 1);
        for text in [
            "", "/", "a/", "..", "../..", ".", ".md", "..md", "a/..", "a\0b", "a b", "a\n", "é",
            &long,
        ] {
            // `..md` would be the file `..md`, of the key `.`.
            assert_eq!(TemplateKey::sanitise(text), Err(KeyError), "{text:?}");
        }
    }
}
