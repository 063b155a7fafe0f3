//! Paths: `task.title`, `this.title`, `../title`, `@root.task`, `@index`.

use super::cursor::{Cursor, Read, is_symbol};
use crate::template::diagnostics::Finding;
use crate::template::limits;
use crate::template::tree::{Base, Expr, ExprKind, Path, Step};

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

/// Reads a path; the cursor is at `@`, `.`, `[` or the first character of a name.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Read<Expr> {
    let start = cursor.at;
    let base = base(cursor)?;
    let mut steps = Vec::new();
    let mut more = match base {
        Base::Plain => true,
        Base::Root => !steps_end(cursor),
        Base::This => cursor.since(start) != "this",
        Base::Up(_) => {
            if cursor
                .rest()
                .strip_prefix("this")
                .is_some_and(|rest| !rest.starts_with(is_symbol))
            {
                cursor.at += "this".len();
                false
            } else {
                true
            }
        }
        Base::Index | Base::First | Base::Last | Base::Key => false,
    };
    while more {
        steps.push(step(cursor, start)?);
        more = cursor.take(".");
    }
    let span = start..cursor.at;
    if cursor.looks_at("/") {
        let written = cursor.since(start).to_owned();
        return refuse(
            "slash-path",
            cursor.here(),
            "The steps of a path are joined by a full stop, not by a slash.",
            format!("write {written}. for {written}/"),
        );
    }
    if cursor.looks_at(".") {
        return refuse(
            "bad-path",
            start..cursor.at + 1,
            "A path cannot go on after this.",
            "name a field directly, such as task.title",
        );
    }
    if cursor.looks_at("[") {
        return brackets(cursor, start);
    }
    let levels = if let Base::Up(levels) = base {
        levels
    } else {
        0
    };
    if levels + steps.len() > limits::STEPS {
        return Err(Box::new(Finding::error(
            "long-path",
            span,
            format!("A path has at most {} steps.", limits::STEPS),
        )));
    }
    Ok(Expr {
        span,
        kind: ExprKind::Path(Path { base, steps }),
    })
}

fn steps_end(cursor: &Cursor<'_>) -> bool {
    !cursor.peek().is_some_and(|c| is_symbol(c) || c == '[')
}

fn base(cursor: &mut Cursor<'_>) -> Read<Base> {
    let start = cursor.at;
    if cursor.take("@") {
        return local(cursor, start);
    }
    if cursor.looks_at("..") {
        let mut levels = 0;
        while cursor.take("../") {
            levels += 1;
        }
        if levels > limits::STEPS {
            return Err(Box::new(Finding::error(
                "long-path",
                start..cursor.at,
                format!("A path has at most {} steps.", limits::STEPS),
            )));
        }
        if levels == 0 || cursor.looks_at(".") || steps_end(cursor) && !cursor.looks_at("[") {
            return refuse(
                "bad-path",
                start..cursor.at.max(start + 2),
                "`..` goes before a field.",
                "write ../name for a field of the outer scope, or ../this for all of it",
            );
        }
        return Ok(Base::Up(levels));
    }
    if cursor.take("./") {
        if steps_end(cursor) && !cursor.looks_at("[") {
            return refuse(
                "bad-path",
                start..cursor.at,
                "`./` goes before a field.",
                "write ./name, or this",
            );
        }
        return Ok(Base::This);
    }
    if cursor.looks_at(".") {
        return refuse(
            "bad-path",
            cursor.here(),
            "A full stop alone is not a path.",
            "write {{this}}",
        );
    }
    if cursor
        .rest()
        .strip_prefix("this")
        .is_some_and(|rest| !rest.starts_with(is_symbol))
    {
        cursor.at += "this".len();
        if cursor.looks_at("/") {
            return refuse(
                "slash-path",
                start..cursor.at + 1,
                "The steps of a path are joined by a full stop, not by a slash.",
                "write this.",
            );
        }
        cursor.take(".");
        return Ok(Base::This);
    }
    Ok(Base::Plain)
}

fn local(cursor: &mut Cursor<'_>, start: usize) -> Read<Base> {
    if cursor.looks_at(".") {
        return refuse(
            "local-path",
            start..cursor.at + 1,
            "`@../` means different things to different engines.",
            "name the loop's values: {{#each items as |item index|}}",
        );
    }
    let name = cursor.take_while(is_symbol);
    let span = start..cursor.at;
    let base = match name {
        "root" => {
            if !cursor.take(".") || steps_end(cursor) && !cursor.looks_at("[") {
                return refuse(
                    "bare-root",
                    span,
                    "`@root` alone is not a value here.",
                    "name a field of it, such as @root.organization",
                );
            }
            return Ok(Base::Root);
        }
        "index" => Base::Index,
        "first" => Base::First,
        "last" => Base::Last,
        "key" => Base::Key,
        _ => {
            return refuse(
                "unknown-local",
                span,
                format!("There is no @{name}."),
                "there are @root, @index, @first and @last, and @key in an {{#each}} over a map",
            );
        }
    };
    Ok(base)
}

fn step(cursor: &mut Cursor<'_>, start: usize) -> Read<Step> {
    let from = cursor.at;
    let name = cursor.take_while(is_symbol).to_owned();
    let span = from..cursor.at;
    if name.is_empty() {
        if cursor.looks_at("[") {
            return brackets(cursor, start);
        }
        return refuse(
            "bad-path",
            cursor.here(),
            "A name is missing here.",
            "name a field, such as task.title",
        );
    }
    let first = from == start;
    if !first && name.bytes().all(|byte| byte.is_ascii_digit()) {
        return refuse(
            "numeric-step",
            span,
            "Items are not read by number, since a list may be shorter.",
            "use {{#each}} with @first",
        );
    }
    if !first && name == "this" {
        return refuse(
            "bad-path",
            span,
            "`this` only begins a path.",
            "leave it out",
        );
    }
    Ok(Step { name, span })
}

fn brackets<T>(cursor: &Cursor<'_>, start: usize) -> Read<T> {
    let inner = cursor
        .rest()
        .strip_prefix('[')
        .and_then(|rest| rest.split(']').next())
        .unwrap_or_default();
    let span = start.min(cursor.at)..cursor.at + 1;
    if !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_digit()) {
        return refuse(
            "numeric-step",
            span,
            "Items are not read by number, since a list may be shorter.",
            "use {{#each}} with @first",
        );
    }
    refuse(
        "brackets",
        span,
        "Names are written without brackets.",
        "every field of the context has a plain name",
    )
}
