//! `/v1/tenants/{tenant}/members`: who belongs to a tenant, and as what.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::{Role, TenantId, Username};

use crate::http::api::words::time;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::cursor::Listed;
use crate::http::extract::{Body, NoQuery, Paged, Path, RequestId, word};
use crate::http::mutation::facts;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::actions::{MemberChange, RemoveMember, SetMember};
use crate::store::queries::{MemberRow, Members};

/// As what.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// The role.
    #[serde(deserialize_with = "word")]
    role: AskedRole,
    /// Whether the human takes over the skills that its actor id already has.
    #[serde(default)]
    claim: bool,
}

/// A role in a tenant.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum AskedRole {
    /// Reads, writes its own scope, proposes.
    Member,
    /// Also writes the tenant's skills and administers it, elevated.
    Publisher,
    /// Also reads the tenant's audit log.
    Auditor,
}

/// What a member is now.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Changed {
    /// The tenant.
    tenant: String,
    /// The human.
    username: String,
    /// The role; null when it is no member any more.
    role: Option<String>,
    /// Whether it was so already.
    unchanged: bool,
}

/// A member.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Row {
    /// The username.
    username: String,
    /// `member`, `publisher` or `auditor`.
    role: &'static str,
    /// When it joined, RFC 3339.
    created_at: String,
}

pub(in crate::http) fn set_operation() -> Operation {
    Operation::new("Add a member, or change its role")
        .description(
            "For a publisher elevated for the tenant, or an elevated global administrator.",
        )
        .tag("directory")
        .body::<Request>()
        .answer::<Changed>(StatusCode::OK)
        .problems(&[
            Code::Refused,
            Code::NotFound,
            Code::ActorIdTaken,
            Code::InvalidId,
        ])
}

pub(in crate::http) async fn set(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((tenant, username)): Path<(TenantId, Username)>,
    request_id: RequestId,
    Body(request): Body<Request>,
) -> Result<Json<Changed>, Problem> {
    let action = SetMember {
        tenant,
        username,
        role: match request.role {
            AskedRole::Member => Role::Member,
            AskedRole::Publisher => Role::Publisher,
            AskedRole::Auditor => Role::Auditor,
        },
        claim: request.claim,
    };
    Ok(changed(
        app.store.act(&caller, action, facts(&request_id)).await?,
    ))
}

pub(in crate::http) fn remove_operation() -> Operation {
    Operation::new("Remove a member")
        .description(
            "Ends its authority at once: its tokens, its keys, and the agents that act for it.",
        )
        .tag("directory")
        .answer::<Changed>(StatusCode::OK)
        .problems(&[Code::Refused, Code::NotFound, Code::InvalidId])
}

pub(in crate::http) async fn remove(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((tenant, username)): Path<(TenantId, Username)>,
    request_id: RequestId,
) -> Result<Json<Changed>, Problem> {
    let action = RemoveMember { tenant, username };
    Ok(changed(
        app.store.act(&caller, action, facts(&request_id)).await?,
    ))
}

pub(in crate::http) fn list_operation() -> Operation {
    Operation::new("List the members of a tenant")
        .tag("directory")
        .paged()
        .answer::<Listed<Row>>(StatusCode::OK)
        .problems(&[
            Code::Refused,
            Code::NotFound,
            Code::InvalidCursor,
            Code::InvalidId,
        ])
}

pub(in crate::http) async fn list(
    Authed(caller): Authed,
    State(app): State<App>,
    Path(tenant): Path<TenantId>,
    Paged { page, .. }: Paged<NoQuery>,
) -> Result<Json<Listed<Row>>, Problem> {
    let list = app.cursors().of(&caller, "members", &[tenant.as_str()])?;
    let query = Members {
        page: list.request(&page)?,
        tenant,
    };
    let seen = app.store.view(&caller, query).await?;
    Ok(Json(list.answer(seen.into_inner(), Row::from)?))
}

fn changed(change: MemberChange) -> Json<Changed> {
    let MemberChange {
        tenant,
        username,
        role,
        unchanged,
    } = change;
    Json(Changed {
        tenant,
        username,
        role,
        unchanged,
    })
}

impl From<MemberRow> for Row {
    fn from(row: MemberRow) -> Self {
        let MemberRow {
            username,
            role,
            created_at,
        } = row;
        Self {
            username,
            role,
            created_at: time(created_at),
        }
    }
}
