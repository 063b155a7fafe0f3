//! Every field of a schema, one line each.

use serde::Serialize;
use serde_json::Value;

use crate::template::schema::{Object, SKILLS_FIELD, Schema, Type};

/// A field, as the reference shows it.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct FieldDoc {
    /// Where it is: `people[].name` is the name of each of the people, `labels{}` a value of a map.
    pub path: String,
    /// What its value is, in words.
    #[serde(rename = "type")]
    pub ty: String,
    /// Whether it may be null.
    pub nullable: bool,
    /// Whether a host must give it where a template reads it, and in openings.
    pub required: bool,
    /// Whether the server fills it, so that no host may give it.
    pub filled_by_server: bool,
    /// What it is.
    pub description: String,
    /// An example; none for what has fields of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<Value>,
}

/// Every field of a schema, in its order, what is below a field right behind it.
pub(super) fn all(schema: &Schema) -> Vec<FieldDoc> {
    let mut docs = Vec::new();
    add(schema.root(), "", &mut docs);
    docs
}

fn add(object: &Object, prefix: &str, docs: &mut Vec<FieldDoc>) {
    for field in &object.fields {
        let path = format!("{prefix}{}", field.name);
        let inner = inner(&field.ty);
        docs.push(FieldDoc {
            path: path.clone(),
            ty: field.ty.in_words(),
            nullable: field.nullable,
            required: field.required,
            filled_by_server: prefix.is_empty() && *field.name == *SKILLS_FIELD,
            description: field.description.to_string(),
            sample: inner.is_none().then(|| field.sample.clone()).flatten(),
        });
        if let Some((steps, object)) = inner {
            add(object, &format!("{path}{steps}."), docs);
        }
    }
}

/// The fields below, and how a path shows the lists and maps between.
fn inner(ty: &Type) -> Option<(String, &Object)> {
    match ty {
        Type::Object(object) => Some((String::new(), object)),
        Type::List { of, .. } => inner(of).map(|(steps, object)| (format!("[]{steps}"), object)),
        Type::Map { of, .. } => inner(of).map(|(steps, object)| (format!("{{}}{steps}"), object)),
        Type::Str { .. } | Type::Enum { .. } | Type::Int { .. } | Type::Bool => None,
    }
}
