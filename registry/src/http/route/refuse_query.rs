//! Refuses a query where there is none: `?dry_run=true` on a route that does not know it would do the thing.

use std::convert::Infallible;
use std::future::{Ready, ready};
use std::task::{Context, Poll};

use axum::extract::Request;
use axum::response::{IntoResponse as _, Response};
use tower::util::Either;
use tower::{Layer, Service};

use crate::http::problem::Problem;

/// The layer of routes that take no query.
#[derive(Clone, Copy)]
pub(super) struct RefuseQueryLayer;

/// A route inside the layer.
#[derive(Clone)]
pub(super) struct RefuseQuery<I>(I);

impl<I> Layer<I> for RefuseQueryLayer {
    type Service = RefuseQuery<I>;

    fn layer(&self, inner: I) -> RefuseQuery<I> {
        RefuseQuery(inner)
    }
}

impl<I: Service<Request, Response = Response, Error = Infallible>> Service<Request>
    for RefuseQuery<I>
{
    type Response = Response;
    type Error = Infallible;
    // No box: this is on the way of every turn.
    type Future = <Either<Refuse, I> as Service<Request>>::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if request.uri().query().unwrap_or_default().is_empty() {
            Either::<Refuse, &mut I>::Right(&mut self.0).call(request)
        } else {
            Either::<Refuse, &mut I>::Left(Refuse).call(request)
        }
    }
}

/// What such a route is when there is one.
pub(super) struct Refuse;

impl Service<Request> for Refuse {
    type Response = Response;
    type Error = Infallible;
    type Future = Ready<Result<Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request) -> Self::Future {
        let problem = Problem::malformed(
            "This route takes no query. Leave out the question mark and what comes after it.",
        );
        ready(Ok(problem.into_response()))
    }
}
