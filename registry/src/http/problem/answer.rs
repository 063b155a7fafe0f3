//! A problem as an answer.

use std::borrow::Cow;
use std::sync::Arc;

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use vestry_policies::Rule;

use crate::store::templates::{FailingTemplate, SchemaReport};
use crate::template::evolve::Change;
use crate::template::schema::SchemaFault;
use crate::template::{Diagnostic, Diagnostics};

use super::{Code, PROBLEM_JSON, Problem};

impl Problem {
    /// What is sent.
    #[must_use]
    pub fn document(&self) -> Document<'_> {
        let code = self.code();
        Document {
            r#type: code.type_uri(),
            title: code.title(),
            status: code.status().as_u16(),
            code: code.as_str(),
            detail: self.detail(),
            rule: self.rule().map(Rule::as_str),
            field: self.field(),
            diagnostics: match self {
                Self::TemplateRefused(diagnostics) => Some(diagnostics),
                _ => None,
            },
            faults: match self {
                Self::InvalidSchema(faults) => Some(faults),
                _ => None,
            },
            changes: self.report().map(|report| &*report.changes),
            failing: self.report().map(|report| &*report.failing),
        }
    }

    fn report(&self) -> Option<&SchemaReport> {
        match self {
            Self::SchemaBreaking(report) => Some(report),
            _ => None,
        }
    }

    /// A header that belongs to the answer, besides the content type.
    fn header(&self) -> Option<(header::HeaderName, HeaderValue)> {
        match self {
            Self::Unauthenticated(_)
            | Self::AuthorityEnded
            | Self::OfferInvalid
            | Self::OfferExpired => {
                Some((header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")))
            }
            Self::MethodNotAllowed { allow } => HeaderValue::from_str(allow)
                .ok()
                .map(|value| (header::ALLOW, value)),
            Self::TooManyRequests { retry_after } | Self::Busy { retry_after, .. } => Some((
                header::RETRY_AFTER,
                HeaderValue::from((*retry_after).max(1)),
            )),
            Self::Timeout | Self::DatabaseUnavailable | Self::OutcomeUnknown => {
                Some((header::RETRY_AFTER, HeaderValue::from(1)))
            }
            _ => None,
        }
    }
}

/// A problem as it is sent.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub struct Document<'a> {
    /// A relative reference to the explanation of the code.
    pub r#type: &'a str,
    /// What kind of problem this is; the same for every answer with this code.
    pub title: &'a str,
    /// The status of the answer.
    pub status: u16,
    /// The stable code of the problem.
    #[schemars(extend("enum" = codes()))]
    pub code: &'a str,
    /// One sentence that says what to do.
    pub detail: Cow<'a, str>,
    /// The rule that refused, for `refused`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'a str>,
    /// The path of the field in the body (`files[0].path`), or the name of the parameter or header.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<&'a str>,
    /// All that is wrong with a template, for `template-refused`; lines and columns are those of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<Diagnostic>>")]
    pub diagnostics: Option<&'a Diagnostics>,
    /// All that is wrong with a context schema, for `invalid-schema`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<&'a [SchemaFault]>,
    /// What a context schema changes, for `schema-breaking`; at most 1,000 changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changes: Option<&'a [Change]>,
    /// The live templates that fail under it, for `schema-breaking`; at most 5,000 of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing: Option<&'a [FailingTemplate]>,
}

fn codes() -> Vec<&'static str> {
    Code::ALL.iter().map(|code| code.as_str()).collect()
}

/// The cause behind a 500, as an extension of the response: for the middleware to log, once.
#[derive(Clone)]
pub struct Failure(pub Arc<dyn std::error::Error + Send + Sync>);

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let code = self.code();
        // A document of texts and a number always serialises; were it ever not to, the status still tells.
        let body = serde_json::to_vec(&self.document()).unwrap_or_default();
        let mut response = (
            code.status(),
            [(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON))],
            body,
        )
            .into_response();
        if let Some((name, value)) = self.header() {
            response.headers_mut().insert(name, value);
        }
        response.extensions_mut().insert(code);
        if let Self::Internal(cause) | Self::BodyUnreadable { cause, .. } = self {
            response.extensions_mut().insert(Failure(cause.into()));
        }
        response
    }
}
