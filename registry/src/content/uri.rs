//! `skill://<scope kind>/<name>/<path>`: what a skill and its files are called in MCP, and in the nodes of a conversation.
//!
//! A thing has one URI: a spelling that is not the one that is listed names nothing.

use std::fmt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use vestry_policies::{Scope, SkillName};

const SCHEME: &str = "skill://";
const KINDS: [&str; 3] = ["actor", "tenant", "global"];
/// The file that a skill begins with.
pub(crate) const SKILL_MD: &str = "SKILL.md";
/// What stays as it is in a segment of a path (`unreserved`, RFC 3986 §2.3).
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// What a URI names below a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SkillUri {
    /// `actor`, `tenant` or `global`.
    pub(crate) kind: &'static str,
    /// The skill, when it names more than the scope.
    pub(crate) name: Option<SkillName>,
    /// The path below the skill, decoded; empty for the skill itself.
    pub(crate) path: String,
}

impl SkillUri {
    /// The skill itself, as a directory.
    pub(crate) fn skill(scope: &Scope, name: &SkillName) -> Self {
        Self {
            kind: kind_of(scope),
            name: Some(name.clone()),
            path: String::new(),
        }
    }

    /// A file or a directory below it.
    pub(crate) fn below(&self, path: &str) -> Self {
        Self {
            path: path.to_owned(),
            ..self.clone()
        }
    }

    /// Its SKILL.md.
    pub(crate) fn skill_md(&self) -> Self {
        self.below(SKILL_MD)
    }

    /// Reads a URI; none when it is not spelled as this server spells it.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix(SCHEME)?.splitn(3, '/');
        let kind = parts.next()?;
        let read = Self {
            kind: KINDS.into_iter().find(|known| *known == kind)?,
            name: match parts.next() {
                Some(name) => Some(SkillName::parse(name).ok()?),
                None => None,
            },
            path: match parts.next() {
                Some(path) => percent_decode_str(path).decode_utf8().ok()?.into_owned(),
                None => String::new(),
            },
        };
        let is_whole =
            read.path.is_empty() || read.path.split('/').all(|segment| !segment.is_empty());
        (is_whole && read.to_string() == text).then_some(read)
    }
}

impl fmt::Display for SkillUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}", self.kind)?;
        let Some(name) = &self.name else {
            return Ok(());
        };
        write!(f, "/{name}")?;
        if self.path.is_empty() {
            return Ok(());
        }
        for segment in self.path.split('/') {
            write!(f, "/{}", utf8_percent_encode(segment, SEGMENT))?;
        }
        Ok(())
    }
}

/// The kind of a scope, as URIs have it.
pub(crate) fn kind_of(scope: &Scope) -> &'static str {
    match scope {
        Scope::Actor { .. } => "actor",
        Scope::Tenant(_) => "tenant",
        Scope::Global => "global",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_uri_has_one_spelling() {
        for text in [
            "skill://tenant",
            "skill://actor/refunds",
            "skill://global/refunds/SKILL.md",
            "skill://tenant/refunds/references/a%20b.md",
            "skill://tenant/refunds/%C3%A9/x~y_z-1.txt",
        ] {
            let read = SkillUri::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(read.to_string(), text);
        }
        for text in [
            "",
            "skill://",
            "skill://tenant/",
            "skill://nobody/refunds",
            "skill://tenant/Refunds/SKILL.md",
            "skill://tenant/refunds/",
            "skill://tenant/refunds//SKILL.md/",
            "skill://tenant/refunds/%53KILL.md",
            "skill://tenant/refunds/a b.md",
            "skill://tenant/refunds/%c3%a9",
            "skill://tenant/refunds/%ff",
            "skill://tenant/refunds/a%2Fb",
            "skill://tenant/refunds/SKILL.md?x",
            "skill://tenant/refunds/SKILL.md#x",
            "SKILL://tenant/refunds/SKILL.md",
            "https://tenant/refunds/SKILL.md",
        ] {
            assert_eq!(SkillUri::parse(text), None, "{text}");
        }
    }
}
