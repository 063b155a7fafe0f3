//! `GET /v1/audit`: who did what, oldest first.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::http::api::words::time;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::cursor::Listed;
use crate::http::extract::Paged;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::AuditRecord;
use crate::store::queries::AuditLog;

/// Which log, and which records of it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Filter {
    /// `tenant`, the caller's own; or `global`, for administrators. The caller's tenant's when left out, or global's for
    /// a caller without one.
    #[serde(default)]
    log: Option<Log>,
    /// Only this action, such as `publish-skill`.
    #[serde(default)]
    action: Option<String>,
    /// Only this principal, such as `human:maria`.
    #[serde(default)]
    principal: Option<String>,
}

/// One of the two logs that a caller may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Log {
    /// The caller's tenant's.
    Tenant,
    /// The installation's.
    Global,
}

/// A record.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Row {
    /// The position in the chain, from 1.
    seq: i64,
    /// When, RFC 3339.
    at: String,
    /// Who.
    principal: String,
    /// The actor that an agent acted for.
    #[serde(skip_serializing_if = "Option::is_none")]
    acts_for: Option<String>,
    /// The action.
    action: String,
    /// On what.
    target: String,
    /// `allow` or `deny`.
    verdict: String,
    /// The rule that the verdict followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    /// The digest of the content before.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
    /// The digest of the content after.
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<String>,
    /// The request that did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    /// Whatever else the action says of itself.
    detail: Map<String, Value>,
    /// The hash of the chain up to this record.
    hash: String,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Read the audit log")
        .description(
            "For publishers and auditors of the tenant; the global log for global administrators.",
        )
        .tag("operation")
        .query::<Filter>()
        .paged()
        .answer::<Listed<Row>>(StatusCode::OK)
        .problems(&[Code::Refused, Code::InvalidCursor])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Paged { page, query }: Paged<Filter>,
) -> Result<Json<Listed<Row>>, Problem> {
    let Filter {
        log,
        action,
        principal,
    } = query;
    let tenant = match log {
        Some(Log::Global) => None,
        Some(Log::Tenant) | None => caller.tenant().cloned(),
    };
    let filter = [
        if tenant.is_some() { "tenant" } else { "global" },
        action.as_deref().unwrap_or_default(),
        principal.as_deref().unwrap_or_default(),
    ];
    let list = app.cursors().of(&caller, "audit", &filter)?;
    let query = AuditLog {
        page: list.request(&page)?,
        tenant,
        action,
        principal,
    };
    // Refusals and loads wait in the journal for up to a second; whoever reads the log sees what was before.
    app.store.settle().await;
    let seen = app.store.view(&caller, query).await?;
    Ok(Json(list.answer(seen.into_inner(), row)?))
}

fn row((record, hash): (AuditRecord, String)) -> Row {
    let AuditRecord {
        seq,
        at,
        principal,
        acts_for,
        action,
        target,
        verdict,
        rule,
        before,
        after,
        request_id,
        detail,
    } = record;
    Row {
        seq,
        at: time(at),
        principal,
        acts_for,
        action,
        target,
        verdict,
        rule,
        before,
        after,
        request_id,
        detail,
        hash,
    }
}
