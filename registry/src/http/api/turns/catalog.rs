//! `POST /v1/catalog`: the catalog of a turn, and the offer that bounds it.

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use vestry_policies::resolve::Cap;

use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::OptionalBody;
use crate::http::pieces::Pieces;
use crate::http::problem::{Code, Fault, Problem};
use crate::http::route::Operation;
use crate::identity::TurnName;
use crate::store::catalog::{CatalogRequest, Offered};

/// The most characters of a role or a session.
const MAX_WORD: usize = 128;
/// The largest token budget: no block comes near it.
const MAX_BUDGET: u64 = 10_000_000;

/// What a turn asks for. Every field may be left out.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(in crate::http) struct Request {
    /// The turn, 1 to 128 characters of `[A-Za-z0-9._:@+-]`; asked again it gives the same catalog. Without one the
    /// server names the turn, which then cannot be resumed.
    turn: Option<String>,
    /// The most entries, 1 to the tenant's `max_cap`; 20 when left out.
    cap: Option<AskedCap>,
    /// The agent's role.
    role: Option<String>,
    /// The most tokens that the block may take, estimated.
    token_budget: Option<u64>,
    /// The conversation; recorded only.
    session: Option<String>,
    /// The `etag` that the caller has; while it holds, the answer is short.
    have: Option<String>,
}

/// A cap as it was sent. Any JSON is taken, so that whatever is not a whole number in range gets one and the same
/// answer.
#[derive(Debug, Clone)]
struct AskedCap(Value);

impl<'de> Deserialize<'de> for AskedCap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Value::deserialize(deserializer).map(Self)
    }
}

impl JsonSchema for AskedCap {
    fn schema_name() -> Cow<'static, str> {
        "Cap".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "minimum": 1, "maximum": 200 })
    }
}

/// A catalog and its offer. `entries` to `block` are left out when `unchanged` is true.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// The turn.
    turn: String,
    /// The caller's scopes, narrowest first.
    scopes: Vec<String>,
    /// What is offered, in order.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<super::super::skills::row::Entry>>,
    /// How many names are visible beyond the entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted: Option<u32>,
    /// Up to fifty of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    omitted_names: Option<Vec<String>>,
    /// Narrower skills that lost to a sealed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    blocked: Option<Vec<Blocked>>,
    /// What the token budget cut; only when one was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<Report>,
    /// The text for the model; empty when there are no entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<String>,
    /// Names this catalog; changes when and only when it does.
    etag: String,
    /// True when `have` still holds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unchanged: bool,
    /// The signed offer; needed for every load.
    offer: String,
    /// When the offer ends, RFC 3339.
    expires_at: String,
}

/// A narrower skill that lost to a sealed one.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Blocked {
    /// The name.
    name: String,
    /// Where the loser lives.
    scope: String,
    /// The scope of the sealed one.
    by: String,
}

/// What a token budget cut.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Report {
    /// The budget, in tokens.
    token_budget: u64,
    /// The estimate for the block that was kept, in tokens.
    estimated_tokens: u64,
    /// How many entries were kept.
    kept: u32,
    /// The names that were cut.
    cut: Vec<String>,
    /// Why.
    reason: String,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Take the catalog of a turn")
        .description(
            "The same turn asked again by the same caller keeps its catalog, freshly signed, also after later writes.",
        )
        .tag("turns")
        .optional_body::<Request>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[
            Code::TurnConflict,
            Code::InvalidCap,
            Code::InvalidTurn,
            Code::InvalidContent,
            Code::Refused,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    OptionalBody(request): OptionalBody<Request>,
) -> Result<Response, Problem> {
    let Request {
        turn,
        cap,
        role,
        token_budget,
        session,
        have,
    } = request;
    let turn = turn.as_deref().map(turn_name).transpose()?;
    let max_cap = app.store.max_cap(&caller);
    let cap = cap.map(|asked| check_cap(&asked.0, max_cap)).transpose()?;
    let token_budget = token_budget.map(check_budget).transpose()?;
    let offered = app
        .store
        .take_catalog(
            &caller,
            CatalogRequest {
                turn,
                cap,
                role: role
                    .map(|role| word("role", role))
                    .transpose()?
                    .map(Arc::from),
                token_budget,
                session: session
                    .map(|session| word("session", session))
                    .transpose()?,
                have,
            },
        )
        .await?;
    Ok(answer(&offered))
}

/// Puts the answer together from the prepared catalog and the few members that are the turn's own.
fn answer(offered: &Offered) -> Response {
    let Offered {
        turn,
        catalog,
        offer,
        expires_at,
        unchanged,
    } = offered;
    // Turn, etag, offer and time have nothing that JSON would escape.
    let expires_at = expires_at.rfc3339();
    let head = ["{\"turn\":\"", turn.as_str(), "\","].concat();
    let (shared, etag) = if *unchanged {
        (catalog.scopes_member(), catalog.etag_and_unchanged())
    } else {
        (catalog.members(), "")
    };
    let tail = [
        etag,
        ",\"offer\":\"",
        offer,
        "\",\"expires_at\":\"",
        &expires_at,
        "\"}",
    ]
    .concat();
    let body = Pieces::new([head.into(), shared.clone(), tail.into()]).into_body();
    let json = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, json)], body).into_response()
}

fn check_cap(asked: &Value, max_cap: usize) -> Result<Cap, Problem> {
    let invalid = || {
        Problem::InvalidCap(Fault::at(
            "cap",
            format!("Send a whole number from 1 to {max_cap}, or leave it out."),
        ))
    };
    let number = asked.as_i64().ok_or_else(invalid)?;
    Cap::new(number, max_cap).map_err(|_| invalid())
}

fn check_budget(budget: u64) -> Result<usize, Problem> {
    if (1..=MAX_BUDGET).contains(&budget) {
        Ok(usize::try_from(budget).unwrap_or(usize::MAX))
    } else {
        Err(Problem::InvalidContent(Fault::at(
            "token_budget",
            format!("Send a whole number from 1 to {MAX_BUDGET}, or leave it out."),
        )))
    }
}

/// Reads the name of a turn.
pub(in crate::http) fn turn_name(text: &str) -> Result<TurnName, Problem> {
    TurnName::parse(text)
        .map_err(|error| Problem::InvalidTurn(Fault::at("turn", sentence(&error.to_string()))))
}

/// A word that is recorded or compared, never interpreted.
pub(crate) fn word(field: &'static str, text: String) -> Result<String, Problem> {
    let is_valid =
        (1..=MAX_WORD).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
    if is_valid {
        Ok(text)
    } else {
        Err(Problem::InvalidContent(Fault::at(
            field,
            format!("Send 1 to {MAX_WORD} visible ASCII characters, or leave it out."),
        )))
    }
}

fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        None => String::new(),
        Some(first) => format!(
            "{}{}.",
            first.to_uppercase(),
            characters.as_str().trim_end_matches('.')
        ),
    }
}
