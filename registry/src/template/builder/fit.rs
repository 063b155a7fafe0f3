//! Which situations a context fits.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value;

use super::Names;
use super::fault::BuildFault;
use super::needs::Needs;
use crate::template::schema::{FieldPath, Known, Schema, Situation};

/// The situations whose facts about needed fields hold. When none is left, the faults say what is missing for those that
/// are nearest.
///
/// Facts about other fields are left alone: what a template does not read cannot change what it renders, so that it renders
/// as it does with a context in which they hold.
pub(super) fn situations(
    schema: &Schema,
    value: &Value,
    needs: &Needs,
    faults: &mut Vec<BuildFault>,
) -> Names {
    let mut fitting = Names::new();
    let mut others: Vec<Misfit<'_>> = Vec::new();
    for situation in schema.situations() {
        let misfit = Misfit::new(situation, value, needs);
        if misfit.broken.is_empty() {
            fitting.push(Arc::clone(&situation.name));
        } else {
            others.push(misfit);
        }
    }
    if fitting.is_empty() {
        explain(others, faults);
    }
    fitting
}

/// A situation, and what of it does not hold.
struct Misfit<'s> {
    situation: &'s Situation,
    broken: Vec<&'s (FieldPath, Known)>,
}

impl<'s> Misfit<'s> {
    fn new(situation: &'s Situation, value: &Value, needs: &Needs) -> Self {
        let broken = situation
            .known
            .iter()
            .filter(|(path, known)| needs.contains(path) && !holds(known, at(value, path)))
            .collect();
        Self { situation, broken }
    }

    /// How far the context is from the situation: the word that tells situations apart weighs more than all else.
    fn distance(&self) -> usize {
        self.broken
            .iter()
            .map(|(_, known)| match known {
                Known::Eq(_) => 1_000,
                Known::Null | Known::NonNull => 1,
            })
            .sum()
    }
}

fn explain(mut others: Vec<Misfit<'_>>, faults: &mut Vec<BuildFault>) {
    let nearest = others.iter().map(Misfit::distance).min().unwrap_or(0);
    others.retain(|misfit| misfit.distance() == nearest);
    match others.as_slice() {
        [] => faults.push(BuildFault::whole("The schema has no situation.")),
        [only] => faults.extend(only.broken.iter().map(|(path, known)| BuildFault {
            path: path.join("."),
            detail: format!(
                "In the situation `{}` this {}.",
                only.situation.name,
                wanted(known)
            ),
        })),
        several => {
            let mut detail = "The context fits no situation.".to_owned();
            for misfit in several {
                let changes: Vec<String> = misfit
                    .broken
                    .iter()
                    .map(|(path, known)| format!("`{}` {}", path.join("."), wanted(known)))
                    .collect();
                let _ = write!(
                    detail,
                    " For `{}`, {}.",
                    misfit.situation.name,
                    changes.join(" and ")
                );
            }
            faults.push(BuildFault::whole(detail));
        }
    }
}

fn wanted(known: &Known) -> String {
    match known {
        Known::Null => "must be null or left out".to_owned(),
        Known::NonNull => "must be set".to_owned(),
        Known::Eq(word) => format!("must be `{word}`"),
    }
}

/// The value at a path through objects; none below something null.
fn at<'v>(value: &'v Value, path: &[Arc<str>]) -> Option<&'v Value> {
    path.iter()
        .try_fold(value, |value, name| value.get(&**name))
}

fn holds(known: &Known, value: Option<&Value>) -> bool {
    match known {
        Known::Null => value.is_none_or(Value::is_null),
        Known::NonNull => value.is_some_and(|value| !value.is_null()),
        Known::Eq(word) => value.and_then(Value::as_str) == Some(&**word),
    }
}
