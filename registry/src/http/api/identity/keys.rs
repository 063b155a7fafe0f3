//! `/v1/keys`: the caller's own API keys. A key acts as its human, never elevated.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::http::api::words::{short_line, time};
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::cursor::Listed;
use crate::http::extract::{Body, NoQuery, OpaqueId, Paged, Path, RequestId};
use crate::http::mutation::facts;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::identity::{ApiKey, KeyKind};
use crate::store::actions::{CreateKey, RevokeKey};
use crate::store::queries::{KeyRow, Keys};

/// A key to be made.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// What it is for; one line of 1 to 100 characters.
    name: String,
}

/// A key that was made, shown this once.
#[derive(Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Created {
    /// The id.
    id: String,
    /// The name.
    name: String,
    /// The key. It is not kept, and cannot be shown again.
    key: String,
}

/// A key, without the key.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Row {
    /// The id.
    id: String,
    /// The name.
    name: String,
    /// The beginning of the key, to tell keys apart.
    key_hint: String,
    /// When it was made, RFC 3339.
    created_at: String,
    /// When it was revoked, RFC 3339.
    revoked_at: Option<String>,
}

pub(in crate::http) fn create_operation() -> Operation {
    Operation::new("Create an API key of your own")
        .description("Needs an interactive login. The key is shown once.")
        .tag("identity")
        .body::<Request>()
        .answer::<Created>(StatusCode::CREATED)
        .problems(&[Code::Refused, Code::InvalidContent, Code::QuotaExceeded])
}

pub(in crate::http) async fn create(
    Authed(caller): Authed,
    State(app): State<App>,
    request_id: RequestId,
    Body(request): Body<Request>,
) -> Result<(StatusCode, Json<Created>), Problem> {
    let name = short_line("name", request.name, 100)?;
    let key = ApiKey::generate(KeyKind::User, app.entropy.as_ref()).map_err(Problem::internal)?;
    let id = app.entropy.id("key_").map_err(Problem::internal)?;
    let action = CreateKey::new(id, name, &key);
    let created = app.store.act(&caller, action, facts(&request_id)).await?;
    Ok((
        StatusCode::CREATED,
        Json(Created {
            id: created.id,
            name: created.name,
            key: key.reveal().to_owned(),
        }),
    ))
}

pub(in crate::http) fn list_operation() -> Operation {
    Operation::new("List your API keys")
        .tag("identity")
        .paged()
        .answer::<Listed<Row>>(StatusCode::OK)
        .problems(&[Code::Refused, Code::InvalidCursor])
}

pub(in crate::http) async fn list(
    Authed(caller): Authed,
    State(app): State<App>,
    Paged { page, .. }: Paged<NoQuery>,
) -> Result<Json<Listed<Row>>, Problem> {
    let list = app.cursors().of(&caller, "keys", &[])?;
    let query = Keys {
        page: list.request(&page)?,
    };
    let seen = app.store.view(&caller, query).await?;
    Ok(Json(list.answer(seen.into_inner(), Row::from)?))
}

pub(in crate::http) fn revoke_operation() -> Operation {
    Operation::new("Revoke an API key of your own")
        .tag("identity")
        .answer_nothing(StatusCode::NO_CONTENT)
        .problems(&[Code::Refused, Code::NotFound, Code::InvalidId])
}

pub(in crate::http) async fn revoke(
    Authed(caller): Authed,
    State(app): State<App>,
    Path(OpaqueId(id)): Path<OpaqueId>,
    request_id: RequestId,
) -> Result<StatusCode, Problem> {
    app.store
        .act(&caller, RevokeKey { id }, facts(&request_id))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

impl From<KeyRow> for Row {
    fn from(row: KeyRow) -> Self {
        let KeyRow {
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
