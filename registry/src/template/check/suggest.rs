//! What to write instead.

use std::sync::Arc;

use crate::template::diagnostics::Finding;
use crate::template::helpers;
use crate::template::schema::types::Object;
use crate::template::span::Span;
use crate::template::tree::Step;
use crate::template::types::Shape;

/// The nearest of some words, when it is near enough to be what was meant.
pub(super) fn nearest<'a>(word: &str, among: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = 1 + word.chars().count() / 4;
    among
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many characters must be changed, put in, left out or swapped.
fn distance(one: &str, other: &str) -> usize {
    let one: Vec<char> = one.chars().take(64).collect();
    let other: Vec<char> = other.chars().take(64).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let at =
                |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX - 1);
            let mut least = (at(&row, j) + usize::from(a != b))
                .min(at(&row, j + 1) + 1)
                .min(at(&next, j) + 1);
            let swapped =
                i > 0 && j > 0 && one.get(i - 1) == Some(b) && other.get(j - 1) == Some(a);
            if swapped {
                least = least.min(at(&before, j - 1) + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or_default()
}

fn list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 24;
    let names: Vec<&str> = names.into_iter().collect();
    let shown = names
        .iter()
        .take(MOST)
        .copied()
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > MOST {
        format!("{shown} and {} more", names.len() - MOST)
    } else {
        shown
    }
}

/// A field that there is not.
pub(super) fn field(
    step: &Step,
    object: &Object,
    path: &str,
    outer: Option<String>,
    params: &[&str],
) -> Finding {
    let place = if path.is_empty() {
        "The context".to_owned()
    } else {
        format!("`{path}`")
    };
    let finding = Finding::error(
        "unknown-field",
        step.span.clone(),
        format!("{place} has no field `{}`.", step.name),
    );
    let names = object.fields.iter().map(|field| &*field.name);
    if let Some(outer) = outer {
        return finding.suggest(format!("did you mean {outer}?"));
    }
    match nearest(&step.name, names.clone().chain(params.iter().copied())) {
        Some(name) => finding.suggest(format!("did you mean {name}?")),
        None if object.fields.is_empty() => finding,
        None => finding.suggest(format!("it has {}", list(names))),
    }
}

/// A step into what has no fields.
pub(super) fn no_fields(step: &Step, path: &str, shape: Shape<'_>) -> Finding {
    let countable = !matches!(shape, Shape::Int | Shape::Bool | Shape::Null);
    if countable && matches!(step.name.as_str(), "length" | "size" | "count") {
        return Finding::error(
            "length",
            step.span.clone(),
            format!("`{path}` has no field `{}`.", step.name),
        )
        .suggest(format!("write (len {path})"));
    }
    let finding = Finding::error(
        "no-fields",
        step.span.clone(),
        format!("`{path}` has no fields: it is {}.", shape.word()),
    );
    match shape {
        Shape::List(..) => finding.suggest(format!("write {{{{#each {path}}}}}")),
        Shape::Map(..) => finding.suggest(format!(
            "a map may lack any key: write {{{{#each {path}}}}} with @key"
        )),
        _ => finding,
    }
}

/// A word that an enum does not have.
pub(super) fn word(span: Span, word: &str, words: &[Arc<str>]) -> Finding {
    let finding = Finding::error(
        "unknown-word",
        span,
        format!("\"{word}\" is none of the words that this can be."),
    );
    match nearest(word, words.iter().map(|word| &**word)) {
        Some(near) => finding.suggest(format!("did you mean \"{near}\"?")),
        None => finding.suggest(format!(
            "it can be {}",
            list(words.iter().map(|word| &**word))
        )),
    }
}

/// A value that has no text.
pub(super) fn not_printable(span: Span, path: &str, shape: Shape<'_>) -> Finding {
    let finding = Finding::error(
        "not-printable",
        span,
        format!(
            "`{path}` is {}, which has no text of its own.",
            shape.word()
        ),
    );
    match shape {
        Shape::Object(object) => {
            let base = if path == "this" {
                String::new()
            } else {
                format!("{path}.")
            };
            let first = object
                .fields
                .iter()
                .find(|field| Shape::of(&field.ty).is_leaf())
                .map_or("…", |field| &*field.name);
            finding.suggest(format!(
                "write one of its fields, such as {{{{{base}{first}}}}}; it has {}",
                list(object.fields.iter().map(|field| &*field.name))
            ))
        }
        _ => finding.suggest(format!(
            "write {{{{#each {path}}}}}, or {{{{join {path} \", \"}}}} for a list of texts"
        )),
    }
}

/// A helper that there is not.
pub(super) fn helper(span: Span, name: &str) -> Finding {
    let finding = Finding::error(
        "unknown-helper",
        span,
        format!("There is no helper `{name}`."),
    );
    if crate::template::tree::BlockKind::named(name).is_some() {
        return finding.suggest(format!("`{name}` is a block: write {{{{#{name} …}}}}"));
    }
    let names = || helpers::table().iter().map(|helper| helper.name);
    match nearest(name, names()) {
        Some(near) => finding.suggest(format!("did you mean {near}?")),
        None => finding.suggest(format!("there are {}", list(names()))),
    }
}
