//! What is counted about requests.

use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::{Family, MetricConstructor};
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

/// From a quarter of a millisecond, which a cached catalog stays below, to the timeout.
const BUCKETS: [f64; 12] = [
    0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 5.0, 30.0,
];

/// The labels of a count. Every value comes from a closed list, so that no request can add a series
/// of its own: the method is one that axum knows, the route is a template, the status a class.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct Answered {
    pub(super) method: &'static str,
    pub(super) route: String,
    pub(super) status: &'static str,
}

/// The labels of a duration.
#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(super) struct Served {
    pub(super) method: &'static str,
    pub(super) route: String,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Durations;

impl MetricConstructor<Histogram> for Durations {
    fn new_metric(&self) -> Histogram {
        Histogram::new(BUCKETS)
    }
}

/// The metrics of the HTTP side. Clones count together.
#[derive(Debug, Clone)]
pub struct HttpMetrics {
    pub(super) requests: Family<Answered, Counter>,
    pub(super) durations: Family<Served, Histogram, Durations>,
    pub(super) in_flight: Gauge,
    pub(super) unauthenticated: Counter<u64, AtomicU64>,
    pub(super) panics: Counter<u64, AtomicU64>,
}

impl HttpMetrics {
    /// The metrics, entered in a registry.
    #[must_use]
    pub fn register(registry: &mut Registry) -> Self {
        let metrics = Self {
            requests: Family::default(),
            durations: Family::new_with_constructor(Durations),
            in_flight: Gauge::default(),
            unauthenticated: Counter::default(),
            panics: Counter::default(),
        };
        registry.register(
            "vestry_http_requests",
            "Requests answered, by method, route and class of status",
            metrics.requests.clone(),
        );
        registry.register_with_unit(
            "vestry_http_request_duration",
            "Time from the head of a request to the head of its answer",
            Unit::Seconds,
            metrics.durations.clone(),
        );
        registry.register(
            "vestry_http_requests_in_flight",
            "Requests being answered",
            metrics.in_flight.clone(),
        );
        registry.register(
            "vestry_http_unauthenticated",
            "Requests answered with 401",
            metrics.unauthenticated.clone(),
        );
        registry.register(
            "vestry_http_panics",
            "Handlers that panicked; each is a fault of the server",
            metrics.panics.clone(),
        );
        metrics
    }
}
