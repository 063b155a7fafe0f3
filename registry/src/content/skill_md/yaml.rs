//! The frontmatter's YAML as a tree with lines, from the events of the parser.
//!
//! YAML 1.2, without what makes a text mean something else than it shows: anchors and aliases, tags, merge keys,
//! directives, several documents, keys that are not texts, and keys that are there twice.

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Span, StructureStyle};
use serde_json::{Map, Number, Value};

use super::SkillMdError;
use super::fence::FIRST_LINE;
use crate::content::text::{check_line, check_text};

/// The deepest nesting of collections.
const MAX_DEPTH: usize = 32;

/// The most characters of a key.
pub(in crate::content) const MAX_KEY: usize = 128;

/// A value and where it is.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    /// The line of the file on which it begins.
    pub(super) line: usize,
    /// What it is.
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// A text as YAML reads it, and whether it was written without quotes.
    Scalar { text: String, plain: bool },
    /// A list.
    List { items: Vec<Node>, flow: bool },
    /// A map, in the order in which it is written.
    Map {
        entries: Vec<(String, Node)>,
        flow: bool,
    },
}

impl Node {
    /// The text of a scalar.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } => Some(text),
            Kind::List { .. } | Kind::Map { .. } => None,
        }
    }

    /// The value as JSON. An unquoted scalar is a number, a boolean or null only where its text is what JSON writes for
    /// that value, so that no text is changed: `1.10`, `yes` and `0o17` are texts.
    pub(super) fn to_json(&self) -> Value {
        match &self.kind {
            Kind::Scalar { text, plain: true } => plain(text),
            Kind::Scalar { text, plain: false } => Value::String(text.clone()),
            Kind::List { items, .. } => items.iter().map(Self::to_json).collect(),
            Kind::Map { entries, .. } => entries
                .iter()
                .map(|(key, value)| (key.clone(), value.to_json()))
                .collect::<Map<_, _>>()
                .into(),
        }
    }

    /// The line of the first list or map in flow style (`[a, b]`, `{a: b}`).
    pub(super) fn flow_line(&self) -> Option<usize> {
        match &self.kind {
            Kind::Scalar { .. } => None,
            Kind::List { flow: true, .. } | Kind::Map { flow: true, .. } => Some(self.line),
            Kind::List { items, .. } => items.iter().find_map(Self::flow_line),
            Kind::Map { entries, .. } => entries.iter().find_map(|(_, value)| value.flow_line()),
        }
    }
}

fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => match number(text) {
            Some(number) if number.to_string() == text => Value::Number(number),
            Some(_) | None => Value::String(text.to_owned()),
        },
    }
}

fn number(text: &str) -> Option<Number> {
    let whole = text.parse::<i64>().map(Number::from);
    let whole = whole.or_else(|_| text.parse::<u64>().map(Number::from));
    whole
        .ok()
        .or_else(|| text.parse().ok().and_then(Number::from_f64))
}

/// Reads the frontmatter, which must be a map.
///
/// # Errors
/// What is not YAML, or is YAML of the kinds above, with its line.
pub(super) fn read(frontmatter: &str) -> Result<Vec<(String, Node)>, SkillMdError> {
    let options = granit_parser::options! {
        disallow_directives: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let mut events = Events(Parser::new_from_str_with_options(frontmatter, options));
    let root = loop {
        match events.next()? {
            Some((Event::StreamStart | Event::DocumentStart(..), _)) => {}
            Some((event, span)) if event.is_node() => break events.node(event, span, 0)?,
            Some(_) | None => {
                return Err(SkillMdError::at(
                    1,
                    "the frontmatter is empty; write `name:` and `description:` in it",
                ));
            }
        }
    };
    loop {
        match events.next()? {
            Some((Event::DocumentEnd | Event::StreamEnd, _)) => {}
            Some((_, span)) => {
                return Err(SkillMdError::at(
                    line_of(span),
                    "a second YAML document begins here; write one",
                ));
            }
            None => break,
        }
    }
    match root.kind {
        Kind::Map {
            entries,
            flow: false,
        } => Ok(entries),
        Kind::Map { flow: true, .. } => Err(SkillMdError::at(
            root.line,
            "the frontmatter is written as `{…}`; write each key on a line of its own, as `name: …`",
        )),
        Kind::Scalar { .. } | Kind::List { .. } => Err(SkillMdError::at(
            root.line,
            "the frontmatter is not a map; write each key on a line of its own, as `name: …`",
        )),
    }
}

struct Events<'a>(Parser<'a, granit_parser::StrInput<'a>>);

impl<'a> Events<'a> {
    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, SkillMdError> {
        self.0
            .next_event()
            .transpose()
            .map_err(|error| broken(&error))
    }

    /// The next event of a collection, which the parser has promised.
    fn inside(&mut self) -> Result<(Event<'a>, Span), SkillMdError> {
        self.next()?.ok_or_else(|| {
            SkillMdError::at(1, "the frontmatter ends too early; close what is open")
        })
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, SkillMdError> {
        let line = line_of(span);
        if depth > MAX_DEPTH {
            return Err(SkillMdError::at(
                line,
                format!(
                    "the frontmatter is nested deeper than {MAX_DEPTH} levels; write it flatter"
                ),
            ));
        }
        if event.is_alias() || event.anchor_id().is_some_and(|id| id != 0) {
            return Err(SkillMdError::at(
                line,
                "anchors and aliases (`&`, `*`) are not taken; write the value out, in quotes if it is a text",
            ));
        }
        if event.tag().is_some() {
            return Err(SkillMdError::at(
                line,
                "tags (`!`) are not taken; write the value without one, in quotes if it is a text",
            ));
        }
        match event {
            Event::Scalar(text, style, ..) => {
                check_text(&text).map_err(|error| {
                    SkillMdError::at(line, format!("the value is refused: {}", error.reason()))
                })?;
                // The parser gives a value that is left out the text `~`.
                let left_out = span.is_empty() && style == ScalarStyle::Plain;
                Ok(Node {
                    line,
                    kind: Kind::Scalar {
                        text: if left_out {
                            String::new()
                        } else {
                            text.into_owned()
                        },
                        plain: style == ScalarStyle::Plain,
                    },
                })
            }
            Event::SequenceStart(style, ..) => {
                let mut items = Vec::new();
                loop {
                    match self.inside()? {
                        (Event::SequenceEnd, _) => break,
                        (event, span) => items.push(self.node(event, span, depth + 1)?),
                    }
                }
                let flow = style == StructureStyle::Flow;
                Ok(Node {
                    line,
                    kind: Kind::List { items, flow },
                })
            }
            Event::MappingStart(style, ..) => {
                let mut entries: Vec<(String, Node)> = Vec::new();
                // A set beside the list keeps a long map from costing the square of its length.
                let mut keys = std::collections::HashSet::new();
                loop {
                    let (event, span) = match self.inside()? {
                        (Event::MappingEnd, _) => break,
                        (event, span) => (event, span),
                    };
                    let key = key_of(self.node(event, span, depth + 1)?)?;
                    if !keys.insert(key.clone()) {
                        return Err(SkillMdError::at(
                            line_of(span),
                            format!("the key `{key}` is there twice; keep one"),
                        ));
                    }
                    let (event, span) = self.inside()?;
                    entries.push((key, self.node(event, span, depth + 1)?));
                }
                let flow = style == StructureStyle::Flow;
                Ok(Node {
                    line,
                    kind: Kind::Map { entries, flow },
                })
            }
            _ => Err(SkillMdError::at(
                line,
                "this is not a value; write `key: value`",
            )),
        }
    }
}

fn key_of(node: Node) -> Result<String, SkillMdError> {
    let line = node.line;
    let Kind::Scalar { text, plain } = node.kind else {
        return Err(SkillMdError::at(
            line,
            "a key is a list or a map; write a text before the `:`",
        ));
    };
    if plain && text == "<<" {
        return Err(SkillMdError::at(
            line,
            "merge keys (`<<`) are not taken; write the keys out",
        ));
    }
    if text.is_empty() {
        return Err(SkillMdError::at(
            line,
            "a key is empty; write a text before the `:`",
        ));
    }
    if text.chars().count() > MAX_KEY {
        return Err(SkillMdError::at(
            line,
            format!("a key has more than {MAX_KEY} characters; choose a shorter one"),
        ));
    }
    check_line(&text).map_err(|error| {
        SkillMdError::at(line, format!("the key is refused: {}", error.reason()))
    })?;
    Ok(text)
}

fn line_of(span: Span) -> usize {
    file_line(span.start.line())
}

/// Lines of the frontmatter count from 1; the fence is above them.
fn file_line(line: usize) -> usize {
    line.saturating_add(FIRST_LINE).saturating_sub(1)
}

/// A sentence for what the parser refuses, with what to write where the usual cause is known.
fn broken(error: &ScanError) -> SkillMdError {
    let hint = match error.kind() {
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => {
            "put a text that has `: ` in it in quotes"
        }
        ErrorKind::TabNotAllowed
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart => "indent with spaces",
        ErrorKind::UnclosedQuotedScalar | ErrorKind::InvalidQuotedScalarIndent => "close the quote",
        ErrorKind::InvalidTrailingSingleQuotedScalar => "write a `'` inside single quotes as `''`",
        ErrorKind::InvalidTrailingDoubleQuotedScalar => {
            "write a `\"` inside double quotes as `\\\"`"
        }
        ErrorKind::UnexpectedCharacter { .. } => {
            "put a text that begins with this character in quotes"
        }
        ErrorKind::UnclosedFlowCollection { .. } => "close the `[` or `{`",
        ErrorKind::UnknownAnchor => "put a text that begins with `*` in quotes",
        ErrorKind::BlockSequenceEntryNotAllowed => {
            "write each item of a list on a line of its own, as `- item`"
        }
        ErrorKind::RecursionLimitExceeded => "write it flatter",
        _ => "write each key as `key: value`, and texts with special characters in quotes",
    };
    SkillMdError::at(
        file_line(error.marker().line()),
        format!(
            "this is not YAML that can be read ({}); {hint}",
            error.kind()
        ),
    )
}
