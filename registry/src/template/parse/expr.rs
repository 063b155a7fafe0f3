//! Values: paths, literals and calls of helpers.

use super::cursor::{Cursor, Read, is_space, is_symbol};
use super::path;
use crate::template::diagnostics::Finding;
use crate::template::limits;
use crate::template::tree::{Call, Expr, ExprKind, Param};

/// The largest whole number that every reader of JSON keeps.
const LARGEST: i64 = (1 << 53) - 1;

fn refuse<T>(
    code: &'static str,
    span: std::ops::Range<usize>,
    message: impl Into<String>,
    suggestion: impl Into<String>,
) -> Read<T> {
    Err(Box::new(
        Finding::error(code, span, message).suggest(suggestion),
    ))
}

/// The arguments of a helper or block, up to what ends them, and the names after `as`.
pub(super) fn arguments(
    cursor: &mut Cursor<'_>,
    depth: usize,
    may_name: bool,
) -> Read<(Vec<Expr>, Vec<Param>)> {
    let mut all = Vec::new();
    loop {
        let spaced = cursor.space();
        if cursor.at_close() || cursor.looks_at(")") {
            return Ok((all, Vec::new()));
        }
        if !spaced {
            return refuse(
                "syntax",
                cursor.here(),
                "White space is missing here.",
                "separate the arguments by spaces",
            );
        }
        if let Some(names) = names(cursor)? {
            if !may_name {
                return refuse(
                    "block-parameters",
                    cursor.here(),
                    "Only {{#each}} and {{#with}} name what they give.",
                    "leave `as |…|` out",
                );
            }
            return Ok((all, names));
        }
        if all.len() == limits::ARGUMENTS {
            return cursor.refuse(
                "too-many-arguments",
                format!("A helper takes at most {} arguments.", limits::ARGUMENTS),
            );
        }
        all.push(value(cursor, depth)?);
    }
}

/// One value.
fn value(cursor: &mut Cursor<'_>, depth: usize) -> Read<Expr> {
    let start = cursor.at;
    let Some(first) = cursor.peek() else {
        return cursor.refuse("unclosed-tag", "The template ends within this tag.");
    };
    match first {
        '"' | '\'' => string(cursor, first),
        '(' => call(cursor, depth + 1),
        '0'..='9' => number(cursor),
        '-' if cursor
            .rest()
            .chars()
            .nth(1)
            .is_some_and(|c| c.is_ascii_digit()) =>
        {
            number(cursor)
        }
        '{' => cursor.refuse("literal", "Objects cannot be written in a template."),
        '|' => cursor.refuse(
            "block-parameters",
            "`|` goes after `as`: {{#each items as |item|}}.",
        ),
        '[' | '@' | '.' => path::read(cursor),
        _ if is_symbol(first) => {
            let word = cursor.take_while(is_symbol);
            let span = start..cursor.at;
            let kind = match word {
                "true" => ExprKind::Bool(true),
                "false" => ExprKind::Bool(false),
                "null" => ExprKind::Null,
                "undefined" => {
                    return refuse(
                        "undefined",
                        span,
                        "Every field of the context is there: nothing is undefined.",
                        "write null",
                    );
                }
                "else" | "as" => {
                    return refuse(
                        "syntax",
                        span,
                        format!("`{word}` cannot stand here."),
                        "name a field or a literal",
                    );
                }
                _ => {
                    if cursor.looks_at("=") {
                        return refuse(
                            "hash-argument",
                            start..cursor.at + 1,
                            format!("Helpers take no named arguments such as {word}=."),
                            "give the value alone",
                        );
                    }
                    cursor.at = start;
                    return path::read(cursor);
                }
            };
            if cursor.looks_at(".") || cursor.looks_at("/") {
                return cursor.refuse(
                    "bad-path",
                    format!("`{word}` is a literal and has no fields."),
                );
            }
            Ok(Expr { span, kind })
        }
        _ => cursor.refuse("syntax", format!("`{first}` cannot stand here.")),
    }
}

fn string(cursor: &mut Cursor<'_>, quote: char) -> Read<Expr> {
    let start = cursor.at;
    cursor.at += 1;
    let text = cursor
        .take_while(|c| c != quote && c != '\\' && !c.is_control())
        .to_owned();
    match cursor.peek() {
        Some(c) if c == quote => {
            cursor.at += 1;
            Ok(Expr {
                span: start..cursor.at,
                kind: ExprKind::Str(text),
            })
        }
        Some('\\') => refuse(
            "escape-in-literal",
            cursor.here(),
            "A text in a tag has no backslashes.",
            "use the other quotes around a text with quotes",
        ),
        Some(_) => cursor.refuse(
            "control-in-literal",
            "A text in a tag stays on one line and has no tabs.",
        ),
        None => Err(Box::new(Finding::error(
            "unclosed-literal",
            start..start + 1,
            "This text has no closing quote.",
        ))),
    }
}

fn number(cursor: &mut Cursor<'_>) -> Read<Expr> {
    let start = cursor.at;
    let word = cursor.take_while(|c| is_symbol(c) || c == '.');
    let digits = word.strip_prefix('-').unwrap_or(word);
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits == "0" && digits == word || !digits.starts_with('0'));
    match word.parse::<i64>() {
        Ok(number) if plain && number.abs() <= LARGEST => Ok(Expr {
            span: start..cursor.at,
            kind: ExprKind::Int(number),
        }),
        _ => refuse(
            "number",
            start..cursor.at,
            format!("`{word}` is not a number that a template can have."),
            "write a whole number without leading zeros, within ±9007199254740991",
        ),
    }
}

/// `(name …)`
fn call(cursor: &mut Cursor<'_>, depth: usize) -> Read<Expr> {
    let start = cursor.at;
    if depth > limits::PARENTHESES {
        return cursor.refuse(
            "too-many-parentheses",
            format!(
                "At most {} parentheses stand within each other.",
                limits::PARENTHESES
            ),
        );
    }
    cursor.at += 1;
    cursor.space();
    let from = cursor.at;
    let name = cursor.take_while(is_symbol).to_owned();
    let name_span = from..cursor.at;
    if name.is_empty() {
        return refuse(
            "syntax",
            cursor.here(),
            "A helper's name stands after the parenthesis.",
            "write such as (eq a b)",
        );
    }
    let (arguments, _) = arguments(cursor, depth, false)?;
    if !cursor.take(")") {
        return cursor.refuse(
            "unclosed-parenthesis",
            "A closing parenthesis is missing before this.",
        );
    }
    if arguments.is_empty() {
        return refuse(
            "no-arguments",
            start..cursor.at,
            format!("`({name})` calls a helper without arguments."),
            format!("write {name} alone for a field"),
        );
    }
    Ok(Expr {
        span: start..cursor.at,
        kind: ExprKind::Call(Call {
            name,
            name_span,
            arguments,
        }),
    })
}

/// `as |x y|`, if that stands here.
fn names(cursor: &mut Cursor<'_>) -> Read<Option<Vec<Param>>> {
    let start = cursor.at;
    let mut probe = *cursor;
    if !(probe.take("as") && probe.peek().is_none_or(|c| is_space(c) || c == '|')) {
        return Ok(None);
    }
    let spaced = probe.space();
    if !spaced || !probe.take("|") {
        return refuse(
            "block-parameters",
            start..start + 2,
            "`as` names what a block gives.",
            "write {{#each items as |item|}}",
        );
    }
    *cursor = probe;
    let mut all: Vec<Param> = Vec::new();
    loop {
        cursor.space();
        if cursor.take("|") {
            break;
        }
        let from = cursor.at;
        let name = cursor.take_while(is_symbol).to_owned();
        let span = from..cursor.at;
        let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !plain
            || matches!(
                name.as_str(),
                "this" | "as" | "true" | "false" | "null" | "undefined"
            )
            || name.starts_with("else")
        {
            return refuse(
                "block-parameters",
                if name.is_empty() { cursor.here() } else { span },
                "This cannot be the name of a block parameter.",
                "use letters, digits and _, and none of the words this, as, true, false, null, undefined and else…",
            );
        }
        if all.iter().any(|other| other.name == name) {
            return refuse(
                "block-parameters",
                span,
                format!("`{name}` is named twice."),
                "give each parameter its own name",
            );
        }
        all.push(Param { name, span });
    }
    let span = start..cursor.at;
    if all.is_empty() || all.len() > 2 {
        return refuse(
            "block-parameters",
            span,
            "A block gives one or two values.",
            "write as |item| or as |item index|",
        );
    }
    cursor.space();
    if !cursor.at_close() {
        return cursor.refuse("block-parameters", "Nothing follows the block parameters.");
    }
    Ok(Some(all))
}
