//! Which of two forms of an answer the client wants.

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;

use super::upload::BYTES;
use crate::http::problem::Problem;

/// Whether the client asks for the raw bytes of a file: it names their media type and does not refuse it. Everything else,
/// `*/*` included, gets JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WantsBytes(pub bool);

impl<S: Send + Sync> FromRequestParts<S> for WantsBytes {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let names = parts
            .headers
            .get_all(header::ACCEPT)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|text| text.split(','))
            .any(|range| {
                let mut parts = range.split(';').map(str::trim);
                let named = parts
                    .next()
                    .is_some_and(|media| media.eq_ignore_ascii_case(BYTES));
                named && !parts.any(is_zero)
            });
        Ok(Self(names))
    }
}

/// `q=0`: the client takes anything but this.
fn is_zero(parameter: &str) -> bool {
    parameter
        .split_once('=')
        .filter(|(key, _)| key.trim().eq_ignore_ascii_case("q"))
        .and_then(|(_, value)| value.trim().parse::<f32>().ok())
        .is_some_and(|quality| quality <= 0.0)
}
