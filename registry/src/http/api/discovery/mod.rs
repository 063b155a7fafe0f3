//! Skills for everybody, at the well-known paths where installers look for them; served only where the operator has turned it on.
//!
//! The formats are those of "Agent Skills Discovery via Well-Known URIs", 0.2.0 and 0.1.0.

pub(in crate::http) mod archive;
pub(in crate::http) mod file;
pub(in crate::http) mod index;
pub(in crate::http) mod legacy;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use vestry_policies::Digest;

use crate::http::app::App;
use crate::http::extract::{ClientAddress, IfNoneMatch, PathPart};
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::PublicSkills;

/// May be kept, and is asked about each time it is used: what was recalled is nowhere the moment after.
const REVALIDATED: HeaderValue = HeaderValue::from_static("public, no-cache");

/// What these routes have in common.
fn described(operation: Operation) -> Operation {
    operation
        .tag("discovery")
        .conditional()
        .problems(&[Code::TooManyRequests])
}

/// A request of somebody who need not say who it is, within the limit of its address.
pub(in crate::http) struct Anyone;

impl FromRequestParts<App> for Anyone {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let ClientAddress(address) = ClientAddress::from_request_parts(parts, app).await?;
        app.public_limit.check(address)?;
        Ok(Self)
    }
}

/// What is public. Where nothing is, these paths are not served.
fn public(app: &App) -> Result<PublicSkills<'_>, Problem> {
    app.store.public_skills().ok_or(Problem::NotFound)
}

/// A part of a path, whatever it is: what names nothing is not there.
pub(in crate::http) struct Any(String);

impl PathPart for Any {
    fn parse(text: &str) -> Result<Self, Problem> {
        Ok(Self(text.to_owned()))
    }
}

/// Whether the client has these bytes already.
fn has(IfNoneMatch(tags): &IfNoneMatch, digest: Digest) -> bool {
    let current = digest.to_string();
    tags.as_ref()
        .is_some_and(|tags| tags.include(Some(&current)))
}

/// An answer whose bytes have this digest; without them for a client that has them.
fn answer(digest: Digest, media: &'static str, body: Option<Body>) -> Result<Response, Problem> {
    let tag = HeaderValue::from_str(&format!("\"{digest}\"")).map_err(Problem::internal)?;
    let headers = [(header::ETAG, tag), (header::CACHE_CONTROL, REVALIDATED)];
    Ok(match body {
        None => (StatusCode::NOT_MODIFIED, headers).into_response(),
        Some(body) => {
            let media = [(header::CONTENT_TYPE, HeaderValue::from_static(media))];
            (headers, media, body).into_response()
        }
    })
}

/// An answer that is to be saved and not to be shown: whoever wrote the skill wrote it.
fn to_be_saved(mut response: Response) -> Response {
    response.headers_mut().insert(
        header::CONTENT_DISPOSITION,
        HeaderValue::from_static("attachment"),
    );
    response
}
