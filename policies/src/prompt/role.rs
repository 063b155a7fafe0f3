//! The roles of a workflow: `review`, `plan`, `code`, `design`, `fix`, and others by name.

use std::fmt;

/// What the names of workflow inputs end with that carry a prompt template: `reviewPromptTemplate`.
const INPUT_SUFFIX: &str = "PromptTemplate";
/// What those end with that say where it came from: `reviewPromptTemplateSource`.
const SOURCE_SUFFIX: &str = "PromptTemplateSource";
/// The most bytes of a role.
const MAX: usize = 64;

/// Why a text is no role.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a role is 1 to {MAX} of A-Z a-z 0-9 _ - and begins with a letter, as `review`")]
pub struct RoleError;

/// A role of a workflow. The name of its input, `reviewPromptTemplate`, is another way to write it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PromptRole(String);

impl PromptRole {
    /// Parses `review` or `reviewPromptTemplate`.
    ///
    /// # Errors
    /// When it is neither.
    pub fn parse(text: &str) -> Result<Self, RoleError> {
        let name = text.strip_suffix(INPUT_SUFFIX).unwrap_or(text);
        let is_name = name.len() <= MAX
            && name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        if is_name {
            Ok(Self(name.to_owned()))
        } else {
            Err(RoleError)
        }
    }

    /// The word.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The workflow input that carries its template: `reviewPromptTemplate`.
    #[must_use]
    pub fn input(&self) -> String {
        format!("{}{INPUT_SUFFIX}", self.0)
    }

    /// The workflow input that says where that came from: `reviewPromptTemplateSource`.
    #[must_use]
    pub fn source_input(&self) -> String {
        format!("{}{SOURCE_SUFFIX}", self.0)
    }
}

impl fmt::Display for PromptRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_a_word_or_the_name_of_its_input() {
        for (text, role) in [
            ("review", "review"),
            ("reviewPromptTemplate", "review"),
            ("codeReview", "codeReview"),
            ("code-review", "code-review"),
            ("r2_d2", "r2_d2"),
        ] {
            assert_eq!(PromptRole::parse(text).unwrap().as_str(), role);
        }
        let role = PromptRole::parse("plan").unwrap();
        assert_eq!(role.input(), "planPromptTemplate");
        assert_eq!(role.source_input(), "planPromptTemplateSource");
    }

    #[test]
    fn anything_else_is_none() {
        let long = "x".repeat(MAX + 1);
        for text in [
            "",
            "PromptTemplate",
            "2nd",
            "a b",
            "a/b",
            "a.b",
            "é",
            "a\n",
            &long,
        ] {
            assert_eq!(PromptRole::parse(text), Err(RoleError), "{text:?}");
        }
    }
}
