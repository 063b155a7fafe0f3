//! `GET /v1/explain/catalog`: why each skill is in an actor's catalog, or is not.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::ActorId;
use vestry_policies::resolve::Cap;

use crate::http::api::turns::catalog::word;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::cursor::Listed;
use crate::http::extract::{Paged, PathPart};
use crate::http::problem::{Code, Fault, Problem};
use crate::http::route::Operation;
use crate::store::queries::{ExplainCatalog, ExplainedSkill};

/// Whose catalog.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Filter {
    /// An actor of the caller's tenant; the caller itself when left out.
    #[serde(default)]
    actor: Option<String>,
    /// The most entries, 1 to the tenant's `max_cap`; 20 when left out, as for a catalog.
    #[serde(default)]
    cap: Option<String>,
    /// The role that the agent is deployed as.
    #[serde(default)]
    role: Option<String>,
}

/// A skill, and why it is in the catalog or not.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Row {
    /// The name.
    name: String,
    /// Where it lives.
    scope: String,
    /// The number of the current revision.
    revision: u32,
    /// Its digest.
    digest: String,
    /// Whether narrower scopes cannot override it.
    sealed: bool,
    /// `offered`; `omitted` by the cap; `shadowed` by a narrower skill of the name; `blocked` by a sealed one; `hidden` by
    /// the tenant; of an `other-role`; `ambient`, which belongs into openings; behind an `other-source` of the scope; or
    /// what it is that takes no part: `disabled`, `quarantined`, `revoked`, `archived`.
    place: &'static str,
    /// Its position in the catalog from 1; of what is omitted, the one that it would have.
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<u64>,
    /// The scope of the skill that overrides it, or keeps it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<String>,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Explain a catalog")
        .description(
            "Every skill at the actor's scopes with its place in the catalog, or why it has none, out of the same resolution \
             as the catalog; by name, then narrow to wide. Anybody asks about itself; publishers and auditors about the \
             actors of their tenant. Never bodies.",
        )
        .tag("operation")
        .query::<Filter>()
        .paged()
        .answer::<Listed<Row>>(StatusCode::OK)
        .problems(&[
            Code::Refused,
            Code::NotFound,
            Code::InvalidCursor,
            Code::InvalidCap,
            Code::InvalidId,
            Code::InvalidContent,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Paged { page, query }: Paged<Filter>,
) -> Result<Json<Listed<Row>>, Problem> {
    let Filter { actor, cap, role } = query;
    let filter = [
        actor.as_deref().unwrap_or_default(),
        cap.as_deref().unwrap_or_default(),
        role.as_deref().unwrap_or_default(),
    ];
    let list = app.cursors().of(&caller, "explain-catalog", &filter)?;
    let request = list.request(&page)?;
    let actor = actor
        .as_deref()
        .map(|actor| <ActorId as PathPart>::parse(actor).map_err(|problem| problem.at("actor")))
        .transpose()?;
    let max_cap = app.store.max_cap(&caller);
    let cap = cap.map(|cap| check_cap(&cap, max_cap)).transpose()?;
    let role = role.map(|role| word("role", role)).transpose()?;
    let query = ExplainCatalog::new(&caller, actor, cap, role, request);
    let seen = app.store.view(&caller, query).await?;
    Ok(Json(list.answer(seen.into_inner(), row)?))
}

fn check_cap(text: &str, max_cap: usize) -> Result<Cap, Problem> {
    let digits = text.bytes().all(|b| b.is_ascii_digit()) && !text.starts_with('0');
    text.parse()
        .ok()
        .filter(|_| digits)
        .and_then(|cap| Cap::new(cap, max_cap).ok())
        .ok_or_else(|| {
            Problem::InvalidCap(Fault::at(
                "cap",
                format!("Send a whole number from 1 to {max_cap}."),
            ))
        })
}

fn row(skill: ExplainedSkill) -> Row {
    let ExplainedSkill {
        name,
        scope,
        revision,
        digest,
        sealed,
        place,
        position,
        by,
    } = skill;
    Row {
        name,
        scope,
        revision,
        digest,
        sealed,
        place,
        position: position.and_then(|position| u64::try_from(position).ok()),
        by,
    }
}
