//! Every template of a small grammar, over every nullness pattern, in every situation.
//!
//! What is accepted never fails and writes what the reference writes. What is refused fails somewhere, but for few.

use std::time::Instant;

use serde_json::Value as Json;
use vestry::template::{Bounds, Compiled, check_in};

use super::scope::Scope;
use super::world::TINY;
use super::{long, reference, values};

pub(super) const BOUNDS: Bounds = Bounds {
    bytes: 1 << 20,
    deadline: None,
};

#[derive(Debug, Default)]
struct Tally {
    accepted: usize,
    refused: usize,
    /// Refused, though it never fails.
    falsely: Vec<String>,
    /// Accepted, and wrong.
    wrong: Vec<String>,
}

/// Checks one template and holds what the checker says against every context; the crate renders every `render`th of them.
fn one(source: &str, contexts: &[(usize, Json)], render: usize, tally: &mut Tally) {
    let checked = check_in(source, TINY.world());
    let Ok(checked) = checked else {
        tally.refused += 1;
        let tree = vestry::template::parse::tree(source).unwrap();
        if contexts
            .iter()
            .all(|(_, context)| reference::render(&tree, context).is_ok())
        {
            tally.falsely.push(source.to_owned());
        }
        return;
    };
    tally.accepted += 1;
    let compiled = (render > 0).then(|| Compiled::new(&checked).unwrap());
    for (number, (_, context)) in contexts.iter().enumerate() {
        let wanted = match reference::render(checked.tree(), context) {
            Ok(wanted) => wanted,
            Err(why) => {
                tally
                    .wrong
                    .push(format!("{source}\n  fails for {context}: {why}"));
                return;
            }
        };
        if wanted.len() as u64 > checked.cost().bytes {
            tally.wrong.push(format!(
                "{source}\n  writes {} bytes for {context}",
                wanted.len()
            ));
            return;
        }
        let Some(compiled) = compiled.as_ref().filter(|_| number % render == 0) else {
            continue;
        };
        let rendered = compiled.render_value(context, BOUNDS);
        match rendered {
            Ok(rendered) if rendered.text == wanted && rendered.steps <= checked.cost().steps => {}
            other => {
                tally.wrong.push(format!(
                    "{source}\n  gives {other:?} and not {wanted:?} for {context}"
                ));
                return;
            }
        }
    }
}

#[test]
fn what_is_accepted_never_fails_and_what_is_refused_does() {
    let scope = Scope::new();
    let contexts = values::tiny();
    let started = Instant::now();
    // Strides that share no factor with the radices of the scope visit all its corners.
    let (stride, render) = if long() { (1, 3) } else { (211, 23) };
    let mut tally = Tally::default();
    let mut number = 0;
    while number < scope.count() {
        one(&scope.template(number), &contexts, render, &mut tally);
        number += stride;
    }
    let never_fail = tally.accepted + tally.falsely.len();
    println!(
        "{} templates x {} contexts in {:?}: {} accepted, {} refused, {} of {never_fail} that never fail refused ({:.2} %)",
        tally.accepted + tally.refused,
        contexts.len(),
        started.elapsed(),
        tally.accepted,
        tally.refused,
        tally.falsely.len(),
        100.0 * tally.falsely.len() as f64 / never_fail as f64,
    );
    for source in tally.falsely.iter().take(if long() { 60 } else { 10 }) {
        println!("refused, though it never fails: {source}");
    }
    assert!(
        tally.wrong.is_empty(),
        "{} wrong, such as\n{}",
        tally.wrong.len(),
        tally.wrong[..tally.wrong.len().min(5)].join("\n")
    );
    assert!(tally.accepted > 300 && tally.refused > 300, "{tally:?}");
    assert!(
        tally.falsely.len() * 100 <= never_fail,
        "{} of {never_fail} are refused, though they never fail",
        tally.falsely.len()
    );
}
