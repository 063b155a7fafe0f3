//! One request with its answer for each operation, recorded by the test that sends them all
//! (`tests/it/contract/examples.rs`) and compared by it ever after.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// What was recorded.
const RECORDED: &str = include_str!("examples.json");

/// A request and its answer.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    /// Who sends it.
    by: String,
    /// The path with its query.
    path: String,
    /// Further headers.
    headers: BTreeMap<String, String>,
    /// The body, if there is one.
    body: Option<Value>,
    /// The status of the answer.
    status: u16,
    /// The answer: JSON, or a text.
    answer: Option<Value>,
}

/// The document with the examples in it, where OpenAPI has a place for them, and whole as `x-example`.
pub(in crate::http) fn with_examples(mut document: Value) -> Value {
    let recorded: BTreeMap<String, Example> = serde_json::from_str(RECORDED).unwrap_or_default();
    for (operation, example) in recorded {
        let Some((method, path)) = operation.split_once(' ') else {
            continue;
        };
        let Some(described) = document
            .get_mut("paths")
            .and_then(|paths| paths.get_mut(path))
            .and_then(|item| item.get_mut(method.to_ascii_lowercase()))
            .and_then(Value::as_object_mut)
        else {
            continue;
        };
        insert(described, &example);
    }
    document
}

fn insert(operation: &mut Map<String, Value>, example: &Example) {
    let Example {
        by,
        path,
        headers,
        body,
        status,
        answer,
    } = example;
    let mut set = |place: &[&str], value: &Value| {
        let mut at = operation.get_mut(place.first().copied().unwrap_or_default());
        for step in place.iter().skip(1) {
            at = at.and_then(|value| value.get_mut(step));
        }
        if let Some(content) = at.and_then(|value| value.get_mut("application/json"))
            && let Some(content) = content.as_object_mut()
        {
            content.insert("example".into(), value.clone());
        }
    };
    if let Some(body) = body {
        set(&["requestBody", "content"], body);
    }
    let status_text = status.to_string();
    if let Some(answer) = answer {
        set(&["responses", &status_text, "content"], answer);
    }
    operation.insert(
        "x-example".into(),
        json!({
            "by": by, "path": path, "headers": headers, "body": body,
            "status": status, "answer": answer,
        }),
    );
}
