//! What blocks begin with: after `{{#` and after `{{else`.

use super::cursor::{Cursor, Read, is_symbol};
use super::expr;
use super::tag::{Seems, What, finding};
use crate::template::tree::{BlockKind, Expr, Param};

/// What a block begins with.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) name: String,
    pub(super) kind: BlockKind,
    pub(super) argument: Expr,
    pub(super) params: Vec<Param>,
}

/// `{{else}}` or `{{else if …}}`; `after` is behind the word.
pub(super) fn otherwise(cursor: &mut Cursor<'_>, start: usize, after: Cursor<'_>) -> Read<What> {
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

/// `{{^}}` and what looks like it, which are refused.
pub(super) fn inverse(cursor: &mut Cursor<'_>, start: usize, seems: &mut Seems) -> Read<What> {
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

/// What follows `{{#`.
pub(super) fn open(cursor: &mut Cursor<'_>, start: usize, seems: &mut Seems) -> Read<Head> {
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
