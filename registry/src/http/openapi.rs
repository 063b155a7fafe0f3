//! `/openapi.json` and `/docs`: the document of the table, itself included, and the page of it, built once.

use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::pages::{docs_page, routes as docs_routes, with_examples};
use super::problem::Problem;
use super::route::{Access, Operation, Route, Table};

const JSON: &str = "application/json";

/// The table with the rows that serve its OpenAPI document and the page of that.
#[must_use]
pub fn with_openapi<S: Clone + Send + Sync + 'static>(
    mut table: Table<S>,
    version: &str,
) -> Table<S> {
    // The row has to be in the table before the document is made of the table.
    let document = Arc::new(OnceLock::<Bytes>::new());
    let served = Arc::clone(&document);
    table.0.push(Route::get(
        "/openapi.json",
        Access::Public,
        move || {
            let document = Arc::clone(&served);
            async move { answer(&document) }
        },
        Operation::new("This document")
            .tag("operation")
            .answer_text(StatusCode::OK, JSON),
    ));
    let page = Arc::new(OnceLock::<Bytes>::new());
    table.0.extend(docs_routes(&page));
    let described = with_examples(table.openapi(version));
    // Nobody else has the cells yet, so that they are empty.
    let _ = document.set(Bytes::from(described.to_string()));
    let _ = page.set(Bytes::from(docs_page(&described)));
    table
}

fn answer(document: &OnceLock<Bytes>) -> Result<Response, Problem> {
    let bytes = document
        .get()
        .ok_or_else(|| Problem::internal("the OpenAPI document was not built"))?;
    Ok(([(header::CONTENT_TYPE, JSON)], bytes.clone()).into_response())
}
