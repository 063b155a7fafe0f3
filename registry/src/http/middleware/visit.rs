//! One request on its way through: begun, then ended with an answer or left by its client.

use std::any::Any;
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use axum::extract::{ConnectInfo, MatchedPath, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use super::Edge;
use super::origin::{REQUEST_ID, request_id};
use crate::clock::Micros;
use crate::http::extract::Arrival;
use crate::http::metrics::RouteMetrics;
use crate::http::problem::{Code, Failure, Problem};

/// What the log and the metrics call the route of a path that no route has.
const UNMATCHED: &str = "unmatched";

/// A status that nobody sends: the client left before there was an answer. As nginx writes it.
const CLIENT_LEFT: u16 = 499;

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");
/// Pages that need more set a policy of their own.
const CONTENT_POLICY: HeaderValue =
    HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'");

pub(super) struct Visit {
    edge: Arc<Edge>,
    begun: Micros,
    method: &'static str,
    route: Option<MatchedPath>,
    metrics: Arc<OnceLock<RouteMetrics>>,
    arrival: Arrival,
    ended: bool,
}

impl Visit {
    pub(super) fn begin(
        edge: &Arc<Edge>,
        metrics: &Arc<OnceLock<RouteMetrics>>,
        request: &mut Request,
    ) -> Self {
        let client = request
            .extensions()
            .get::<ConnectInfo<SocketAddr>>()
            .map(|ConnectInfo(peer)| edge.proxies.client(*peer, request.headers()));
        let arrival = Arrival {
            request_id: request_id(request.headers(), &*edge.entropy),
            client,
        };
        request.extensions_mut().insert(arrival.clone());
        edge.metrics.in_flight.inc();
        Self {
            edge: Arc::clone(edge),
            begun: edge.clock.now(),
            method: known(request.method()),
            route: request.extensions().get::<MatchedPath>().cloned(),
            metrics: Arc::clone(metrics),
            arrival,
            ended: false,
        }
    }

    /// The answer to a handler that panicked.
    pub(super) fn panicked(&self, panic: &(dyn Any + Send)) -> Response {
        self.edge.metrics.panics.inc();
        let message = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "a panic without a message".to_owned());
        Problem::internal(format!("a handler panicked: {message}")).into_response()
    }

    /// Completes the answer, counts it and logs it.
    pub(super) fn end(mut self, mut response: Response) -> Response {
        self.ended = true;
        self.complete(response.headers_mut());
        let code = response.extensions().get::<Code>().copied();
        if let Some(Failure(cause)) = response.extensions_mut().remove::<Failure>() {
            tracing::error!(
                request.id = &*self.arrival.request_id.0,
                http.method = self.method,
                http.route = self.route(),
                problem.code = code.map(Code::as_str),
                error = &*cause as &(dyn std::error::Error + 'static),
                "a request failed"
            );
        }
        self.record(response.status().as_u16(), code);
        response
    }

    fn route(&self) -> &str {
        self.route.as_ref().map_or(UNMATCHED, MatchedPath::as_str)
    }

    /// The headers that every answer has.
    fn complete(&self, headers: &mut HeaderMap) {
        if let Ok(id) = HeaderValue::from_str(&self.arrival.request_id.0) {
            headers.insert(REQUEST_ID, id);
        }
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
        set_unless_set(headers, header::CONTENT_SECURITY_POLICY, CONTENT_POLICY);
        // An answer to an unknown path may be about anything: it is not kept either.
        if self.route().starts_with("/v1") || self.route.is_none() {
            set_unless_set(headers, header::CACHE_CONTROL, NO_STORE);
        }
    }

    fn record(&self, status: u16, code: Option<Code>) {
        let duration_us = (self.edge.clock.now().0.saturating_sub(self.begun.0)).max(0);
        let metrics = &self.edge.metrics;
        let seconds = duration_us as f64 / 1e6;
        let known = self.metrics.get_or_init(|| RouteMetrics::of(self.route()));
        // A service of the layer belongs to one route; if it ever served another, that is counted as itself.
        if known.route() == self.route() {
            known.answered(metrics, self.method, status, seconds);
        } else {
            RouteMetrics::of(self.route()).answered(metrics, self.method, status, seconds);
        }
        if status == StatusCode::UNAUTHORIZED.as_u16() {
            metrics.unauthenticated.inc();
        }
        tracing::event!(
            target: "vestry::access",
            tracing::Level::INFO,
            http.method = self.method,
            http.route = self.route(),
            http.status = status,
            problem.code = code.map(Code::as_str),
            duration_us,
            request.id = &*self.arrival.request_id.0,
            client.address = self.arrival.client.map(tracing::field::display),
            "request answered"
        );
    }
}

impl Drop for Visit {
    /// A client that leaves drops the future: that request is counted and logged as well.
    fn drop(&mut self) {
        if !self.ended {
            self.record(CLIENT_LEFT, None);
        }
        self.edge.metrics.in_flight.dec();
    }
}

fn set_unless_set(headers: &mut HeaderMap, name: HeaderName, value: HeaderValue) {
    headers.entry(name).or_insert(value);
}

/// The method as a closed list has it: a made-up one is no label and no text of a log.
fn known(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::PATCH => "PATCH",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}
