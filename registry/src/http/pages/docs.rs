//! `/docs`: the OpenAPI document as a page to read, with an example of each operation.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};
use serde_json::Value;

use super::parts::{answer_page, described, head};
use super::schema::{Field, fields, kind, text};
use crate::http::problem::Problem;
use crate::http::route::{Access, Operation, Route};

const STYLE: &str = include_str!("docs.css");
/// Where the reference for authors of templates is.
const REFERENCE: &str = "/v1/reference";
const METHODS: [&str; 4] = ["get", "put", "post", "delete"];
/// The rows of the page and its style. The page is what is put into the cell.
pub(in crate::http) fn routes<S: Clone + Send + Sync + 'static>(
    page: &Arc<OnceLock<Bytes>>,
) -> Vec<Route<S>> {
    let page = Arc::clone(page);
    vec![
        Route::get(
            "/docs",
            Access::Public,
            move || {
                let page = Arc::clone(&page);
                async move { answer(&page) }
            },
            Operation::new("The API, to read")
                .tag("operation")
                .answer_text(StatusCode::OK, "text/html"),
        ),
        Route::get(
            "/docs/style.css",
            Access::Public,
            async || ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], STYLE).into_response(),
            Operation::new("The style of that page")
                .tag("operation")
                .answer_text(StatusCode::OK, "text/css"),
        ),
    ]
}

fn answer(page: &OnceLock<Bytes>) -> Result<Response, Problem> {
    let bytes = page
        .get()
        .ok_or_else(|| Problem::internal("the page of the API was not built"))?;
    Ok(answer_page(bytes.clone()))
}

/// The page of an OpenAPI document.
pub(in crate::http) fn docs_page(document: &Value) -> String {
    let mut groups: Vec<(String, Vec<Entry<'_>>)> = Vec::new();
    for entry in entries(document) {
        let tag = entry
            .operation
            .pointer("/tags/0")
            .and_then(Value::as_str)
            .unwrap_or("other")
            .to_owned();
        match groups.iter_mut().find(|(name, _)| *name == tag) {
            Some((_, group)) => group.push(entry),
            None => groups.push((tag, vec![entry])),
        }
    }
    let version = document.pointer("/info/version").and_then(Value::as_str);
    html! {
        (DOCTYPE)
        html lang="en" {
            (head("Vestry API"))
            body {
                header {
                    h1 { "Vestry API " small { (version.unwrap_or_default()) } }
                    p { (described(&text(document.get("info").unwrap_or(&Value::Null), "description"))) }
                    p {
                        "The same for programs: " a href="/openapi.json" { "openapi.json" } ". Every problem that can be answered: "
                        a href="/problems" { "problems" } "."
                    }
                    p {
                        "What templates may read and call: " a href=(REFERENCE) { "the reference for authors" } ", which needs a token, as JSON, Markdown or a page by "
                        code { "Accept" } "."
                    }
                }
                nav {
                    @for (tag, group) in &groups {
                        details open {
                            summary { (tag) }
                            ul { @for entry in group { li { a href={ "#" (entry.id()) } { (entry.label()) } } } }
                        }
                    }
                }
                main {
                    @for (tag, group) in &groups {
                        section {
                            h2 { (tag) }
                            @for entry in group { (entry.article(document)) }
                        }
                    }
                }
            }
        }
    }
    .into_string()
}

/// An operation with its place.
struct Entry<'a> {
    method: &'static str,
    path: &'a str,
    operation: &'a Value,
}

fn entries(document: &Value) -> Vec<Entry<'_>> {
    let paths = document.get("paths").and_then(Value::as_object);
    paths
        .into_iter()
        .flatten()
        .flat_map(|(path, item)| {
            METHODS.into_iter().filter_map(move |method| {
                item.get(method).map(|operation| Entry {
                    method,
                    path,
                    operation,
                })
            })
        })
        .collect()
}

impl Entry<'_> {
    fn id(&self) -> String {
        text(self.operation, "operationId")
    }

    fn label(&self) -> String {
        format!("{} {}", self.method.to_ascii_uppercase(), self.path)
    }

    fn article(&self, document: &Value) -> Markup {
        let operation = self.operation;
        let parameters = operation.get("parameters").and_then(Value::as_array);
        let body = operation.pointer("/requestBody/content/application~1json/schema");
        let public = operation
            .get("security")
            .and_then(Value::as_array)
            .is_some_and(Vec::is_empty);
        html! {
            article id=(self.id()) {
                h3 { span.method { (self.method.to_ascii_uppercase()) } " " code { (self.path) } }
                p { strong { (text(operation, "summary")) } }
                p { (described(&text(operation, "description"))) }
                @if public { p.note { "Needs no credential." } }
                @else { p.note { "Action: " code { (text(operation, "x-action")) } } }
                @if let Some(parameters) = parameters { (table("Parameters", &parameters.iter().map(|parameter| Field {
                    name: text(parameter, "name"),
                    kind: format!("{}, {}", text(parameter, "in"), kind(document, parameter.get("schema").unwrap_or(&Value::Null))),
                    is_required: parameter.get("required") == Some(&Value::Bool(true)),
                    description: text(parameter, "description"),
                }).collect::<Vec<_>>())) }
                @if let Some(schema) = body { (table("Body", &fields(document, schema))) }
                (self.answers(document))
                (self.example())
            }
        }
    }

    fn answers(&self, document: &Value) -> Markup {
        let responses = self.operation.get("responses").and_then(Value::as_object);
        html! {
            @for (status, response) in responses.into_iter().flatten() {
                @if response.get("x-codes").is_none() {
                    @if let Some(schema) = response.pointer("/content/application~1json/schema") {
                        (table(&format!("Answer {status}"), &fields(document, schema)))
                    } @else {
                        p.note { "Answer " (status) }
                    }
                }
            }
            p.note {
                "Problems: "
                @for (status, response) in responses.into_iter().flatten() {
                    @for code in response.get("x-codes").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
                        a href={ "/problems/" (code) } { (status) " " (code) } " "
                    }
                }
            }
        }
    }

    fn example(&self) -> Markup {
        let Some(example) = self.operation.get("x-example") else {
            return html! {};
        };
        let status = example.get("status").map(ToString::to_string);
        html! {
            details {
                summary { "Example, by " (text(example, "by")) }
                pre { code { (curl(self.method, example)) } }
                p.note { (status.unwrap_or_default()) }
                @match example.get("answer") {
                    Some(Value::String(answer)) => pre { code { (answer) } },
                    Some(Value::Null) | None => {},
                    Some(answer) => pre { code { (pretty(answer)) } },
                }
            }
        }
    }
}

/// The line that sends an example.
fn curl(method: &str, example: &Value) -> String {
    let mut line = format!("curl -X {}", method.to_ascii_uppercase());
    if text(example, "by") != "nobody" {
        line.push_str(" -H \"Authorization: Bearer $TOKEN\"");
    }
    let headers = example.get("headers").and_then(Value::as_object);
    for (name, value) in headers.into_iter().flatten() {
        // Writing to a String cannot fail.
        let _ = write!(line, " -H '{name}: {}'", value.as_str().unwrap_or_default());
    }
    match example.get("body") {
        Some(Value::Null) | None => {}
        Some(body) => {
            let _ = write!(line, " --json '{}'", pretty(body).replace('\'', "'\\''"));
        }
    }
    let _ = write!(line, " \"$VESTRY{}\"", text(example, "path"));
    line
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn table(title: &str, rows: &[Field]) -> Markup {
    html! {
        @if !rows.is_empty() {
            table {
                caption { (title) }
                @for Field { name, kind, is_required, description } in rows {
                    tr {
                        td { code { (name) } @if *is_required { span.required title="required" { "*" } } }
                        td { (kind) }
                        td { (described(description)) }
                    }
                }
            }
        }
    }
}
