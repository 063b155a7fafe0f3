//! The extractor of whoever calls. It comes first in every handler, so that nothing of a request is looked at before.

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;

use super::app::App;
use super::problem::Problem;
use crate::identity::Caller;
use crate::store::{Authenticated, Freshness};

/// The one route whose answers may be as old as the operator allows.
const CATALOG: &str = "/v1/catalog";

/// The authenticated caller, whose authority stands.
#[derive(Debug, Clone)]
pub(crate) struct Authed(pub Caller);

impl FromRequestParts<App> for Authed {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let mut values = parts.headers.get_all(header::AUTHORIZATION).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return Err(Problem::unauthenticated());
        };
        let bearer = value
            .to_str()
            .ok()
            .and_then(|text| text.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map(|(_, token)| token)
            .ok_or_else(Problem::unauthenticated)?;
        match app.store.authenticate(bearer, freshness(parts)?).await? {
            Authenticated::Caller(caller) => Ok(Self(caller)),
            Authenticated::Invalid => Err(Problem::unauthenticated()),
            Authenticated::AuthorityEnded => Err(Problem::AuthorityEnded),
        }
    }
}

/// The header that names what an answer has to reflect.
pub(crate) const MIN_VERSION: &str = "vestry-min-version";

/// What the request asks of the freshness of its answer. Only catalogs may be as old as the operator allows.
fn freshness(parts: &Parts) -> Result<Freshness, Problem> {
    let min_version = match parts.headers.get(MIN_VERSION) {
        None => None,
        Some(value) => {
            let text = value.to_str().unwrap_or_default();
            let version = text.parse().map_err(|error| {
                Problem::malformed(format!("`Vestry-Min-Version` is no version: {error}."))
            })?;
            Some(version)
        }
    };
    Ok(Freshness {
        may_be_stale: parts.uri.path() == CATALOG,
        min_version,
    })
}
