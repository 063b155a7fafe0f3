//! The extractor of requests that change something: a strict body, with what the audit log and idempotency need.

use axum::extract::{FromRequest, FromRequestParts as _, Request};
use serde::de::DeserializeOwned;

use super::extract::{IdempotencyKey, RequestId, parse_json, read_json, refuse_nul};
use super::problem::Problem;
use crate::content::sha256_text;
use crate::store::{IdempotentRequest, RequestFacts};

/// A request that changes something.
#[derive(Debug, Clone)]
pub(crate) struct Mutation<T> {
    /// The body.
    pub body: T,
    /// What goes beside the action.
    pub facts: RequestFacts,
}

impl<T, S> FromRequest<S> for Mutation<T>
where
    T: DeserializeOwned,
    S: Send + Sync,
{
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let (mut parts, body) = request.into_parts();
        let RequestId(request_id) = RequestId::from_request_parts(&mut parts, state).await?;
        let IdempotencyKey(key) = IdempotencyKey::from_request_parts(&mut parts, state).await?;
        let route = format!("{} {}", parts.method, parts.uri.path());
        let bytes = read_json(Request::from_parts(parts, body)).await?;
        let body = parse_json(&bytes)?;
        refuse_nul(&bytes)?;
        Ok(Self {
            body,
            facts: RequestFacts {
                request_id: Some(request_id.to_string()),
                idempotency: key.map(|key| IdempotentRequest {
                    key,
                    route,
                    payload: sha256_text(&bytes),
                    part_of: None,
                }),
            },
        })
    }
}

/// The facts of a request that has no idempotency key.
#[must_use]
pub(super) fn facts(request_id: &RequestId) -> RequestFacts {
    RequestFacts {
        request_id: Some(request_id.0.to_string()),
        idempotency: None,
    }
}
