//! `GET /v1/reference`: everything that an author of templates can look up, made of the schema and of the helpers.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};

use crate::http::api::skills::shown::Shown;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{HTML, MARKDOWN, Readable};
use crate::http::pages::reference_page;
use crate::http::problem::Problem;
use crate::http::route::Operation;
use crate::store::queries::UseTemplates;
use crate::template::reference::Reference;

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Read the reference for authors of templates")
        .description("Every field with its type, nullability and a sample, every helper with an example, how to guard what may be null, and what is refused. With `Accept: text/markdown` or `Accept: text/html` it is a document to read.")
        .tag("templates")
        .answer::<Reference>(StatusCode::OK)
        .or_text(MARKDOWN)
        .or_text(HTML)
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    form: Readable,
) -> Result<Response, Problem> {
    let schema = app.store.view(&caller, UseTemplates).await?.into_inner();
    let reference = Reference::of(&schema);
    Ok(match form {
        Readable::Markdown => Shown::<Reference>::Markdown(reference.to_markdown()).into_response(),
        Readable::Html => Shown::<Reference>::Page(reference_page(&reference)).into_response(),
        Readable::Json => Shown::Json(Json(reference)).into_response(),
    })
}
