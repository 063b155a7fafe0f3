//! Contexts made of a schema's examples: what templates are tried against when they are saved, and what authors look at.

mod factors;
mod fill;
mod pairs;
mod random;

#[cfg(test)]
mod tests;

use super::builder::{Context, build_whole};
use super::schema::{Known, Schema, Situation};

use factors::{Factors, Kind};
use pairs::Choice;

pub use random::random_context;

/// The most contexts that [`combinations`] makes of one situation.
pub const MAX_COMBINATIONS: usize = 64;

/// A named context.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The name of its situation, alone or with `-empty` or `-sparse` behind it.
    pub name: String,
    /// The data.
    pub context: Context,
}

/// Three samples of each situation, such as for `task-start`:
///
/// - `task-start`: everything is set that can be;
/// - `task-start-empty`: everything is null that can be, and lists and maps are empty;
/// - `task-start-sparse`: lists and maps have items, and objects are there that have something in them that can be null;
///   everything else is null that can be.
#[must_use]
pub fn samples(schema: &Schema) -> Vec<Sample> {
    let kinds: [(&str, Choose); 3] = [
        ("", |_, _| true),
        ("-empty", |_, _| false),
        ("-sparse", |kind, holds_more| {
            kind == Kind::Filled || holds_more
        }),
    ];
    let mut samples = Vec::with_capacity(schema.situations().len() * kinds.len());
    for situation in schema.situations() {
        let factors = Factors::of(schema, situation);
        for (suffix, choose) in kinds {
            let choices = factors.all(choose);
            samples.extend(
                context(schema, situation, &factors, &choices).map(|context| Sample {
                    name: format!("{}{suffix}", situation.name),
                    context,
                }),
            );
        }
    }
    samples
}

/// The sample of that name.
#[must_use]
pub fn sample(schema: &Schema, name: &str) -> Option<Sample> {
    samples(schema)
        .into_iter()
        .find(|sample| sample.name == name)
}

/// Contexts of a situation in which any two things that may be null or empty are met in all four ways, as far as one
/// does not contain the other and [`MAX_COMBINATIONS`] allow: what one `{{#if}}` guards and another one reads is found so.
#[must_use]
pub fn combinations(schema: &Schema, situation: &Situation) -> Vec<Context> {
    let factors = Factors::of(schema, situation);
    pairs::cover(&factors, MAX_COMBINATIONS)
        .iter()
        .filter_map(|choices| context(schema, situation, &factors, choices))
        .collect()
}

/// Whether something that may be null is set, or a list or map has entries; by whether something below it may be absent.
type Choose = fn(Kind, bool) -> bool;

/// The context of these choices. It is valid by its making; the builder sees to it all the same.
fn context(
    schema: &Schema,
    situation: &Situation,
    factors: &Factors,
    choices: &[Choice],
) -> Option<Context> {
    build_whole(schema, &fill::value(schema, situation, factors, choices)).ok()
}

/// What a situation says of a field.
fn known_of<'s, Name: AsRef<str>>(situation: &'s Situation, path: &[Name]) -> Option<&'s Known> {
    situation
        .known
        .iter()
        .find(|(known, _)| {
            known.len() == path.len()
                && known
                    .iter()
                    .zip(path)
                    .all(|(one, other)| **one == *other.as_ref())
        })
        .map(|(_, known)| known)
}
