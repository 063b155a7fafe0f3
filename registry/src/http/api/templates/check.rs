//! `POST /v1/templates/check`: what a publication would say of a template.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::Body;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::StoreError;
use crate::store::queries::UseTemplates;
use crate::template::Diagnostics;

/// A template.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// Its text: the body of a skill, without frontmatter.
    source: String,
}

/// What was proved of it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// Whether it would be taken.
    accepted: bool,
    /// What is wrong, and what its author may not mean.
    #[schemars(with = "Vec<crate::template::Diagnostic>")]
    diagnostics: Diagnostics,
    /// The fields that it reads, with `*` for the items of a list: what a host has to give for it.
    reads: Vec<String>,
    /// The most steps that it can take; 200,000 are allowed. Left out when it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<u64>,
    /// The most bytes that it can write. Left out when it is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Check a template")
        .description("Against the active context schema, in every situation. A refused template is an answer here, and 422 where it is published.")
        .tag("templates")
        .body::<Request>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[Code::TemplateFailed])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Body(request): Body<Request>,
) -> Result<Json<Answer>, Problem> {
    app.store.view(&caller, UseTemplates).await?;
    Ok(Json(
        match app.store.ready_template(&caller, &request.source).await {
            Ok(ready) => Answer {
                accepted: true,
                diagnostics: ready.checked.warnings().clone(),
                reads: ready.checked.reads().iter().cloned().collect(),
                steps: Some(ready.checked.cost().steps),
                bytes: Some(ready.checked.cost().bytes),
            },
            Err(StoreError::TemplateRefused(diagnostics)) => Answer {
                accepted: false,
                diagnostics: *diagnostics,
                reads: Vec::new(),
                steps: None,
                bytes: None,
            },
            Err(error) => return Err(error.into()),
        },
    ))
}
