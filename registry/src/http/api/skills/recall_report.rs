//! `GET /v1/recall/turns`: which turns were offered a revision, and which loaded it. `GET /v1/recall/tenants`: how many
//! there were in each tenant.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::{Digest, ItemName};

use crate::http::api::words::time;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::cursor::Listed;
use crate::http::extract::{Paged, PathPart as _, ScopeText};
use crate::http::problem::{Code, Fault, Problem};
use crate::http::route::Operation;
use crate::store::queries::{
    Happened, RecallCounts, RecallReport, Reported, ReportedSkill, TenantCounts, Wanted,
};

/// Which content of a scope: a revision by its name and number, or every revision with a digest.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Filter {
    /// The scope.
    scope: String,
    /// The name of the skill; with `revision`.
    #[serde(default)]
    name: Option<String>,
    /// The number of the revision; 0 for a skill of a read-only source.
    #[serde(default)]
    revision: Option<u32>,
    /// Instead of name and number: the digest, `sha256:` and 64 hexadecimal digits.
    #[serde(default)]
    digest: Option<String>,
}

/// Which content of the global scope.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct GlobalFilter {
    /// The name of the skill; with `revision`.
    #[serde(default)]
    name: Option<String>,
    /// The number of the revision; 0 for a skill of a read-only source.
    #[serde(default)]
    revision: Option<u32>,
    /// Instead of name and number: the digest, `sha256:` and 64 hexadecimal digits.
    #[serde(default)]
    digest: Option<String>,
}

/// One thing that happened.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "RecallEvent")]
pub(in crate::http) struct Event {
    /// `taken`: a named turn was offered it; `offered`: an offer with it was handed out; `loaded`: its body was asked for;
    /// `loaded-file`: one of its files was.
    event: &'static str,
    /// When, RFC 3339.
    at: String,
    /// Who.
    principal: String,
    /// The actor that an agent acted for.
    #[serde(skip_serializing_if = "Option::is_none")]
    acts_for: Option<String>,
    /// The turn.
    turn: String,
    /// The id of the offer; absent in `taken`.
    #[serde(skip_serializing_if = "Option::is_none")]
    offer: Option<String>,
    /// The conversation, where the caller named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// Which of the revisions that were asked about.
    skills: Vec<Skill>,
    /// The path of a loaded file.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// The tool call that loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call: Option<String>,
    /// Whether the conversation had the body already, so that it was not sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    already_loaded: Option<bool>,
}

/// A revision.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "RecallSkill")]
struct Skill {
    /// The name.
    name: String,
    /// The number.
    revision: u32,
    /// The digest.
    digest: String,
}

/// What a page counted in one tenant.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "RecallCounts")]
pub(in crate::http) struct Counts {
    /// The tenant; absent for those who have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    /// Named turns that were offered it.
    turns: u64,
    /// Offers that it was in.
    offers: u64,
    /// Loads of its body or of a file.
    loads: u64,
    /// Runs that were opened with it.
    openings: u64,
}

pub(in crate::http) fn turns_operation() -> Operation {
    Operation::new("List which turns a revision reached")
        .description(
            "For publishers and auditors of the tenant, and for an actor its own scope. Only turns of the caller's own \
             tenant, also for a global skill. A page looks at so much and no more: it may be short, or empty, and there \
             is more as long as there is a `next_cursor`.",
        )
        .tag("skills")
        .query::<Filter>()
        .paged()
        .answer::<Listed<Event>>(StatusCode::OK)
        .problems(&[
            Code::NotFound,
            Code::Refused,
            Code::InvalidScope,
            Code::InvalidName,
            Code::InvalidContent,
        ])
}

pub(in crate::http) async fn turns(
    Authed(caller): Authed,
    State(app): State<App>,
    Paged { page, query }: Paged<Filter>,
) -> Result<Json<Listed<Event>>, Problem> {
    let Filter {
        scope,
        name,
        revision,
        digest,
    } = query;
    let list = app.cursors().of(
        &caller,
        "recall-turns",
        &[
            &scope,
            name.as_deref().unwrap_or_default(),
            &revision
                .map(|number| number.to_string())
                .unwrap_or_default(),
            digest.as_deref().unwrap_or_default(),
        ],
    )?;
    let scope = ScopeText::parse(&scope)?.resolve(caller.tenant())?;
    let wanted = wanted(name, revision, digest)?;
    let query = RecallReport::new(&caller, scope, wanted, list.request(&page)?);
    // What happened a moment ago waits in the journal.
    app.store.settle().await;
    let seen = app.store.view(&caller, query).await?;
    Ok(Json(list.answer(seen.into_inner(), Event::from)?))
}

pub(in crate::http) fn tenants_operation() -> Operation {
    Operation::new("Count what a global revision reached in each tenant")
        .description(
            "For global administrators: numbers only. Pages are bounded, and the same tenant may come again on the next \
             page: add its numbers up.",
        )
        .tag("skills")
        .query::<GlobalFilter>()
        .paged()
        .answer::<Listed<Counts>>(StatusCode::OK)
        .problems(&[
            Code::NotFound,
            Code::Refused,
            Code::InvalidName,
            Code::InvalidContent,
        ])
}

pub(in crate::http) async fn tenants(
    Authed(caller): Authed,
    State(app): State<App>,
    Paged { page, query }: Paged<GlobalFilter>,
) -> Result<Json<Listed<Counts>>, Problem> {
    let GlobalFilter {
        name,
        revision,
        digest,
    } = query;
    let list = app.cursors().of(
        &caller,
        "recall-tenants",
        &[
            name.as_deref().unwrap_or_default(),
            &revision
                .map(|number| number.to_string())
                .unwrap_or_default(),
            digest.as_deref().unwrap_or_default(),
        ],
    )?;
    let query = RecallCounts {
        wanted: wanted(name, revision, digest)?,
        page: list.request(&page)?,
    };
    app.store.settle().await;
    let seen = app.store.view(&caller, query).await?;
    Ok(Json(list.answer(seen.into_inner(), Counts::from)?))
}

fn wanted(
    name: Option<String>,
    revision: Option<u32>,
    digest: Option<String>,
) -> Result<Wanted, Problem> {
    match (name, revision, digest) {
        (Some(name), Some(number), None) => Ok(Wanted::Revision {
            name: <ItemName as crate::http::extract::PathPart>::parse(&name)?,
            number,
        }),
        (None, None, Some(digest)) => Digest::parse(&digest).map(Wanted::Digest).ok_or_else(|| {
            Problem::InvalidContent(Fault::at(
                "digest",
                "Send `sha256:` and 64 lower-case hexadecimal digits, as the history shows them.",
            ))
        }),
        _ => Err(Problem::malformed(
            "Ask for a revision with `name` and `revision`, or for content with `digest`.",
        )),
    }
}

impl From<Reported> for Event {
    fn from(reported: Reported) -> Self {
        let Reported {
            happened,
            at,
            principal,
            acts_for,
            turn,
            offer,
            session,
            skills,
        } = reported;
        let (event, path, tool_call, already_loaded) = match happened {
            Happened::Taken => ("taken", None, None, None),
            Happened::Offered => ("offered", None, None, None),
            Happened::Loaded {
                tool_call,
                already_loaded,
            } => ("loaded", None, tool_call, Some(already_loaded)),
            Happened::Opened => ("opened", None, None, None),
            Happened::LoadedFile { path } => ("loaded-file", Some(path), None, None),
        };
        Self {
            event,
            at: time(at),
            principal,
            acts_for,
            turn,
            offer,
            session,
            skills: skills.into_iter().map(Skill::from).collect(),
            path,
            tool_call,
            already_loaded,
        }
    }
}

impl From<ReportedSkill> for Skill {
    fn from(skill: ReportedSkill) -> Self {
        Self {
            name: skill.name,
            revision: skill.revision,
            digest: skill.digest,
        }
    }
}

impl From<TenantCounts> for Counts {
    fn from(counts: TenantCounts) -> Self {
        Self {
            tenant: counts.tenant.map(|tenant| tenant.to_string()),
            turns: counts.turns,
            offers: counts.offers,
            loads: counts.loads,
            openings: counts.openings,
        }
    }
}
