//! `GET /v1/skills`: the resolved listing, or the skills at one scope.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::{Kind, Status};

use super::row::{Entry, Row};
use crate::http::api::turns::catalog::word;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::cursor::Listed;
use crate::http::extract::{Paged, PathPart as _, ScopeText};
use crate::http::problem::{Code, Fault, Problem};
use crate::http::route::Operation;
use crate::store::queries::{Listing, ScopeListing};

/// The longest text that is searched for.
const MAX_Q: usize = 200;

/// Which skills.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Filter {
    /// Only the skills at this scope, not resolved.
    #[serde(default)]
    scope: Option<String>,
    /// With a scope: `role-instruction` for what roles are told, in place of skills.
    #[serde(default)]
    kind: Option<WantedKind>,
    /// Without a scope: the role of the agent whose catalog it would be; what is attached to roles is offered to those only.
    #[serde(default)]
    role: Option<String>,
    /// A part of name or description, without regard to case.
    #[serde(default)]
    q: Option<String>,
    /// With a scope: only skills of this status. All but archived ones when left out.
    #[serde(default)]
    status: Option<Wanted>,
    /// Only skills that override one which has changed since they were written; with `false`, only others.
    #[serde(default)]
    upstream_changed: Option<bool>,
}

/// What is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum WantedKind {
    /// Skills.
    Skill,
    /// The instructions of roles.
    RoleInstruction,
    /// Prompt templates for roles of workflows.
    Prompt,
}

/// A status.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Wanted {
    /// Offered.
    Active,
    /// Left out of new catalogs.
    Disabled,
    /// Recalled, reversibly.
    Quarantined,
    /// Recalled for good.
    Revoked,
    /// Deleted by its owner.
    Archived,
}

/// One of the two.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(untagged)]
pub(in crate::http) enum Item {
    /// At one scope.
    Row(Row),
    /// Resolved.
    Entry(Entry),
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("List skills")
        .description("Without `scope`, what the caller's scopes resolve to: the same as a catalog without a cap.")
        .tag("skills")
        .query::<Filter>()
        .paged()
        .answer::<Listed<Item>>(StatusCode::OK)
        .problems(&[Code::InvalidCursor, Code::InvalidScope, Code::NotFound])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Paged { page, query }: Paged<Filter>,
) -> Result<Json<Listed<Item>>, Problem> {
    let Filter {
        scope,
        kind,
        role,
        q,
        status,
        upstream_changed,
    } = query;
    if let Some((field, detail)) = misplaced(scope.as_deref(), kind, role.as_deref()) {
        return Err(Problem::Malformed(Fault::at(field, detail)));
    }
    let role = role.map(|role| word("role", role)).transpose()?;
    if q.as_ref().is_some_and(|q| q.chars().count() > MAX_Q) {
        return Err(Problem::Malformed(Fault::at(
            "q",
            format!("Send at most {MAX_Q} characters."),
        )));
    }
    let filter = [
        scope.as_deref().unwrap_or_default(),
        q.as_deref().unwrap_or_default(),
        status.map_or("", Wanted::as_str),
        match kind {
            None | Some(WantedKind::Skill) => "",
            Some(WantedKind::RoleInstruction) => "role-instruction",
            Some(WantedKind::Prompt) => "prompt",
        },
        role.as_deref().unwrap_or_default(),
        match upstream_changed {
            None => "",
            Some(true) => "upstream-changed",
            Some(false) => "upstream-unchanged",
        },
    ];
    let list = app.cursors().of(&caller, "skills", &filter)?;
    let request = list.request(&page)?;
    let Some(scope) = scope else {
        if !matches!(status, None | Some(Wanted::Active)) {
            return Err(Problem::Malformed(Fault::at(
                "status",
                "Send `scope` too: the resolved listing has active skills only.",
            )));
        }
        let seen = app
            .store
            .view(
                &caller,
                Listing {
                    role,
                    q,
                    upstream_changed,
                    page: request,
                },
            )
            .await?;
        return Ok(Json(
            list.answer(seen.into_inner(), |entry| Item::Entry(entry.into()))?,
        ));
    };
    let scope = ScopeText::parse(&scope)?.resolve(caller.tenant())?;
    let seen = app
        .store
        .view(
            &caller,
            ScopeListing {
                scope,
                kind: match kind {
                    None | Some(WantedKind::Skill) => Kind::Skill,
                    Some(WantedKind::RoleInstruction) => Kind::RoleInstruction,
                    Some(WantedKind::Prompt) => Kind::Prompt,
                },
                q,
                status: status.map(Into::into),
                upstream_changed,
                page: request,
            },
        )
        .await?;
    Ok(Json(
        list.answer(seen.into_inner(), |row| Item::Row(row.into()))?,
    ))
}

/// What is asked for in a listing that has no use for it.
fn misplaced(
    scope: Option<&str>,
    kind: Option<WantedKind>,
    role: Option<&str>,
) -> Option<(&'static str, &'static str)> {
    match (scope, kind, role) {
        (None, Some(WantedKind::RoleInstruction | WantedKind::Prompt), _) => Some((
            "kind",
            "Send `scope` too: the resolved listing has skills only.",
        )),
        (Some(_), _, Some(_)) => Some((
            "role",
            "Leave `scope` or `role` out: at a scope the skills of every role are listed.",
        )),
        _ => None,
    }
}

impl Wanted {
    fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Disabled => "disabled",
            Self::Quarantined => "quarantined",
            Self::Revoked => "revoked",
            Self::Archived => "archived",
        }
    }
}

impl From<Wanted> for Status {
    fn from(wanted: Wanted) -> Self {
        match wanted {
            Wanted::Active => Self::Active,
            Wanted::Disabled => Self::Disabled,
            Wanted::Quarantined => Self::Quarantined,
            Wanted::Revoked => Self::Revoked,
            Wanted::Archived => Self::Archived,
        }
    }
}
