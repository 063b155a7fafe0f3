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
    /// Whether the word that tells situations apart is its own.
    named: bool,
    broken: Vec<&'s (FieldPath, Known)>,
}

impl<'s> Misfit<'s> {
    fn new(situation: &'s Situation, value: &Value, needs: &Needs) -> Self {
        let (held, broken): (Vec<_>, Vec<_>) = situation
            .known
            .iter()
            .filter(|(path, _)| needs.contains(path))
            .partition(|(path, known)| holds(known, at(value, path)));
        Self {
            situation,
            named: held.iter().any(|(_, known)| matches!(known, Known::Eq(_))),
            broken,
        }
    }

    /// How far the context is from the situation. One that the context names is nearest, one that it does not name is
    /// farthest, and among the others counts what would have to change.
    fn distance(&self) -> (bool, bool, usize) {
        let misnamed = self
            .broken
            .iter()
            .any(|(_, known)| matches!(known, Known::Eq(_)));
        (!self.named, misnamed, self.broken.len())
    }
}

fn explain(mut others: Vec<Misfit<'_>>, faults: &mut Vec<BuildFault>) {
    let nearest = others.iter().map(Misfit::distance).min();
    others.retain(|misfit| Some(misfit.distance()) == nearest);
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
        several => faults.push(BuildFault::whole(format!(
            "The context fits no situation.{}",
            choices(several)
        ))),
    }
}

/// What to change, said once for all situations that want the same.
fn choices(misfits: &[Misfit<'_>]) -> String {
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for misfit in misfits {
        let changes: Vec<String> = misfit
            .broken
            .iter()
            .map(|(path, known)| format!("`{}` {}", path.join("."), wanted(known)))
            .collect();
        let changes = changes.join(" and ");
        let name = format!("`{}`", misfit.situation.name);
        match groups.iter_mut().find(|(known, _)| *known == changes) {
            Some((_, names)) => names.push(name),
            None => groups.push((changes, vec![name])),
        }
    }
    groups
        .iter()
        .fold(String::new(), |mut text, (changes, names)| {
            let names = match names.split_last() {
                Some((last, [])) => last.clone(),
                Some((last, others)) => format!("{} or {last}", others.join(", ")),
                None => String::new(),
            };
            let _ = write!(text, " For {names}, {changes}.");
            text
        })
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
