//! The OpenAPI 3.1 document, made of the rows and of the types that they name.

use std::collections::BTreeMap;

use axum::http::Method;
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::operation::{Content, Generate};
use super::{Access, Route};
use crate::http::extract::BYTES;
use crate::http::problem::{Code, Document, PROBLEM_JSON};

const EVENT_STREAM: &str = "text/event-stream";
const SCHEMAS: &str = "#/components/schemas/";

/// A generator of schemas as clients may send them.
pub(super) fn generator() -> SchemaGenerator {
    settings().for_deserialize().into_generator()
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    })
}

/// The generators of a document: what may be left out of a request is not what may be missing in an answer.
struct Generators {
    requests: SchemaGenerator,
    answers: SchemaGenerator,
}

/// The document of these rows.
pub(super) fn build<S>(routes: &[Route<S>], version: &str) -> Value {
    let mut generators = Generators {
        requests: generator(),
        answers: settings().for_serialize().into_generator(),
    };
    let problem = generators
        .answers
        .subschema_for::<Document<'static>>()
        .to_value();
    let mut paths: BTreeMap<&str, Map<String, Value>> = BTreeMap::new();
    for route in routes
        .iter()
        .filter(|route| route.access != Access::PerMessage)
    {
        let operation = operation(route, &problem, &mut generators);
        paths
            .entry(route.path)
            .or_default()
            .insert(route.method.as_str().to_ascii_lowercase(), operation);
    }
    let mut paths = json!(paths);
    let schemas = merge(generators, &mut paths);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Vestry",
            "version": version,
            "description": "A self-hosted, scoped skill registry with governance for AI agents.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "An access token, an elevated token, an agent token or a service key.",
                },
            },
        },
    })
}

/// `PUT /v1/skills/{scope}/{name}` is `put_skills_by_scope_by_name`: it changes only when the route does.
pub(super) fn operation_id(method: &Method, path: &str) -> String {
    let mut id = method.as_str().to_ascii_lowercase();
    for part in path
        .trim_start_matches("/v1")
        .split('/')
        .filter(|part| !part.is_empty())
    {
        id.push('_');
        match parameter(part) {
            Some(name) => {
                id.push_str("by_");
                id.push_str(name);
            }
            None => id.extend(
                part.chars()
                    .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }),
            ),
        }
    }
    id
}

fn parameter(part: &str) -> Option<&str> {
    part.strip_prefix('{')?.strip_suffix('}')
}

fn operation<S>(route: &Route<S>, problem: &Value, generators: &mut Generators) -> Value {
    let described = &route.operation;
    let mut object = Map::new();
    object.insert(
        "operationId".into(),
        operation_id(&route.method, route.path).into(),
    );
    object.insert("summary".into(), described.summary.into());
    if let Some(text) = described.description {
        object.insert("description".into(), text.into());
    }
    if let Some(tag) = described.tag {
        object.insert("tags".into(), json!([tag]));
    }
    match route.access {
        Access::Public | Access::Published => object.insert("security".into(), json!([])),
        // Stands in no document.
        Access::PerMessage => None,
        Access::Does(action) => {
            object.insert("x-action".into(), action.as_str().into());
            object.insert("security".into(), json!([{ "bearer": [] }]))
        }
    };
    let parameters = parameters(route, &mut generators.requests);
    if !parameters.is_empty() {
        object.insert("parameters".into(), parameters.into());
    }
    if let Some(input) = &described.input {
        let mut content = Map::new();
        let schema = (input.referenced)(&mut generators.requests).to_value();
        content.insert("application/json".into(), json!({ "schema": schema }));
        if input.markdown {
            content.insert(
                "text/markdown".into(),
                json!({ "schema": { "type": "string" } }),
            );
        }
        object.insert(
            "requestBody".into(),
            json!({ "required": input.required, "content": content }),
        );
    }
    if let Some(limit) = described.bytes {
        let mut content = Map::new();
        // OpenAPI 3.1 has raw bytes as a media type without a schema for its content.
        content.insert(BYTES.into(), json!({ "schema": { "maxLength": limit } }));
        object.insert(
            "requestBody".into(),
            json!({ "required": true, "content": content }),
        );
    }
    object.insert(
        "responses".into(),
        responses(route, problem, &mut generators.answers),
    );
    object.into()
}

fn parameters<S>(route: &Route<S>, generator: &mut SchemaGenerator) -> Vec<Value> {
    let mut parameters: Vec<Value> = route
        .path
        .split('/')
        .filter_map(parameter)
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    for schema in &route.operation.queries {
        parameters.extend(query_parameters(*schema, generator));
    }
    for (name, description) in &route.operation.headers {
        parameters.push(json!({
            "name": name, "in": "header", "required": false,
            "description": description, "schema": { "type": "string" },
        }));
    }
    parameters
}

fn query_parameters(schema: Generate, generator: &mut SchemaGenerator) -> Vec<Value> {
    let schema = schema(generator).to_value();
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    properties
        .iter()
        .map(|(name, property)| {
            let mut property = property.clone();
            let description = property
                .as_object_mut()
                .and_then(|object| object.remove("description"));
            let mut parameter = json!({
                "name": name, "in": "query",
                "required": required.contains(&name.as_str()), "schema": property,
            });
            if let (Some(object), Some(text)) = (parameter.as_object_mut(), description) {
                object.insert("description".into(), text);
            }
            parameter
        })
        .collect()
}

fn responses<S>(route: &Route<S>, problem: &Value, generator: &mut SchemaGenerator) -> Value {
    let mut responses = Map::new();
    for (status, content) in &route.operation.answers {
        let reason = status.canonical_reason().unwrap_or("Answer");
        let response = match content {
            Content::Json(schema) => {
                let mut content = Map::new();
                let schema = schema(generator).to_value();
                content.insert("application/json".into(), json!({ "schema": schema }));
                for media in &route.operation.alternatives {
                    content.insert((*media).into(), json!({ "schema": { "type": "string" } }));
                }
                json!({ "description": reason, "content": content })
            }
            Content::Text(media) => {
                let mut content = Map::new();
                let schema = match *media {
                    // Readers take it for one text, or for a sequence of events: OpenAPI 3.1 has no word for either.
                    EVENT_STREAM => json!({}),
                    media if media.ends_with("json") => json!({ "type": "object" }),
                    _ => json!({ "type": "string" }),
                };
                content.insert((*media).into(), json!({ "schema": schema }));
                json!({ "description": reason, "content": content })
            }
            Content::Nothing => json!({ "description": reason }),
        };
        let key = status.as_u16().to_string();
        match responses.get_mut(&key) {
            // One answer in several forms: the client's `Accept` chooses.
            Some(Value::Object(known)) => {
                if let (Some(Value::Object(forms)), Some(Value::Object(more))) =
                    (known.get_mut("content"), response.get("content"))
                {
                    forms.extend(more.clone());
                }
            }
            _ => {
                responses.insert(key, response);
            }
        }
    }
    for (status, codes) in by_status(route) {
        let description = codes
            .iter()
            .map(|code| format!("`{}`: {}", code.as_str(), code.meaning()))
            .collect::<Vec<_>>()
            .join("\n\n");
        let names: Vec<&str> = codes.iter().map(|code| code.as_str()).collect();
        let mut content = Map::new();
        content.insert(PROBLEM_JSON.into(), json!({ "schema": problem }));
        // A status may be an answer and a problem (503 of `/readyz`): the problem is the richer one.
        responses.insert(
            status,
            json!({ "description": description, "x-codes": names, "content": content }),
        );
    }
    responses.into()
}

/// The problems of a route by status: those it names, and those that any such route may answer.
fn by_status<S>(route: &Route<S>) -> BTreeMap<String, Vec<Code>> {
    let mut codes = route.operation.problems.clone();
    if matches!(route.access, Access::Does(_)) {
        codes.extend([Code::Unauthenticated, Code::AuthorityEnded, Code::Refused]);
    }
    // A part of a path may be percent-encoded wrongly, and a query may be sent where there is none.
    if route.path.contains('{') || !route.takes_query() {
        codes.push(Code::Malformed);
    }
    codes.extend([
        Code::Internal,
        Code::Busy,
        Code::DatabaseUnavailable,
        Code::OutcomeUnknown,
        Code::Timeout,
    ]);
    codes.sort_unstable();
    codes.dedup();
    let mut by_status: BTreeMap<String, Vec<Code>> = BTreeMap::new();
    for code in codes {
        by_status
            .entry(code.status().as_u16().to_string())
            .or_default()
            .push(code);
    }
    by_status
}

/// The schemas of requests and answers in one place. A type whose answer differs from its request
/// gets a second schema, `<name>Answer`, and the references of the answers follow it.
fn merge(mut generators: Generators, paths: &mut Value) -> Map<String, Value> {
    let mut schemas = generators.requests.take_definitions(true);
    let answers = generators.answers.take_definitions(true);
    let renamed: BTreeMap<String, String> = answers
        .iter()
        .filter(|(name, schema)| schemas.get(*name).is_some_and(|other| other != *schema))
        .map(|(name, _)| (format!("{SCHEMAS}{name}"), format!("{SCHEMAS}{name}Answer")))
        .collect();
    for (name, mut schema) in answers {
        rename(&mut schema, &renamed);
        let name = match renamed.get(&format!("{SCHEMAS}{name}")) {
            Some(reference) => reference.trim_start_matches(SCHEMAS).to_owned(),
            None => name,
        };
        schemas.insert(name, schema);
    }
    let operations = paths
        .as_object_mut()
        .into_iter()
        .flat_map(Map::values_mut)
        .filter_map(Value::as_object_mut)
        .flat_map(Map::values_mut);
    for operation in operations {
        if let Some(responses) = operation.get_mut("responses") {
            rename(responses, &renamed);
        }
    }
    schemas
}

fn rename(value: &mut Value, renamed: &BTreeMap<String, String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object.iter_mut() {
                match value {
                    Value::String(text) if key == "$ref" => {
                        if let Some(other) = renamed.get(text) {
                            text.clone_from(other);
                        }
                    }
                    other => rename(other, renamed),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, renamed)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
