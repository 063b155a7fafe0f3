//! `GET /v1/audit`: who did what, oldest first.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use vestry_policies::TenantId;

use crate::clock::Micros;
use crate::http::api::words::{instant, time};
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::cursor::Listed;
use crate::http::extract::Paged;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::identity::Caller;
use crate::store::AuditRecord;
use crate::store::queries::{AuditLog, FoundRecord};

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
    /// Only records since this time, RFC 3339.
    #[serde(default)]
    since: Option<String>,
    /// Only records before this time, RFC 3339.
    #[serde(default)]
    until: Option<String>,
    /// `true` gives with each record the bytes that its hash covers, for whoever verifies the chain.
    #[serde(default)]
    stored: bool,
}

/// One of the two logs that a caller may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Log {
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
    /// The offer that it was done under.
    #[serde(skip_serializing_if = "Option::is_none")]
    offer: Option<String>,
    /// Whatever else the action says of itself.
    detail: Map<String, Value>,
    /// The hash of the chain up to this record: the SHA-256 of the hash before it, in hexadecimal, and `stored`.
    hash: String,
    /// The bytes of the record as they are stored, when they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    stored: Option<String>,
}

impl Log {
    /// The tenant whose log a caller asks for; none for the installation's.
    pub(super) fn tenant(log: Option<Self>, caller: &Caller) -> Option<TenantId> {
        match log {
            Some(Self::Global) => None,
            Some(Self::Tenant) | None => caller.tenant().cloned(),
        }
    }
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
        since,
        until,
        stored,
    } = query;
    let tenant = Log::tenant(log, &caller);
    let since = since.map(|text| instant("since", &text)).transpose()?;
    let until = until.map(|text| instant("until", &text)).transpose()?;
    let (from, to) = (number(since), number(until));
    let filter = [
        if tenant.is_some() { "tenant" } else { "global" },
        action.as_deref().unwrap_or_default(),
        principal.as_deref().unwrap_or_default(),
        &from,
        &to,
    ];
    let list = app.cursors().of(&caller, "audit", &filter)?;
    let query = AuditLog {
        page: list.request(&page)?,
        tenant,
        action,
        principal,
        since,
        until,
    };
    // Refusals and loads wait in the journal for up to a second; whoever reads the log sees what was before.
    app.store.settle().await;
    let seen = app.store.view(&caller, query).await?;
    Ok(Json(
        list.answer(seen.into_inner(), |found| row(found, stored))?,
    ))
}

fn number(at: Option<Micros>) -> String {
    at.map(|at| at.0.to_string()).unwrap_or_default()
}

fn row(found: FoundRecord, with_stored: bool) -> Row {
    let FoundRecord {
        record,
        hash,
        stored,
    } = found;
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
        offer,
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
        offer,
        detail,
        hash,
        stored: with_stored.then_some(stored),
    }
}
