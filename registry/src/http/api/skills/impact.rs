//! `GET /v1/skills/{scope}/{name}/impact`: what a switch of a skill would do, without touching it.
//!
//! A read of its own, and no flag of the routes that switch: a server that does not know the flag would do the thing.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::resolve::{Affected, Fallen};
use vestry_policies::{Action, ActorId, ItemName};

use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{Path, Query, ScopeText};
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::impact::{self, Over, Where};
use crate::store::queries::{Foreseen, ImpactOf};

/// What would be done.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Asked {
    /// Which switch. Recalls are of the current revision; `hide` and `show` are of a global skill, for the caller's own tenant.
    action: Switch,
}

/// A switch of a skill.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Switch {
    /// Keep narrower scopes from overriding it.
    Seal,
    /// Undo that.
    Unseal,
    /// Leave it out of new catalogs.
    Disable,
    /// Undo that.
    Enable,
    /// Archive it.
    Archive,
    /// Recall it, reversibly.
    Quarantine,
    /// Undo that.
    Release,
    /// Recall it for good.
    Revoke,
    /// Hide it from the members of the tenant.
    Hide,
    /// Undo that.
    Show,
}

/// What it would do.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// The switch.
    action: Switch,
    /// Whether the caller may do it now.
    allowed: bool,
    /// The rule that says so.
    rule: &'static str,
    /// Whether everything is so already.
    unchanged: bool,
    /// What it would do to the catalogs of the actors that the caller may know of; left out where that is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    impact: Option<Impact>,
}

/// What a change would do to catalogs with the default cap, or to openings.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Impact {
    /// Whose catalogs were looked at: `actor`, the caller's own; `tenant`, those of all actors that the tenant knows, for its
    /// publishers and auditors; `installation`, those of all tenants, for global admins.
    over: &'static str,
    /// What was looked at: `catalogs`, or `openings` where the skill is ambient.
    of: &'static str,
    /// The role of the agents that were looked at: the first one that the skill is attached to; left out when it is attached
    /// to none.
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<String>,
    /// How many actors they are of.
    actors: u64,
    /// Whether there are more actors than were looked at, so that every count is a lower bound.
    at_least: bool,
    /// To whom anything of the following happens.
    affected: Who,
    /// Who is offered the skill, and was not.
    gains: Who,
    /// Who is not offered it any more.
    loses: Who,
    /// Who is offered it as before, with other content.
    changes: Who,
    /// For whom a skill of this name is newly overridden by a narrower one.
    shadowed: Who,
    /// For whom a skill of this name newly loses to a sealed one of a wider scope.
    blocked: Who,
    /// For whom it comes after the default cap.
    omitted: Who,
    /// Who sees something fall past the default cap.
    past_cap: Who,
    /// Up to twenty entries that fall.
    fallen: Vec<FallenEntry>,
}

/// Some actors.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Who {
    /// How many.
    actors: u64,
    /// How many tenants they are of; only over the installation.
    #[serde(skip_serializing_if = "Option::is_none")]
    tenants: Option<u64>,
    /// The first twenty of them; never over the installation.
    #[serde(skip_serializing_if = "Option::is_none")]
    named: Option<Vec<String>>,
}

/// An entry that falls past the cap.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct FallenEntry {
    /// Its name.
    name: String,
    /// Where it lives.
    scope: String,
}

impl From<impact::Impact> for Impact {
    fn from(impact: impact::Impact) -> Self {
        let impact::Impact {
            over,
            of,
            role,
            actors,
            at_least,
            tally,
        } = impact;
        let is_wide = over == Over::Installation;
        let who = |affected: Affected| Who {
            actors: affected.actors,
            tenants: is_wide.then_some(affected.tenants),
            named: (!is_wide).then(|| affected.named.iter().map(ToString::to_string).collect()),
        };
        Self {
            over: match over {
                Over::Actor(_) => "actor",
                Over::Tenant(_) => "tenant",
                Over::Installation => "installation",
            },
            of: match of {
                Where::Catalogs => "catalogs",
                Where::Openings => "openings",
            },
            role: role.map(|role| role.to_string()),
            actors,
            at_least,
            affected: who(tally.affected),
            gains: who(tally.gains),
            loses: who(tally.loses),
            changes: who(tally.changes),
            shadowed: who(tally.shadowed),
            blocked: who(tally.blocked),
            omitted: who(tally.omitted),
            past_cap: who(tally.past_cap),
            fallen: tally.fallen.into_iter().map(fallen).collect(),
        }
    }
}

fn fallen((Fallen { name, scope }, of): (Fallen, Option<ActorId>)) -> FallenEntry {
    FallenEntry {
        name: name.to_string(),
        scope: match (scope, of) {
            (Some(scope), _) => scope.to_string(),
            (None, Some(actor)) => format!("actor:{actor}"),
            (None, None) => "actor".to_owned(),
        },
    }
}

impl Switch {
    fn action(self) -> Action {
        match self {
            Self::Seal => Action::SealSkill,
            Self::Unseal => Action::UnsealSkill,
            Self::Disable => Action::DisableSkill,
            Self::Enable => Action::EnableSkill,
            Self::Archive => Action::ArchiveSkill,
            Self::Quarantine => Action::QuarantineSkill,
            Self::Release => Action::ReleaseSkill,
            Self::Revoke => Action::RevokeSkill,
            Self::Hide => Action::HideSkill,
            Self::Show => Action::ShowSkill,
        }
    }
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Say what a switch of a skill would do")
        .description(
            "Nothing is changed. Whose catalogs are looked at depends on what the caller may know. Counts are exact up to 10,000 actors. For a publication, ask `check`.",
        )
        .tag("skills")
        .query::<Asked>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[
            Code::NotFound,
            Code::Conflict,
            Code::InvalidScope,
            Code::InvalidName,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name)): Path<(ScopeText, ItemName)>,
    Query(Asked { action }): Query<Asked>,
) -> Result<Json<Answer>, Problem> {
    let query = ImpactOf {
        scope: scope.resolve(caller.tenant())?,
        name,
        action: action.action(),
    };
    let Foreseen {
        allowed,
        rule,
        unchanged,
        impact,
    } = app.store.view(&caller, query).await?.into_inner();
    Ok(Json(Answer {
        action,
        allowed,
        rule,
        unchanged,
        impact: app.store.weigh(impact).await?.map(Into::into),
    }))
}
