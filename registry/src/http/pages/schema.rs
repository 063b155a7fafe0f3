//! A JSON schema as rows that people read: field, type, whether it is required, what it is.

use serde_json::Value;

/// A field of an object.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) is_required: bool,
    pub(super) description: String,
}

/// The fields of a schema that is an object, or names one; alternatives one after the other.
pub(super) fn fields(document: &Value, schema: &Value) -> Vec<Field> {
    let schema = resolve(document, schema);
    for alternatives in ["oneOf", "anyOf"] {
        if let Some(all) = schema.get(alternatives).and_then(Value::as_array) {
            return all.iter().flat_map(|one| fields(document, one)).collect();
        }
    }
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, property)| Field {
            kind: kind(document, property),
            is_required: required.contains(&name.as_str()),
            description: text(property, "description"),
            name: name.clone(),
        })
        .collect()
}

/// The words for a type.
pub(super) fn kind(document: &Value, schema: &Value) -> String {
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        return values.join(" | ");
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let resolved = resolve(document, schema);
        let named = reference.rsplit('/').next().unwrap_or_default();
        return match resolved.get("type").and_then(Value::as_str) {
            Some("object") | None => named.to_owned(),
            Some(_) => kind(document, resolved),
        };
    }
    for alternatives in ["oneOf", "anyOf"] {
        if let Some(all) = schema.get(alternatives).and_then(Value::as_array) {
            let kinds: Vec<String> = all.iter().map(|one| kind(document, one)).collect();
            return kinds.join(" | ");
        }
    }
    match schema.get("type") {
        Some(Value::String(name)) if name == "array" => {
            let items = schema.get("items").map(|items| kind(document, items));
            format!("list of {}", items.unwrap_or_else(|| "anything".to_owned()))
        }
        Some(Value::String(name)) => name.clone(),
        Some(Value::Array(names)) => {
            let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
            names.join(" | ")
        }
        _ => "anything".to_owned(),
    }
}

/// A text member, or nothing.
pub(super) fn text(value: &Value, member: &str) -> String {
    value
        .get(member)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// What a reference leads to; itself if it is none.
fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|reference| reference.strip_prefix('#'))
        .and_then(|pointer| document.pointer(pointer))
        .unwrap_or(schema)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_are_said_in_words() {
        let document = json!({"components": {"schemas": {
            "Row": {"type": "object", "properties": {"a": {"type": "string", "description": "The a."}}, "required": ["a"]},
            "Role": {"type": "string", "enum": ["member", "auditor"]},
        }}});
        let row = json!({"$ref": "#/components/schemas/Row"});
        for (schema, words) in [
            (json!({"type": "array", "items": row}), "list of Row"),
            (
                json!({"$ref": "#/components/schemas/Role"}),
                "\"member\" | \"auditor\"",
            ),
            (json!({"anyOf": [row, {"type": "null"}]}), "Row | null"),
            (json!({"type": ["string", "null"]}), "string | null"),
            (json!({}), "anything"),
        ] {
            assert_eq!(kind(&document, &schema), words);
        }
        assert_eq!(
            fields(&document, &row),
            [Field {
                name: "a".into(),
                kind: "string".into(),
                is_required: true,
                description: "The a.".into()
            }]
        );
    }
}
