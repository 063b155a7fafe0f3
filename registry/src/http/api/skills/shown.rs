//! The forms in which a skill is read, JSON and the SKILL.md itself, and those of what is a page as well.

use axum::Json;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use maud::Markup;
use serde::Serialize;

use crate::http::extract::{Form, MARKDOWN};
use crate::http::pages::answer_page;
use crate::http::problem::Code;
use crate::http::route::Operation;
use crate::store::Bodies;

/// The form in which a skill is answered: JSON, or its SKILL.md.
pub(in crate::http) enum Shown<T> {
    /// As JSON.
    Json(Json<T>),
    /// The SKILL.md, byte for byte.
    Markdown(String),
    /// A page, for what has one.
    Page(Markup),
}

impl<T: Serialize> IntoResponse for Shown<T> {
    fn into_response(self) -> Response {
        // What a cache holds for one form is not the answer to the other.
        let vary = [(header::VARY, HeaderValue::from_static("accept"))];
        match self {
            Self::Json(json) => (vary, json).into_response(),
            Self::Markdown(text) => {
                let kind = HeaderValue::from_static("text/markdown; charset=utf-8");
                (vary, [(header::CONTENT_TYPE, kind)], text).into_response()
            }
            Self::Page(page) => (vary, answer_page(page.into_string())).into_response(),
        }
    }
}

/// Which part of a skill a form cannot do without.
pub(super) fn bodies(form: Form) -> Bodies {
    match form {
        Form::Json => Bodies::WhereAllowed,
        Form::Markdown => Bodies::Required,
    }
}

/// Says that an operation answers the SKILL.md as well.
pub(in crate::http::api) fn or_skill_md(operation: Operation) -> Operation {
    operation.or_text(MARKDOWN).problems(&[Code::Refused])
}
