//! `POST /v1/templates/render`: a template over a sample, or over a given context.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{Body, present, without_null_defaults};
use crate::http::problem::{Code, Fault, Problem};
use crate::http::route::Operation;
use crate::store::queries::UseTemplates;
use crate::template::samples;

/// A template, and what it is rendered with: one of `sample` and `context`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null_defaults)]
pub(in crate::http) struct Request {
    /// Its text: the body of a skill, without frontmatter.
    source: String,
    /// The name of a sample, such as `task-start`, `task-start-empty` or `task-start-sparse`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    sample: Option<String>,
    /// The data of a run. Of the fields that must be given those suffice that the template reads. It is not kept.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Map<String, Value>")]
    context: Option<Map<String, Value>>,
}

/// What it writes.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// The text.
    text: String,
    /// Whether its end was left out, because it is too long.
    cut: bool,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Render a template")
        .description("Nothing of the context is kept.")
        .tag("templates")
        .body::<Request>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[
            Code::InvalidContent,
            Code::TemplateRefused,
            Code::InvalidContext,
            Code::TemplateFailed,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Body(request): Body<Request>,
) -> Result<Json<Answer>, Problem> {
    let schema = app.store.view(&caller, UseTemplates).await?.into_inner();
    let Request {
        source,
        sample,
        context,
    } = request;
    let rendered = match (sample, context) {
        (Some(name), None) => {
            let sample = samples::sample(&schema, &name).ok_or_else(|| {
                let names: Vec<String> = samples::samples(&schema)
                    .into_iter()
                    .map(|sample| sample.name)
                    .collect();
                let detail = format!("There is no such sample. There are {}.", names.join(", "));
                Problem::InvalidContent(Fault::at("sample", detail))
            })?;
            app.store
                .render_sample(&caller, &source, schema, sample.context)
                .await?
        }
        (None, context) => {
            let context = context.map(Value::Object);
            app.store
                .render_template(&caller, &source, context.as_ref(), &[])
                .await?
        }
        (Some(_), Some(_)) => {
            return Err(Problem::InvalidContent(Fault::at(
                "sample",
                "Send `sample` or `context`, not both.",
            )));
        }
    };
    Ok(Json(Answer {
        text: rendered.text,
        cut: rendered.cut,
    }))
}
