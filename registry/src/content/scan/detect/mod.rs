//! What is found by code, because no pattern says it. Each detector has a rule in the data, with its severity and message.

pub(super) mod encoded;
pub(super) mod entropy;
pub(super) mod files;
pub(super) mod hidden;
pub(super) mod layout;
pub(super) mod tools;
pub(super) mod urls;

use std::ops::Range;

use serde_json::{Map, Value};

/// A detector; its id is that of its rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detector {
    /// A token that looks random.
    HighEntropy,
    /// Encoded text.
    EncodedText,
    /// A long encoded block of nobody knows what.
    EncodedBlob,
    /// An encoded program.
    EncodedExecutable,
    /// A comment.
    HtmlComment,
    /// Text behind white space.
    PushedOutOfSight,
    /// Characters that do not show.
    InvisibleCharacters,
    /// A file that is no text.
    BinaryFile,
    /// A file that is a program.
    ExecutableFile,
    /// All tools, or all commands.
    ToolsAny,
    /// Tools that run others.
    ToolsDangerous,
    /// More tools than before.
    ToolsWidened,
    /// Another host.
    ExternalUrl,
    /// A host by its number.
    IpAddressUrl,
    /// An address that leads elsewhere than it seems.
    DisguisedUrl,
}

impl Detector {
    /// All of them.
    pub(super) const ALL: [Self; 15] = [
        Self::HighEntropy,
        Self::EncodedText,
        Self::EncodedBlob,
        Self::EncodedExecutable,
        Self::HtmlComment,
        Self::PushedOutOfSight,
        Self::InvisibleCharacters,
        Self::BinaryFile,
        Self::ExecutableFile,
        Self::ToolsAny,
        Self::ToolsDangerous,
        Self::ToolsWidened,
        Self::ExternalUrl,
        Self::IpAddressUrl,
        Self::DisguisedUrl,
    ];

    /// The id of its rule.
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::HighEntropy => "high-entropy",
            Self::EncodedText => "encoded-text",
            Self::EncodedBlob => "encoded-blob",
            Self::EncodedExecutable => "encoded-executable",
            Self::HtmlComment => "html-comment",
            Self::PushedOutOfSight => "pushed-out-of-sight",
            Self::InvisibleCharacters => "invisible-characters",
            Self::BinaryFile => "binary-file",
            Self::ExecutableFile => "executable-file",
            Self::ToolsAny => "tools-any",
            Self::ToolsDangerous => "tools-dangerous",
            Self::ToolsWidened => "tools-widened",
            Self::ExternalUrl => "external-url",
            Self::IpAddressUrl => "ip-address-url",
            Self::DisguisedUrl => "disguised-url",
        }
    }

    /// The detector of a rule.
    pub(super) fn named(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|detector| detector.id() == id)
    }
}

/// What a detector has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) detector: Detector,
    pub(super) place: Range<usize>,
    /// What is said of it beyond the rule's message.
    pub(super) more: Option<String>,
}

impl Found {
    pub(super) fn at(detector: Detector, place: Range<usize>) -> Self {
        Self {
            detector,
            place,
            more: None,
        }
    }
}

/// The texts of a frontmatter, with the key of the outermost map that each is under.
pub(super) fn texts<'a>(frontmatter: &'a Map<String, Value>, texts: &mut Vec<(&'a str, &'a str)>) {
    for (key, value) in frontmatter {
        below(key, value, texts);
    }
}

fn below<'a>(key: &'a str, value: &'a Value, texts: &mut Vec<(&'a str, &'a str)>) {
    match value {
        Value::String(text) => texts.push((key, text)),
        Value::Array(items) => items.iter().for_each(|item| below(key, item, texts)),
        Value::Object(fields) => {
            for (name, value) in fields {
                texts.push((key, name));
                below(key, value, texts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The part of a SKILL.md that its frontmatter is in.
pub(super) fn head(text: &str) -> &str {
    let end = text
        .get(3..)
        .and_then(|rest| rest.find("\n---"))
        .map_or(text.len(), |at| at.saturating_add(4));
    text.get(..end).unwrap_or(text)
}

/// The line on which a key of the frontmatter is written; the first where it cannot be seen.
pub(super) fn line_of_key(text: &str, key: &str) -> usize {
    text.lines()
        .position(|line| {
            line.trim_start_matches(['"', '\''])
                .strip_prefix(key)
                .is_some_and(|rest| rest.trim_start_matches(['"', '\'', ' ']).starts_with(':'))
        })
        .map_or(1, |index| index.saturating_add(1))
}
