//! The extractor of whoever calls. It comes first in every handler, so that nothing of a request is looked at before.

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;

use super::app::App;
use super::problem::Problem;
use crate::identity::Caller;
use crate::store::Authenticated;

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
        match app.store.authenticate(bearer).await? {
            Authenticated::Caller(caller) => Ok(Self(caller)),
            Authenticated::Invalid => Err(Problem::unauthenticated()),
            Authenticated::AuthorityEnded => Err(Problem::AuthorityEnded),
        }
    }
}
