//! The explicit input of a launch: `reviewPromptTemplate`.

use vestry_policies::prompt::is_blank;

/// Why an input is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the input `{0}` begins with `@`, and what follows is no path in the worktree; write `@relative/path.md`, without `..`, or `@@` for a text that begins with `@`"
)]
pub struct InputError(String);

/// What an input says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// A text.
    Inline(String),
    /// A file of the worktree, by its path in it.
    Path(String),
}

impl Input {
    /// Reads an input: `@path` names a file, and `@@` at the beginning is a text with one `@`. What is blank is none.
    ///
    /// # Errors
    /// When what follows `@` is no relative path.
    pub fn read(text: &str) -> Result<Option<Self>, InputError> {
        if is_blank(text) {
            return Ok(None);
        }
        let Some(rest) = text.strip_prefix('@') else {
            return Ok(Some(Self::Inline(text.to_owned())));
        };
        if rest.starts_with('@') {
            return Ok(Some(Self::Inline(rest.to_owned())));
        }
        let path = rest.trim_end_matches([' ', '\t', '\r', '\n']);
        let mut segments = path;
        while let Some(rest) = segments.strip_prefix("./") {
            segments = rest;
        }
        // What `..` leads to depends on links, and on whether what is before it is there.
        let is_path = !path.starts_with('~')
            && !path.chars().any(|c| c.is_control() || c == '\\')
            && segments
                .split('/')
                .all(|segment| !matches!(segment, "" | "." | ".."));
        if is_path {
            Ok(Some(Self::Path(path.to_owned())))
        } else {
            let begin: String = text.chars().take(40).collect();
            Err(InputError(begin.escape_debug().to_string()))
        }
    }

    /// How a text is written as an input, so that it is read as that text again.
    #[must_use]
    pub fn written(text: &str) -> String {
        if text.starts_with('@') {
            format!("@{text}")
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Issue 8, A.1 and A.4.
    #[test]
    fn an_input_is_a_text_or_a_path() {
        let inline = |text: &str| Ok(Some(Input::Inline(text.to_owned())));
        let path = |text: &str| Ok(Some(Input::Path(text.to_owned())));
        assert_eq!(Input::read("Review {{a}}\n"), inline("Review {{a}}\n"));
        assert_eq!(Input::read("@prompts/a b.md"), path("prompts/a b.md"));
        assert_eq!(Input::read("@x.md\n"), path("x.md"));
        assert_eq!(Input::read("@@sam, review"), inline("@sam, review"));
        assert_eq!(Input::read("@@@"), inline("@@"));
        for blank in ["", " \n"] {
            assert_eq!(Input::read(blank), Ok(None));
        }
        assert_eq!(Input::read("@././x.md"), path("././x.md"));
        for text in [
            "@",
            "@ ",
            "@/etc/passwd",
            "@~/x",
            "@a\nb",
            "@a\\b",
            "@a\0",
            "@..",
            "@../x",
            "@a/../x",
            "@x/..",
            "@.",
            "@./",
            "@x/.",
            "@a/./x",
            "@a//x",
            "@x/",
            "@.//x",
        ] {
            assert!(Input::read(text).is_err(), "{text:?}");
        }
        for text in ["@", "@x", "@@x", "x", "x@"] {
            assert_eq!(Input::read(&Input::written(text)), inline(text), "{text}");
        }
    }
}
