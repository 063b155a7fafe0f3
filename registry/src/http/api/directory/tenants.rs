//! `/v1/tenants`: whom the installation serves.

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
use crate::http::extract::{NoQuery, Paged};
use crate::http::mutation::Mutation;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::actions::CreateTenant;
use crate::store::queries::{TenantRow, Tenants};

/// A tenant to be created.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// The id; unique without regard to case.
    #[schemars(with = "String")]
    id: TenantId,
    /// What people call it; one line of 1 to 100 characters.
    name: String,
}

/// A tenant that was created.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Created {
    /// The id.
    id: String,
    /// What people call it.
    name: String,
}

/// A tenant.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Row {
    /// The id.
    id: String,
    /// What people call it.
    name: String,
    /// When it was created, RFC 3339.
    created_at: String,
}

pub(in crate::http) fn create_operation() -> Operation {
    Operation::new("Create a tenant")
        .description("For a global administrator, elevated for `global`.")
        .tag("directory")
        .idempotency_key()
        .body::<Request>()
        .answer::<Created>(StatusCode::CREATED)
        .problems(&[
            Code::Refused,
            Code::AlreadyExists,
            Code::InvalidId,
            Code::InvalidContent,
            Code::IdempotencyMismatch,
        ])
}

pub(in crate::http) async fn create(
    Authed(caller): Authed,
    State(app): State<App>,
    request: Mutation<Request>,
) -> Result<(StatusCode, Json<Created>), Problem> {
    let Request { id, name } = request.body;
    let action = CreateTenant {
        tenant: id,
        name: short_line("name", name, 100)?,
    };
    let created = app.store.act(&caller, action, request.facts).await?;
    Ok((
        StatusCode::CREATED,
        Json(Created {
            id: created.id,
            name: created.name,
        }),
    ))
}

pub(in crate::http) fn list_operation() -> Operation {
    Operation::new("List the tenants")
        .description("For global administrators.")
        .tag("directory")
        .paged()
        .answer::<Listed<Row>>(StatusCode::OK)
        .problems(&[Code::Refused, Code::InvalidCursor])
}

pub(in crate::http) async fn list(
    Authed(caller): Authed,
    State(app): State<App>,
    Paged { page, .. }: Paged<NoQuery>,
) -> Result<Json<Listed<Row>>, Problem> {
    let list = app.cursors().of(&caller, "tenants", &[])?;
    let query = Tenants {
        page: list.request(&page)?,
    };
    let seen = app.store.view(&caller, query).await?;
    Ok(Json(list.answer(seen.into_inner(), Row::from)?))
}

impl From<TenantRow> for Row {
    fn from(row: TenantRow) -> Self {
        let TenantRow {
            id,
            name,
            created_at,
        } = row;
        Self {
            id,
            name,
            created_at: time(created_at),
        }
    }
}
