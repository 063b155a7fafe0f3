//! The OpenAPI document: valid, complete, and reviewed where it changes.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;

use serde_json::Value;
use vestry::http::problem::Code;
use vestry::http::routes;

use super::document::Api;
use crate::harness::{Directory, TestServer, skipped};

fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            operations.push((method.clone(), path.clone(), operation));
        }
    }
    operations
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_serves_the_document_of_its_table() {
    let server = TestServer::start().await;
    let served = server.client().get("/openapi.json").await.expect(200);
    assert_eq!(served.headers["content-type"], "application/json");
    let mut document = served.body;
    document["info"]["version"] = "0.0.0".into();
    without_examples(&mut document["paths"]);
    assert_eq!(&document, Api::new().document());
    assert_eq!(document["openapi"], "3.1.0");
}

/// The examples have a test of their own.
fn without_examples(paths: &mut Value) {
    for operation in paths
        .as_object_mut()
        .unwrap()
        .values_mut()
        .flat_map(|item| item.as_object_mut().unwrap().values_mut())
    {
        operation.as_object_mut().unwrap().remove("x-example");
        let contents = |holder: &mut Value| {
            if let Some(content) = holder["content"].as_object_mut() {
                for kind in content.values_mut() {
                    kind.as_object_mut().unwrap().remove("example");
                }
            }
        };
        if operation.get("requestBody").is_some() {
            contents(&mut operation["requestBody"]);
        }
        for response in operation["responses"].as_object_mut().unwrap().values_mut() {
            if response.get("content").is_some() {
                contents(response);
            }
        }
    }
}

#[test]
fn every_operation_says_what_it_is_and_what_it_answers() {
    let api = Api::new();
    let mut ids = BTreeSet::new();
    let mut referenced = BTreeSet::new();
    references(api.document(), &mut referenced);
    for (method, path, operation) in operations(api.document()) {
        let name = format!("{method} {path}");
        let summary = operation["summary"].as_str().unwrap_or_default();
        assert!(
            summary.len() >= 6 && !summary.ends_with('.'),
            "{name}: {summary:?}"
        );
        assert!(
            ids.insert(operation["operationId"].to_string()),
            "{name}: its id is there twice"
        );
        assert!(operation["tags"].is_array(), "{name} has no tag");
        let responses = operation["responses"].as_object().unwrap();
        assert!(
            responses.keys().any(|status| status.starts_with('2')),
            "{name} never succeeds"
        );
        for (status, response) in responses {
            assert!(
                !response["description"].as_str().unwrap().is_empty(),
                "{name} {status}"
            );
            if status.starts_with(['4', '5']) && status != "503" {
                let schema = &response["content"]["application/problem+json"]["schema"];
                assert_eq!(
                    schema["$ref"], "#/components/schemas/Problem",
                    "{name} {status}"
                );
            }
        }
        let secured = operation["security"].as_array().unwrap().len();
        assert_eq!(
            secured == 1,
            responses.contains_key("401") && path != "/v1/login" && path != "/v1/refresh",
            "{name}"
        );
        let in_path = path.matches('{').count();
        let parameters = operation["parameters"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let described = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "path")
            .count();
        assert_eq!(in_path, described, "{name}");
    }
    let schemas = api.document()["components"]["schemas"].as_object().unwrap();
    for name in &referenced {
        assert!(schemas.contains_key(name), "the schema {name} is missing");
    }
    for name in schemas.keys() {
        assert!(
            referenced.contains(name),
            "nothing refers to the schema {name}"
        );
    }
    assert_eq!(routes::table().rows().len(), ids.len());
    assert!(routes::table().lenient().is_empty());
}

fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            if let Some(name) = object.get("$ref").and_then(Value::as_str) {
                found.insert(name.rsplit('/').next().unwrap().to_owned());
            }
            object.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        _ => {}
    }
}

#[test]
fn an_independent_validator_agrees() {
    let directory = Directory::new();
    let file = directory.path().join("openapi.json");
    std::fs::write(&file, Api::new().document().to_string()).unwrap();
    let script = "import json, sys\n\
        try:\n    from openapi_spec_validator import OpenAPIV31SpecValidator as V\n\
        except ImportError:\n    sys.exit(77)\n\
        errors = [str(e.message) + ' at ' + str(list(e.absolute_path)) for e in V(json.load(open(sys.argv[1]))).iter_errors()]\n\
        print('\\n'.join(errors)); sys.exit(1 if errors else 0)";
    let ran = Command::new("python3")
        .args(["-c", script])
        .arg(&file)
        .output();
    match ran {
        Ok(output) if output.status.code() == Some(77) => {
            skipped("the Python package openapi-spec-validator is not installed");
        }
        Err(error) => skipped(&format!("there is no python3: {error}")),
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(
                output.status.success(),
                "{text}{}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
}

/// One line an operation, so that a change of the contract is one line of a review.
#[test]
fn the_contract_has_not_changed_unnoticed() {
    let api = Api::new();
    let mut text = String::new();
    for (method, path, operation) in operations(api.document()) {
        write!(text, "{} {path}", method.to_uppercase()).unwrap();
        if let Some(action) = operation["x-action"].as_str() {
            write!(text, " [{action}]").unwrap();
        }
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            if parameter["in"] != "path" {
                let mark = if parameter["required"] == true {
                    "!"
                } else {
                    ""
                };
                write!(
                    text,
                    " {}:{}{mark}",
                    parameter["in"].as_str().unwrap(),
                    parameter["name"].as_str().unwrap()
                )
                .unwrap();
            }
        }
        text.push('\n');
        let method = hyper::Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
        if let Some(schema) = api.body_schema(&method, &path) {
            writeln!(text, "  takes {}", members(schema)).unwrap();
        }
        for (status, response) in operation["responses"].as_object().unwrap() {
            let codes: Vec<&str> = response["x-codes"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            if status.starts_with('5') {
                continue;
            }
            let schema = &response["content"]["application/json"]["schema"];
            let shape = schema["$ref"].as_str().map_or(String::new(), |name| {
                let name = name.rsplit('/').next().unwrap();
                format!(
                    " {name} {}",
                    members(&api.document()["components"]["schemas"][name])
                )
            });
            writeln!(text, "  {status}{shape} {}", codes.join(" ")).unwrap();
        }
    }
    let trimmed: Vec<&str> = text.lines().map(str::trim_end).collect();
    insta::assert_snapshot!(trimmed.join("\n"));
}

fn members(schema: &Value) -> String {
    let required: BTreeSet<&str> = schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let members: Vec<String> = schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| {
            if required.contains(name.as_str()) {
                format!("{name}!")
            } else {
                name.clone()
            }
        })
        .collect();
    format!("{{{}}}", members.join(" "))
}

#[test]
fn every_code_is_documented_somewhere() {
    let api = Api::new();
    let mut documented = BTreeSet::new();
    for (_, _, operation) in operations(api.document()) {
        for response in operation["responses"].as_object().unwrap().values() {
            for code in response["x-codes"].as_array().into_iter().flatten() {
                documented.insert(code.as_str().unwrap().to_owned());
            }
        }
    }
    // 405 is what a path answers that has no such operation.
    let missing: Vec<&str> = Code::ALL
        .iter()
        .map(|code| code.as_str())
        .filter(|code| !documented.contains(*code) && *code != "method-not-allowed")
        .collect();
    assert!(missing.is_empty(), "no operation documents {missing:?}");
}
