//! Whether the process lives, whether it should be sent requests, and what it has counted.

use std::sync::Arc;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use prometheus_client::encoding::text::encode;
use prometheus_client::registry::Registry;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::watch;

use super::problem::{Cause, Code, Problem};
use super::route::{Access, Operation, Route};

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Whether this replica wants requests. Clones are one handle.
#[derive(Debug, Clone)]
pub struct Readiness(Arc<watch::Sender<bool>>);

impl Default for Readiness {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Readiness {
    /// A replica that wants requests.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on it does not.
    pub fn drain(&self) {
        self.0.send_replace(true);
    }

    /// Whether it is draining.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is draining.
    pub fn draining(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut drained = self.0.subscribe();
        async move {
            if drained.wait_for(|is_draining| *is_draining).await.is_err() {
                // Nobody is left who could say so.
                std::future::pending::<()>().await;
            }
        }
    }
}

/// What the state of the application tells about its operation.
pub trait Operated: Clone + Send + Sync + 'static {
    /// Whether this replica wants requests.
    fn readiness(&self) -> &Readiness;

    /// Tries what an answer depends on, such as the database.
    fn check(&self) -> impl Future<Output = Result<(), Cause>> + Send;

    /// The registry of everything that is counted.
    fn registry(&self) -> &Registry;
}

/// That all is well.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct Health {
    /// `ok`.
    pub status: &'static str,
}

const OK: Health = Health { status: "ok" };

/// The rows of this module.
#[must_use]
pub fn routes<S: Operated>() -> Vec<Route<S>> {
    vec![
        Route::get(
            "/healthz",
            Access::Public,
            healthz,
            Operation::new("Whether the process lives")
                .tag("operation")
                .answer::<Health>(StatusCode::OK),
        ),
        Route::get(
            "/readyz",
            Access::Public,
            readyz::<S>,
            Operation::new("Whether this replica wants requests")
                .description("503 `busy` while it is draining or cannot reach what it needs.")
                .tag("operation")
                .answer::<Health>(StatusCode::OK)
                .problems(&[Code::Busy]),
        ),
        Route::get(
            "/metrics",
            Access::Public,
            metrics::<S>,
            Operation::new("What the process has counted, as OpenMetrics")
                .tag("operation")
                .answer_text(StatusCode::OK, "application/openmetrics-text"),
        ),
    ]
}

async fn healthz() -> axum::Json<Health> {
    axum::Json(OK)
}

async fn readyz<S: Operated>(State(state): State<S>) -> Result<axum::Json<Health>, Problem> {
    if state.readiness().is_draining() {
        return Err(Problem::Busy {
            detail: "This replica is shutting down. Send requests to another one.".into(),
            retry_after: 1,
        });
    }
    match state.check().await {
        Ok(()) => Ok(axum::Json(OK)),
        Err(cause) => {
            tracing::warn!(
                error = &*cause as &(dyn std::error::Error + 'static),
                "not ready"
            );
            Err(Problem::Busy {
                detail: "This replica cannot reach what it needs; its log says what. Send requests to another one."
                    .into(),
                retry_after: 1,
            })
        }
    }
}

async fn metrics<S: Operated>(State(state): State<S>) -> Result<Response, Problem> {
    let mut text = String::new();
    encode(&mut text, state.registry()).map_err(Problem::internal)?;
    Ok(([(header::CONTENT_TYPE, OPEN_METRICS)], text).into_response())
}
