//! The one field that the server fills: the skills that were offered.

use super::fault::Faults;
use super::types::{Object, Type};

/// The name of the field, at the top of the context.
pub const FIELD: &str = "skills";

/// Refuses a field of that name that the server could not fill. A schema may leave it out.
pub(super) fn check(root: &Object, faults: &mut Faults) {
    let Some(field) = root.field(FIELD) else {
        return;
    };
    let fillable = !field.nullable
        && matches!(&field.ty, Type::List { of, .. } if matches!(&**of, Type::Object(item) if item_is_fillable(item)));
    if !fillable {
        faults.enter("properties");
        faults.below(
            FIELD,
            "`skills` is filled by the server: it must be a list of objects with the texts `name` and `description`, whose other fields may be null; or leave it out.",
        );
        faults.leave();
    }
}

fn item_is_fillable(item: &Object) -> bool {
    let text = |name: &str| {
        item.field(name)
            .is_some_and(|field| matches!(field.ty, Type::Str { .. }) && !field.nullable)
    };
    text("name")
        && text("description")
        && item.fields.iter().all(|field| {
            matches!(&*field.name, "name" | "description") || (field.nullable && !field.required)
        })
}
