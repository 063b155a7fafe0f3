//! What is counted about requests.

use std::sync::OnceLock;
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

/// The methods that are told apart; whatever else there is counts as the last.
const METHODS: [&str; 8] = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "other",
];
/// The classes of statuses; what is below 100 or above 599 counts as the last.
const CLASSES: [&str; 5] = ["1xx", "2xx", "3xx", "4xx", "5xx"];

/// The series of one route, looked up once each: a look-up hashes and copies the labels.
#[derive(Debug)]
pub(super) struct RouteMetrics {
    route: String,
    requests: [[OnceLock<Counter>; CLASSES.len()]; METHODS.len()],
    durations: [OnceLock<Histogram>; METHODS.len()],
}

impl RouteMetrics {
    /// The series of the route with this template, none of them looked up yet.
    pub(super) fn of(route: &str) -> Self {
        Self {
            route: route.to_owned(),
            requests: Default::default(),
            durations: Default::default(),
        }
    }

    /// The template.
    pub(super) fn route(&self) -> &str {
        &self.route
    }

    /// Counts an answer.
    pub(super) fn answered(
        &self,
        metrics: &HttpMetrics,
        method: &'static str,
        status: u16,
        seconds: f64,
    ) {
        let at = METHODS
            .iter()
            .position(|known| *known == method)
            .unwrap_or(METHODS.len() - 1);
        let class = usize::from(status / 100)
            .saturating_sub(1)
            .min(CLASSES.len() - 1);
        if let (Some(slot), Some(class_text)) = (
            self.requests.get(at).and_then(|slots| slots.get(class)),
            CLASSES.get(class),
        ) {
            slot.get_or_init(|| {
                let labels = Answered {
                    method,
                    route: self.route.clone(),
                    status: class_text,
                };
                metrics.requests.get_or_create(&labels).clone()
            })
            .inc();
        }
        if let Some(slot) = self.durations.get(at) {
            slot.get_or_init(|| {
                let labels = Served {
                    method,
                    route: self.route.clone(),
                };
                metrics.durations.get_or_create(&labels).clone()
            })
            .observe(seconds);
        }
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
