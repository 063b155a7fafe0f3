//! One tag.

use super::cursor::{Cursor, Read, is_symbol};
use super::{expr, path};
use crate::template::diagnostics::Finding;
use crate::template::span::Span;
use crate::template::tree::{BlockKind, Call, Expr, ExprKind, Param, Strip};

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

/// What a block begins with.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) name: String,
    pub(super) kind: BlockKind,
    pub(super) argument: Expr,
    pub(super) params: Vec<Param>,
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

fn finding<T>(
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

fn otherwise(cursor: &mut Cursor<'_>, start: usize, after: Cursor<'_>) -> Read<What> {
    cursor.at = after.at;
    let spaced = cursor.space();
    if cursor.at_close() {
        return Ok(What::Else(None));
    }
    if !spaced {
        return cursor.refuse(
            "syntax",
            "`else` is followed by }} or by a block such as `if`.",
        );
    }
    head(cursor, start, &mut Seems::Else).map(|head| What::Else(Some(head)))
}

fn inverse(cursor: &mut Cursor<'_>, start: usize, seems: &mut Seems) -> Read<What> {
    cursor.at += 1;
    let span = start..cursor.at;
    cursor.space();
    if cursor.at_close() {
        *seems = Seems::Else;
        return finding(
            "caret",
            span,
            "{{^}} is not read by every engine.",
            "write {{else}}",
        );
    }
    let name = cursor.take_while(is_symbol).to_owned();
    *seems = if BlockKind::named(&name).is_some() {
        Seems::Else
    } else {
        Seems::Open(name.clone())
    };
    finding(
        "caret",
        span,
        format!("{{{{^{name}}}}} is not read by every engine."),
        format!("write {{{{#unless {name}}}}}, or {{{{else}}}}"),
    )
}

/// `if task`, after `{{#` or `{{else `.
fn head(cursor: &mut Cursor<'_>, start: usize, seems: &mut Seems) -> Read<Head> {
    let chained = matches!(seems, Seems::Else);
    let from = cursor.at;
    let name = cursor.take_while(is_symbol).to_owned();
    let name_span = from..cursor.at;
    if !chained {
        *seems = Seems::Open(name.clone());
    }
    let Some(kind) = BlockKind::named(&name) else {
        let rest: String = cursor
            .rest()
            .chars()
            .take_while(|c| !matches!(c, '}' | '~' | '{'))
            .collect();
        let path = format!("{name}{}", rest.trim_end());
        let suggestion = if chained {
            "write {{else if …}}, {{else unless …}}, {{else with …}} or {{else each …}}".to_owned()
        } else {
            format!("write {{{{#if {path}}}}}, {{{{#each {path}}}}} or {{{{#with {path}}}}}")
        };
        return finding(
            "unknown-block",
            start..cursor.at.max(start + 2),
            format!("There is no block `{path}`."),
            suggestion,
        );
    };
    let may_name = matches!(kind, BlockKind::With | BlockKind::Each);
    let (arguments, params) = expr::arguments(cursor, 0, may_name)?;
    let written = cursor.since(name_span.end).trim().to_owned();
    let count = arguments.len();
    let mut arguments = arguments.into_iter();
    let (Some(argument), None) = (arguments.next(), arguments.next()) else {
        let span = start..cursor.at;
        if count == 0 {
            return finding(
                "block-argument",
                span,
                format!("`{name}` needs a value."),
                format!("write such as {{{{#{name} task}}}}"),
            );
        }
        return finding(
            "block-argument",
            span,
            format!("`{name}` takes one value, and {count} are given."),
            format!("did you mean {{{{#{name} ({written})}}}}?"),
        );
    };
    if kind == BlockKind::With && params.len() > 1 {
        return finding(
            "block-parameters",
            name_span,
            "{{#with}} gives one value.",
            "write as |name|",
        );
    }
    Ok(Head {
        name,
        kind,
        argument,
        params,
    })
}

fn open(cursor: &mut Cursor<'_>, start: usize, seems: &mut Seems) -> Read<Head> {
    match cursor.peek() {
        Some('>') => {
            *seems = Seems::Open(String::new());
            return finding(
                "partial",
                start..cursor.at + 1,
                "One skill cannot include another.",
                "write the text here",
            );
        }
        Some('*') => {
            *seems = Seems::Open(String::new());
            return finding(
                "decorator",
                start..cursor.at + 1,
                "There are no decorators and no inline partials.",
                "write the text where it belongs",
            );
        }
        _ => {}
    }
    cursor.space();
    *seems = Seems::Open(String::new());
    head(cursor, start, seems)
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
