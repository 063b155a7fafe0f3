//! One tag.

use super::cursor::{Cursor, Read, is_symbol};
use super::head::{Head, inverse, open, otherwise};
use super::{expr, path};
use crate::template::diagnostics::Finding;
use crate::template::span::Span;
use crate::template::tree::{Call, Expr, ExprKind, Strip};

/// A tag that was read.
#[derive(Debug)]
pub(super) struct Tag {
    pub(super) span: Span,
    pub(super) strip: Strip,
    pub(super) what: What,
}

#[derive(Debug)]
pub(super) enum What {
    Output { value: Expr, triple: bool },
    Open(Head),
    Else(Option<Head>),
    Close(String),
}

/// A tag that could not be read, and what it seems to be, so that the rest can be.
#[derive(Debug)]
pub(super) struct Bad {
    pub(super) finding: Box<Finding>,
    pub(super) seems: Seems,
}

#[derive(Debug)]
pub(super) enum Seems {
    Output,
    Open(String),
    Else,
    Close,
}

pub(super) fn finding<T>(
    code: &'static str,
    span: Span,
    message: impl Into<String>,
    suggestion: impl Into<String>,
) -> Read<T> {
    Err(Box::new(
        Finding::error(code, span, message).suggest(suggestion),
    ))
}

/// Reads the tag at the cursor, which is at `{{`; leaves the cursor behind it, or where it is wrong.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Tag, Bad> {
    let start = cursor.at;
    cursor.at += 2;
    let open = cursor.take("~");
    let triple = cursor.take("{");
    let mut seems = Seems::Output;
    let what =
        inner(cursor, start, triple, &mut seems).map_err(|finding| Bad { finding, seems })?;
    let seems = match &what {
        What::Output { .. } => Seems::Output,
        What::Open(head) => Seems::Open(head.name.clone()),
        What::Else(_) => Seems::Else,
        What::Close(_) => Seems::Close,
    };
    let close = close(cursor, start, triple).map_err(|finding| Bad { finding, seems })?;
    Ok(Tag {
        span: start..cursor.at,
        strip: Strip { open, close },
        what,
    })
}

fn close(cursor: &mut Cursor<'_>, start: usize, triple: bool) -> Read<bool> {
    cursor.space();
    if cursor.rest().is_empty() {
        return Err(Box::new(Finding::error(
            "unclosed-tag",
            start..start + 2,
            "This tag is not closed by }}.",
        )));
    }
    if triple && !(cursor.looks_at("}}}") || cursor.looks_at("}~}}")) {
        return finding(
            "braces",
            cursor.here(),
            "A tag that opens with {{{ closes with }}}.",
            "write {{…}}, which means the same",
        );
    }
    if triple {
        cursor.at += 1;
    }
    let tilde = cursor.take("~");
    if !cursor.take("}}") {
        return cursor.refuse("syntax", "The tag does not end here as it should: with }}.");
    }
    if cursor.looks_at("}") {
        return finding(
            "braces",
            cursor.here(),
            "A third } follows the tag.",
            "close {{ with }}, and put white space before a } of the text",
        );
    }
    Ok(tilde)
}

fn inner(cursor: &mut Cursor<'_>, start: usize, triple: bool, seems: &mut Seems) -> Read<What> {
    if !triple {
        match cursor.peek() {
            Some('#') => {
                cursor.at += 1;
                return open(cursor, start, seems).map(What::Open);
            }
            Some('/') => {
                *seems = Seems::Close;
                cursor.at += 1;
                cursor.space();
                return Ok(What::Close(cursor.take_while(is_symbol).to_owned()));
            }
            Some('^') => return inverse(cursor, start, seems),
            Some('>') => {
                return finding(
                    "partial",
                    start..cursor.at + 1,
                    "One skill cannot include another.",
                    "write the text here, or name the other skill so that the agent loads it",
                );
            }
            Some('*') => {
                return finding(
                    "decorator",
                    start..cursor.at + 1,
                    "There are no decorators.",
                    "leave this tag out",
                );
            }
            Some('&') => {
                return finding(
                    "ampersand",
                    start..cursor.at + 1,
                    "{{& is not needed, since nothing is escaped.",
                    "write {{name}}",
                );
            }
            _ => {}
        }
    }
    cursor.space();
    if let Some(sign) = cursor
        .peek()
        .filter(|c| matches!(c, '#' | '/' | '^' | '>' | '*' | '&' | '~' | '!'))
    {
        if cursor.looks_at("#") {
            let mut probe = *cursor;
            probe.at += 1;
            probe.space();
            *seems = Seems::Open(probe.take_while(is_symbol).to_owned());
        } else if sign == '/' {
            *seems = Seems::Close;
        }
        return finding(
            "syntax",
            cursor.here(),
            format!("`{sign}` cannot stand here."),
            format!("{{{{{sign} is written without space"),
        );
    }
    let mut probe = *cursor;
    let word = probe.take_while(is_symbol);
    if !triple && word == "else" {
        *seems = Seems::Else;
        return otherwise(cursor, start, probe);
    }
    if !triple && word.starts_with("else") {
        return finding(
            "else-name",
            start..probe.at,
            format!("`{{{{{word}}}}}` is read as {{{{else}}}} by some engines."),
            format!(
                "write {{{{else}}}}, or {{{{else {}}}}}",
                word.strip_prefix("else").unwrap_or_default()
            ),
        );
    }
    output(cursor, start).map(|value| What::Output { value, triple })
}

fn output(cursor: &mut Cursor<'_>, start: usize) -> Read<Expr> {
    match cursor.peek() {
        None => {
            return Err(Box::new(Finding::error(
                "unclosed-tag",
                start..start + 2,
                "This tag is not closed by }}.",
            )));
        }
        Some('(') => {
            return finding(
                "call-in-parentheses",
                start..cursor.at + 1,
                "A tag does not begin with a parenthesis.",
                "write the helper without it: {{len people}}",
            );
        }
        Some('}' | '~') => {
            return finding(
                "empty-tag",
                start..cursor.at,
                "This tag is empty.",
                "write \\{{ for a literal {{",
            );
        }
        Some('"' | '\'') => {
            return finding(
                "literal",
                cursor.here(),
                "A literal is not written by a tag.",
                "write its text without braces",
            );
        }
        Some(c) if c.is_ascii_digit() => {
            return finding(
                "literal",
                cursor.here(),
                "A number is not written by a tag.",
                "write it without braces",
            );
        }
        Some(c) if is_symbol(c) || matches!(c, '@' | '.' | '[') => {}
        Some(c) => {
            return finding(
                "syntax",
                cursor.here(),
                format!("`{c}` cannot stand here."),
                "write \\{{ for a literal {{",
            );
        }
    }
    let from = cursor.at;
    let mut probe = *cursor;
    let word = probe.take_while(is_symbol).to_owned();
    if matches!(word.as_str(), "true" | "false" | "null" | "undefined") {
        return finding(
            "literal",
            from..probe.at,
            format!("`{word}` is not written by a tag."),
            "write its text without braces",
        );
    }
    if !word.is_empty() && probe.space() && !probe.at_close() {
        cursor.at = from + word.len();
        let (arguments, _) = expr::arguments(cursor, 0, false)?;
        let name_span = from..from + word.len();
        let span = from..cursor.at;
        return Ok(Expr {
            span,
            kind: ExprKind::Call(Call {
                name: word,
                name_span,
                arguments,
            }),
        });
    }
    let value = path::read(cursor)?;
    let end = cursor.at;
    cursor.space();
    if !cursor.at_close() {
        let written = cursor.since(from).trim().to_owned();
        return finding(
            "syntax",
            cursor.at..cursor.at + cursor.peek().map_or(0, char::len_utf8),
            "This tag has more than its path.",
            format!("only helpers take arguments, and `{written}` is none"),
        );
    }
    cursor.at = end;
    Ok(value)
}
