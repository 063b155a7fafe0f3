//! What happens to every request, in one layer: its id, its client's address, the deadline, the guard
//! against panics, the security headers, the count and the line in the access log.
//!
//! One layer and one boxed future instead of a stack of them, because the catalog is asked for on
//! every turn of every agent. It goes on with [`axum::Router::layer`], inside the routing, so that it
//! knows the template of the route: a raw path never reaches a log or a metric.

mod linger;
mod origin;
mod visit;

use std::any::Any;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use tower::{Layer, Service};

use super::extract::{BODY_LIMIT, TrustedProxies};
use super::metrics::{HttpMetrics, RouteMetrics};
use super::problem::Problem;
use crate::clock::Clock;
use crate::entropy::Entropy;
use crate::store::{Version, noting};
use visit::Visit;

/// Tells the version that a write has.
const VERSION: HeaderName = HeaderName::from_static("vestry-version");

/// What the layer works with.
pub struct Edge {
    /// Tells how long an answer took.
    pub clock: Arc<dyn Clock>,
    /// Makes the ids of requests.
    pub entropy: Arc<dyn Entropy>,
    /// Counts.
    pub metrics: HttpMetrics,
    /// Whose `X-Forwarded-For` is believed.
    pub proxies: TrustedProxies,
    /// The paths that take more than [`BODY_LIMIT`], and how much they take.
    pub large_bodies: BTreeMap<&'static str, usize>,
    /// The time that a handler has until the head of its answer.
    pub request_timeout: Duration,
}

/// The time that a handler has unless the operator says otherwise.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The layer; see the [module](self).
#[derive(Clone)]
pub struct EdgeLayer(Arc<Edge>);

impl EdgeLayer {
    /// A layer that works with this.
    #[must_use]
    pub fn new(edge: Edge) -> Self {
        Self(Arc::new(edge))
    }
}

impl<I> Layer<I> for EdgeLayer {
    type Service = EdgeService<I>;

    fn layer(&self, inner: I) -> EdgeService<I> {
        EdgeService {
            edge: Arc::clone(&self.0),
            route: Arc::default(),
            inner,
        }
    }
}

/// A route inside the layer.
#[derive(Clone)]
pub struct EdgeService<I> {
    edge: Arc<Edge>,
    /// What is counted of the route, once its first request has told which it is.
    route: Arc<OnceLock<RouteMetrics>>,
    inner: I,
}

impl<I> Service<Request> for EdgeService<I>
where
    I: Service<Request, Response = Response, Error = Infallible>,
    I::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request) -> Self::Future {
        let visit = Visit::begin(&self.edge, &self.route, &mut request);
        if let Some(limit) = exceeded_limit(&request, &self.edge.large_bodies) {
            // A body that nobody wants is drained when it is dropped.
            drop(linger::lingering(request));
            let response = visit.end(Problem::TooLarge { limit }.into_response());
            return Box::pin(std::future::ready(Ok(response)));
        }
        let request = linger::lingering(request);
        let timeout = self.edge.request_timeout;
        // Handlers do their work in the future, but nothing keeps one from panicking before.
        let work = catch_unwind(AssertUnwindSafe(|| self.inner.call(request)));
        Box::pin(async move {
            let response = match work {
                Ok(work) => match tokio::time::timeout(timeout, caught(noting(work))).await {
                    Ok(Ok((Ok(response), version))) => versioned(response, version),
                    Ok(Ok((Err(never), _))) => match never {},
                    Ok(Err(panic)) => visit.panicked(&*panic),
                    Err(_) => Problem::Timeout.into_response(),
                },
                Err(panic) => visit.panicked(&*panic),
            };
            Ok(visit.end(response))
        })
    }
}

/// A body that says it is too large is refused unread; one that does not say is cut off by the extractor.
fn exceeded_limit(
    request: &Request,
    large_bodies: &BTreeMap<&'static str, usize>,
) -> Option<usize> {
    let announced = request
        .headers()
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse::<u64>().ok())
        .filter(|length| *length > BODY_LIMIT as u64)?;
    let limit = request
        .extensions()
        .get::<MatchedPath>()
        .and_then(|route| large_bodies.get(route.as_str()))
        .copied()
        .unwrap_or(BODY_LIMIT);
    (announced > limit as u64).then_some(limit)
}

/// An answer to what wrote something, with the version that this has.
fn versioned(mut response: Response, version: Option<Version>) -> Response {
    let value = version.and_then(|version| HeaderValue::from_str(&version.to_string()).ok());
    if let Some(value) = value {
        response.headers_mut().insert(VERSION, value);
    }
    response
}

/// The future's output, or what it panicked with.
///
/// A panic leaves the future unfinished, and it is dropped without being polled again; what it shared
/// with others is behind locks that say so.
async fn caught<F: Future>(future: F) -> Result<F::Output, Box<dyn Any + Send>> {
    let mut future = pin!(future);
    poll_fn(
        |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Err(panic) => Poll::Ready(Err(panic)),
        },
    )
    .await
}
