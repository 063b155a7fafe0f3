//! The one builder of contexts: what a host gives of a run becomes a [`Context`], or the host is told what is wrong and where.
//!
//! Nothing else makes a [`Context`], so that whoever renders one knows that it is valid under its schema.

mod context;
mod examples;
mod fault;
mod fill;
mod fit;
mod needs;
mod path;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::Value;

use super::schema::{Schema, Type};

pub use context::{Context, SkillLine};
pub(in crate::template) use examples::{check_example, sample_item};
pub use fault::{BuildFault, Cut, CutUnit, MAX_FAULTS};
pub use needs::Needs;

use fill::{Filler, Skills};

/// Builds the context of a run from what its host gave.
///
/// - A field that the schema does not have is refused, and so is `skills`, which the server fills with
///   [`Context::with_skills`].
/// - A field that may be null and was not given is null.
/// - Any other field that was not given is refused if `needs` names it, and neutral otherwise: an empty text or list,
///   zero or the number next to it, false, the first word.
/// - A text that is too long is cut to its maximum, the last character of which is then `…`. A list that is too long keeps
///   its first items, or its last where the schema says so; a map keeps its first keys. [`Context::cuts`] says what was cut.
/// - Of what the schema says of situations, only what is about fields that `needs` names must hold; one situation at least
///   must be left.
///
/// # Errors
/// Everything that is wrong, each fault with the path of the value, at most [`MAX_FAULTS`].
pub fn build(schema: &Schema, given: &Value, needs: &Needs) -> Result<Context, Vec<BuildFault>> {
    build_with(schema, given, needs, Skills::FromServer)
}

/// Builds a whole context of which everything is known, `skills` too.
pub(in crate::template) fn build_whole(
    schema: &Schema,
    given: &Value,
) -> Result<Context, Vec<BuildFault>> {
    build_with(schema, given, &Needs::all(), Skills::Given)
}

fn build_with(
    schema: &Schema,
    given: &Value,
    needs: &Needs,
    skills: Skills,
) -> Result<Context, Vec<BuildFault>> {
    let mut filler = Filler::new(Some(schema), skills);
    let Value::Object(given) = given else {
        return Err(vec![BuildFault::whole(
            "The context must be a JSON object.",
        )]);
    };
    let value = filler.object(schema.root(), given, needs.at_root());
    let (mut faults, cuts) = filler.into_parts();
    if !faults.is_empty() {
        return Err(faults);
    }
    let situations = fit::situations(schema, &value, needs, &mut faults);
    if !faults.is_empty() {
        return Err(faults);
    }
    Ok(Context::new(schema, value, situations, cuts))
}

/// A value of a type that says nothing: an empty text or list, zero or the number next to it, false, the first word, null
/// wherever null is allowed.
#[must_use]
pub(in crate::template) fn neutral(ty: &Type) -> Value {
    match ty {
        Type::Str { .. } => Value::from(""),
        Type::Enum { values } => Value::from(values.first().map_or("", |word| word)),
        Type::Int { min, max } => Value::from(0.max(*min).min(*max)),
        Type::Bool => Value::Bool(false),
        Type::List { .. } => Value::Array(Vec::new()),
        Type::Map { .. } => Value::Object(serde_json::Map::new()),
        Type::Object(object) => object
            .fields
            .iter()
            .map(|field| {
                let value = if field.nullable {
                    Value::Null
                } else {
                    neutral(&field.ty)
                };
                (String::from(&*field.name), value)
            })
            .collect(),
    }
}

/// The names of situations.
type Names = Vec<Arc<str>>;
