//! `/v1/services`: the agent platforms of a tenant.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::TenantId;

use crate::http::api::words::{short_line, time};
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::cursor::Listed;
use crate::http::extract::{Body, NoQuery, OpaqueId, Paged, Path, RequestId};
use crate::http::mutation::facts;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::identity::{ApiKey, KeyKind};
use crate::store::actions::{CreateService, RevokeService};
use crate::store::queries::{ServiceRow, Services};

/// A service to be created.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// The tenant.
    #[schemars(with = "String")]
    tenant: TenantId,
    /// The name; one line of 1 to 100 characters.
    name: String,
}

/// A service that was created, with its key, shown this once.
#[derive(Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Created {
    /// The id.
    id: String,
    /// The tenant.
    tenant: String,
    /// The name.
    name: String,
    /// The key. It is not kept, and cannot be shown again.
    key: String,
}

/// A service, without its key.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Row {
    /// The id.
    id: String,
    /// The name.
    name: String,
    /// The beginning of its key, to tell keys apart.
    key_hint: String,
    /// When it was created, RFC 3339.
    created_at: String,
    /// When it was revoked, RFC 3339.
    revoked_at: Option<String>,
}

pub(in crate::http) fn create_operation() -> Operation {
    Operation::new("Create a service")
        .description("For a publisher elevated for the tenant, or an elevated global administrator. The key is shown once.")
        .tag("directory")
        .body::<Request>()
        .answer::<Created>(StatusCode::CREATED)
        .problems(&[
            Code::Refused,
            Code::NotFound,
            Code::AlreadyExists,
            Code::InvalidId,
            Code::InvalidContent,
        ])
}

pub(in crate::http) async fn create(
    Authed(caller): Authed,
    State(app): State<App>,
    request_id: RequestId,
    Body(request): Body<Request>,
) -> Result<(StatusCode, Json<Created>), Problem> {
    let name = short_line("name", request.name, 100)?;
    let key =
        ApiKey::generate(KeyKind::Service, app.entropy.as_ref()).map_err(Problem::internal)?;
    let id = app.entropy.id("svc_").map_err(Problem::internal)?;
    let action = CreateService::new(id, request.tenant, name, &key);
    let created = app.store.act(&caller, action, facts(&request_id)).await?;
    Ok((
        StatusCode::CREATED,
        Json(Created {
            id: created.id,
            tenant: created.tenant,
            name: created.name,
            key: key.reveal().to_owned(),
        }),
    ))
}

pub(in crate::http) fn list_operation() -> Operation {
    Operation::new("List the services of a tenant")
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
    let list = app.cursors().of(&caller, "services", &[tenant.as_str()])?;
    let query = Services {
        page: list.request(&page)?,
        tenant,
    };
    let seen = app.store.view(&caller, query).await?;
    Ok(Json(list.answer(seen.into_inner(), Row::from)?))
}

pub(in crate::http) fn revoke_operation() -> Operation {
    Operation::new("Revoke a service")
        .description("Its key and every token that it minted end at once.")
        .tag("directory")
        .answer_nothing(StatusCode::NO_CONTENT)
        .problems(&[Code::Refused, Code::NotFound, Code::InvalidId])
}

pub(in crate::http) async fn revoke(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((tenant, OpaqueId(id))): Path<(TenantId, OpaqueId)>,
    request_id: RequestId,
) -> Result<StatusCode, Problem> {
    let action = RevokeService { tenant, id };
    app.store.act(&caller, action, facts(&request_id)).await?;
    Ok(StatusCode::NO_CONTENT)
}

impl From<ServiceRow> for Row {
    fn from(row: ServiceRow) -> Self {
        let ServiceRow {
            id,
            name,
            key_hint,
            created_at,
            revoked_at,
        } = row;
        Self {
            id,
            name,
            key_hint,
            created_at: time(created_at),
            revoked_at: revoked_at.map(time),
        }
    }
}
