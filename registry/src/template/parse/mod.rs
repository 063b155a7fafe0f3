//! The parser: a tree with byte spans, and all that cannot be read, not only the first.
//!
//! It takes only what the crate and handlebars.js read alike. Nothing here recurses but values within parentheses, whose depth is bounded.

mod blocks;
mod comment;
mod cursor;
mod expr;
mod head;
mod path;
mod tag;
mod white;

use super::diagnostics::Finding;
use super::tree::{Node, Output, Text, Tree};
use blocks::Blocks;
use cursor::Cursor;
use tag::{Seems, What};

/// What the parser makes of a source.
#[derive(Debug)]
pub(super) struct Parsed {
    /// The template, as far as it can be read.
    pub(super) tree: Tree,
    /// What cannot be read.
    pub(super) findings: Vec<Finding>,
    /// Whether the blocks of the tree are those that the author meant, so that more can be said about it.
    pub(super) sound: bool,
}

/// The tree of a source alone, when it can be read: for tools and tests.
///
/// # Errors
/// What cannot be read.
pub fn tree(source: &str) -> Result<Tree, super::Diagnostics> {
    let mut findings = super::limits::before_parsing(source);
    if findings.is_empty() {
        let parsed = parse(source);
        if parsed.findings.is_empty() {
            return Ok(parsed.tree);
        }
        findings = parsed.findings;
    }
    Err(super::Diagnostics::new(source, findings))
}

/// Parses a source that [`super::limits::before_parsing`] lets pass.
pub(super) fn parse(source: &str) -> Parsed {
    let mut blocks = Blocks::new(source);
    let mut text_start = 0;
    let mut text = String::new();
    let mut from = 0;
    while let Some(found) = source.get(from..).and_then(|rest| rest.find("{{")) {
        let at = from + found;
        let before = source.get(from..at).unwrap_or_default();
        let backslashes = before
            .bytes()
            .rev()
            .take_while(|byte| *byte == b'\\')
            .count();
        let after = source.get(at..).unwrap_or_default();
        if backslashes == 1 {
            if after.starts_with("{{{{") {
                blocks.refuse(
                    Finding::error(
                        "braces",
                        at - 1..at + 4,
                        "Four braces after a backslash mean different things to different engines.",
                    )
                    .suggest("write \\{{ twice"),
                );
            }
            text.push_str(before.get(..before.len() - 1).unwrap_or_default());
            text.push_str("{{");
            from = at + 2;
            continue;
        }
        text.push_str(
            before
                .get(..before.len() - usize::from(backslashes > 1))
                .unwrap_or_default(),
        );
        if before.ends_with('$') {
            blocks.refuse(
                Finding::error(
                    "dollar",
                    at - 1..at + 2,
                    "`${{` looks like text that is not meant for templates.",
                )
                .suggest("write $\\{{ for a literal ${{"),
            );
        }
        blocks.node(text_node(text_start..at, std::mem::take(&mut text)));
        from = tag_at(source, at, after, &mut blocks);
        text_start = from;
    }
    text.push_str(source.get(from..).unwrap_or_default());
    blocks.node(text_node(text_start..source.len(), text));
    let mut parsed = blocks.finish();
    white::control(&mut parsed.tree);
    parsed
}

fn text_node(span: super::span::Span, text: String) -> Option<Node> {
    (!text.is_empty()).then(|| {
        Node::Text(Text {
            span,
            written: text.clone(),
            original: text,
            taken: (false, false),
        })
    })
}

/// Takes the tag at `at`; gives where the text goes on.
fn tag_at(source: &str, at: usize, after: &str, blocks: &mut Blocks<'_>) -> usize {
    let mut cursor = Cursor::new(source, at);
    if after.starts_with("{{{{") {
        blocks.refuse(
            Finding::error("raw-block", at..at + 4, "There are no raw blocks.")
                .suggest("write \\{{ for a literal {{"),
        );
        blocks.unsound();
        return skip(source, at + 4);
    }
    if after.starts_with("{{~!") {
        blocks.refuse(
            Finding::error("comment", at..at + 4, "A comment has no tilde.")
                .suggest("write {{! … }}"),
        );
        return skip(source, at + 2);
    }
    if after.starts_with("{{!") {
        return match comment::read(&mut cursor) {
            Ok(span) => {
                blocks.node(Some(Node::Comment(span)));
                cursor.at
            }
            Err(finding) => {
                blocks.refuse(*finding);
                blocks.unsound();
                skip(source, at + 2)
            }
        };
    }
    match tag::read(&mut cursor) {
        Ok(tag) => {
            match tag.what {
                What::Output { value, triple } => blocks.node(Some(Node::Output(Output {
                    span: tag.span,
                    value,
                    triple,
                    strip: tag.strip,
                }))),
                What::Open(head) => blocks.open(tag.span, tag.strip, Some(head), String::new()),
                What::Else(head) => blocks.otherwise(tag.span, tag.strip, head, false),
                What::Close(name) => blocks.close(tag.span, tag.strip, Some(name)),
            }
            cursor.at
        }
        Err(bad) => {
            let end = skip(source, cursor.at.max(at + 2));
            blocks.refuse(*bad.finding);
            let span = at..end;
            match bad.seems {
                Seems::Output => {}
                Seems::Open(name) => blocks.open(span, Default::default(), None, name),
                Seems::Else => blocks.otherwise(span, Default::default(), None, true),
                Seems::Close => blocks.close(span, Default::default(), None),
            }
            end
        }
    }
}

/// Behind the next `}}`, so that one bad tag does not hide what follows it.
fn skip(source: &str, from: usize) -> usize {
    let rest = source.get(from..).unwrap_or_default();
    let Some(found) = rest.find("}}") else {
        return source.len();
    };
    let end = from + found + 2;
    if source.get(end..).is_some_and(|rest| rest.starts_with('}')) {
        end + 1
    } else {
        end
    }
}
