//! `/v1/users`: who can log in.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::Username;

use crate::http::api::words::{short_line, time};
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::cursor::Listed;
use crate::http::extract::{NoQuery, Paged};
use crate::http::mutation::Mutation;
use crate::http::problem::{Code, Fault, Problem};
use crate::http::route::Operation;
use crate::identity::Passwords;
use crate::store::actions::CreateUser;
use crate::store::queries::{UserRow, Users};

/// A user to be created.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// The username; unique without regard to case.
    #[schemars(with = "String")]
    username: Username,
    /// The password, 12 to 256 characters.
    password: String,
    /// What people call them; one line of 1 to 100 characters.
    display_name: String,
}

/// A user that was created.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Created {
    /// The username.
    username: String,
    /// What people call them.
    display_name: String,
}

/// A user.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Row {
    /// The username.
    username: String,
    /// What people call them.
    display_name: String,
    /// Whether they administer the installation.
    global_admin: bool,
    /// When they were created, RFC 3339.
    created_at: String,
}

pub(in crate::http) fn create_operation() -> Operation {
    Operation::new("Create a user")
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
            Code::WeakPassword,
            Code::IdempotencyMismatch,
        ])
}

pub(in crate::http) async fn create(
    Authed(caller): Authed,
    State(app): State<App>,
    request: Mutation<Request>,
) -> Result<(StatusCode, Json<Created>), Problem> {
    let Request {
        username,
        password,
        display_name,
    } = request.body;
    let display_name = short_line("display_name", display_name, 100)?;
    Passwords::check(&password).map_err(|rule| {
        Problem::WeakPassword(Fault::at(
            "password",
            format!("The password is refused: {rule}."),
        ))
    })?;
    let password_hash = app
        .identity
        .passwords()
        .hash(&password)
        .await
        .map_err(Problem::internal)?;
    let action = CreateUser {
        username,
        display_name,
        password_hash,
    };
    let created = app.store.act(&caller, action, request.facts).await?;
    Ok((
        StatusCode::CREATED,
        Json(Created {
            username: created.username,
            display_name: created.display_name,
        }),
    ))
}

pub(in crate::http) fn list_operation() -> Operation {
    Operation::new("List the users")
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
    let list = app.cursors().of(&caller, "users", &[])?;
    let query = Users {
        page: list.request(&page)?,
    };
    let seen = app.store.view(&caller, query).await?;
    Ok(Json(list.answer(seen.into_inner(), Row::from)?))
}

impl From<UserRow> for Row {
    fn from(row: UserRow) -> Self {
        let UserRow {
            username,
            display_name,
            global_admin,
            created_at,
        } = row;
        Self {
            username,
            display_name,
            global_admin,
            created_at: time(created_at),
        }
    }
}
