//! A naive reading of JSON Schema, which knows nothing of our types: what a validator elsewhere would say of a value.

use serde_json::Value;

/// Whether a value is valid under a document, and has every field of it.
pub(in crate::template) fn accepts(document: &Value, value: &Value) -> bool {
    holds(document, document, value)
}

fn holds(document: &Value, node: &Value, value: &Value) -> bool {
    if let Some(target) = node.get("$ref").and_then(Value::as_str) {
        let target = document.pointer(target.trim_start_matches('#')).unwrap();
        return holds(document, target, value);
    }
    if let Some(choices) = node.get("anyOf").and_then(Value::as_array) {
        return choices.iter().any(|choice| holds(document, choice, value));
    }
    let types: Vec<&str> = match &node["type"] {
        Value::String(ty) => vec![ty],
        Value::Array(types) => types.iter().map(|ty| ty.as_str().unwrap()).collect(),
        other => panic!("a type: {other}"),
    };
    if !types.iter().any(|ty| is(ty, value)) {
        return false;
    }
    if let Some(words) = node.get("enum").and_then(Value::as_array)
        && !words.contains(value)
    {
        return false;
    }
    let limit = |key: &str| {
        node.get(key)
            .and_then(Value::as_u64)
            .map_or(usize::MAX, |limit| limit as usize)
    };
    match value {
        Value::String(text) => text.chars().count() <= limit("maxLength"),
        Value::Number(number) => {
            let number = number.as_i64().unwrap();
            number >= node["minimum"].as_i64().unwrap()
                && number <= node["maximum"].as_i64().unwrap()
        }
        Value::Array(items) => {
            items.len() <= limit("maxItems")
                && items
                    .iter()
                    .all(|item| holds(document, &node["items"], item))
        }
        Value::Object(fields) => match node.get("properties").and_then(Value::as_object) {
            Some(properties) => {
                fields.len() == properties.len()
                    && fields.iter().all(|(name, value)| {
                        properties
                            .get(name)
                            .is_some_and(|property| holds(document, property, value))
                    })
            }
            None => {
                let longest = node["propertyNames"]["maxLength"].as_u64().unwrap() as usize;
                fields.len() <= limit("maxProperties")
                    && fields.iter().all(|(key, value)| {
                        key.chars().count() <= longest
                            && holds(document, &node["additionalProperties"], value)
                    })
            }
        },
        Value::Null | Value::Bool(_) => true,
    }
}

fn is(ty: &str, value: &Value) -> bool {
    match ty {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "integer" => value.is_i64(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("an unknown type: {other}"),
    }
}
