//! Examples of a schema: they must be what the builder would make.

use serde_json::{Map, Value};

use super::fill::{Filler, Skills};
use super::needs::Needs;
use super::neutral;
use crate::template::schema::Type;

/// The example as the builder makes it.
///
/// # Errors
/// Everything that keeps it from being a value of the type as it is.
pub(in crate::template) fn check_example(ty: &Type, example: &Value) -> Result<Value, Vec<String>> {
    let mut filler = Filler::new(None, Skills::Given);
    let value = filler.value(ty, false, example, Needs::all().at_root());
    let (faults, cuts) = filler.into_parts();
    let details: Vec<String> = faults
        .iter()
        .map(ToString::to_string)
        .chain(cuts.iter().map(|cut| {
            format!(
                "The example is longer than its maximum of {}: shorten it.",
                cut.kept
            )
        }))
        .collect();
    if details.is_empty() {
        Ok(value)
    } else {
        Err(details)
    }
}

/// An item of a list without an example of its own, made of the samples of its fields.
#[must_use]
pub(in crate::template) fn sample_item(ty: &Type) -> Value {
    let Type::Object(object) = ty else {
        return neutral(ty);
    };
    let mut item = Map::new();
    for field in &object.fields {
        let value = field
            .sample
            .clone()
            .unwrap_or_else(|| sample_item(&field.ty));
        item.insert(String::from(&*field.name), value);
    }
    Value::Object(item)
}
