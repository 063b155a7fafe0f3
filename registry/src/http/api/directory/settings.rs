//! `/v1/tenants/{tenant}/settings`: what a tenant sets for itself. Settings only ever tighten.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use vestry_policies::resolve::MAX_CAP;
use vestry_policies::review::{MAX_REQUIRED_APPROVALS, NamePattern};
use vestry_policies::{AgentOwnScope, DistinctHuman, Severity, TenantId, Username};

use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{
    Body, IfMatch, Path, RequestId, Tags, present, without_null_defaults, word,
};
use crate::http::mutation::facts;
use crate::http::problem::{Code, Fault, Problem};
use crate::http::route::Operation;
use crate::store::actions::{NewSettings, TenantSettings, WriteSettings};
use crate::store::queries::Settings;
use crate::store::settings::{MAX_LISTED, MAX_PROPOSAL_DAYS};

/// The largest number of skills or revisions that a quota may name.
const MAX_QUOTA: u32 = 1_000_000;

/// The settings of a tenant. The first five are always sent; of the others, what is left out stays as it is.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null_defaults)]
pub(in crate::http) struct Request {
    /// The largest cap that a catalog request may ask for, 1 to 200.
    max_cap: u32,
    /// What agents may do in their own scope.
    #[serde(deserialize_with = "word")]
    agent_own_scope: OwnScope,
    /// Skills that an actor may keep.
    skills_per_actor: u32,
    /// Skills that the tenant may keep.
    skills_per_tenant: u32,
    /// Revisions that a skill may have.
    revisions_per_skill: u32,
    /// How many approvals a proposal needs, 1 to 5.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "u32")]
    required_approvals: Option<u32>,
    /// The usernames of those who may approve, of those who have the role; everyone who has it when there are none.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    approvers: Option<Vec<Username>>,
    /// Whether the human whom a proposing agent acted for may approve.
    #[serde(default, deserialize_with = "maybe_word")]
    #[schemars(with = "Distinct")]
    distinct_human: Option<Distinct>,
    /// The names whose publications become proposals whoever publishes: `refunds`, `refund-*`, or `*` for all.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<String>")]
    review_names: Option<Vec<String>>,
    /// How severe what the scanner finds must be for a publication to become a proposal, whoever publishes; `off` for never.
    #[serde(default, deserialize_with = "maybe_word")]
    #[schemars(with = "Least")]
    review_severity: Option<Least>,
    /// How many days a proposal waits for decisions, 1 to 365.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "u32")]
    proposal_days: Option<u32>,
    /// How many proposals one proposer may have waiting.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "u32")]
    max_open_proposals: Option<u32>,
}

/// A word that may be left out, and not be null.
fn maybe_word<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    word(deserializer).map(Some)
}

/// What agents may do in their own scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum OwnScope {
    /// Write it.
    Allow,
    /// Propose for it; the actor decides as a human.
    Review,
    /// Nothing.
    Deny,
}

/// Whether the human whom a proposing agent acted for may approve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Distinct {
    /// As long as the tenant has no other publisher.
    Auto,
    /// Never.
    Always,
}

/// From which severity on a finding has a publication reviewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Least {
    /// From none.
    Off,
    /// From everything that is found.
    Low,
    /// From what is to be looked at.
    Medium,
    /// From what is not to be published unless one knows why it is there.
    High,
    /// From attacks and secrets.
    Critical,
}

impl Least {
    fn of(severity: Option<Severity>) -> Self {
        match severity {
            None => Self::Off,
            Some(Severity::Low) => Self::Low,
            Some(Severity::Medium) => Self::Medium,
            Some(Severity::High) => Self::High,
            Some(Severity::Critical) => Self::Critical,
        }
    }

    fn severity(self) -> Option<Severity> {
        match self {
            Self::Off => None,
            Self::Low => Some(Severity::Low),
            Self::Medium => Some(Severity::Medium),
            Self::High => Some(Severity::High),
            Self::Critical => Some(Severity::Critical),
        }
    }
}

/// The settings of a tenant.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// The largest cap that a catalog request may ask for.
    max_cap: u32,
    /// What agents may do in their own scope.
    agent_own_scope: OwnScope,
    /// Skills that an actor may keep.
    skills_per_actor: u32,
    /// Skills that the tenant may keep.
    skills_per_tenant: u32,
    /// Revisions that a skill may have.
    revisions_per_skill: u32,
    /// How many approvals a proposal needs.
    required_approvals: u8,
    /// The usernames of those who may approve, of those who have the role; everyone who has it when there are none.
    approvers: Vec<String>,
    /// Whether the human whom a proposing agent acted for may approve.
    distinct_human: Distinct,
    /// The names whose publications become proposals whoever publishes.
    review_names: Vec<String>,
    /// How severe what the scanner finds must be for a publication to become a proposal; `off` for never.
    review_severity: Least,
    /// How many days a proposal waits for decisions.
    proposal_days: u32,
    /// How many proposals one proposer may have waiting.
    max_open_proposals: u32,
}

type Tagged = ([(HeaderName, HeaderValue); 1], Json<Answer>);

pub(in crate::http) fn read_operation() -> Operation {
    Operation::new("Read the settings of a tenant")
        .tag("directory")
        .answer::<Answer>(StatusCode::OK)
        .problems(&[Code::Refused, Code::NotFound, Code::InvalidId])
}

pub(in crate::http) async fn read(
    Authed(caller): Authed,
    State(app): State<App>,
    Path(tenant): Path<TenantId>,
) -> Result<Tagged, Problem> {
    let seen = app.store.view(&caller, Settings { tenant }).await?;
    answer(&seen.into_inner())
}

pub(in crate::http) fn write_operation() -> Operation {
    Operation::new("Replace the settings of a tenant")
        .description(
            "For a publisher elevated for the tenant, or an elevated global administrator.",
        )
        .tag("directory")
        .if_match()
        .body::<Request>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[
            Code::Refused,
            Code::NotFound,
            Code::PreconditionFailed,
            Code::InvalidId,
            Code::InvalidContent,
        ])
}

pub(in crate::http) async fn write(
    Authed(caller): Authed,
    State(app): State<App>,
    Path(tenant): Path<TenantId>,
    request_id: RequestId,
    IfMatch(if_match): IfMatch,
    Body(request): Body<Request>,
) -> Result<Tagged, Problem> {
    let action = WriteSettings {
        tenant,
        settings: checked(request)?,
        expected_version: match if_match {
            None | Some(Tags::Any) => None,
            Some(Tags::List(tags)) => Some(tags),
        },
    };
    answer(&app.store.act(&caller, action, facts(&request_id)).await?)
}

fn checked(request: Request) -> Result<NewSettings, Problem> {
    let Request {
        max_cap,
        agent_own_scope,
        skills_per_actor,
        skills_per_tenant,
        revisions_per_skill,
        required_approvals,
        approvers,
        distinct_human,
        review_names,
        review_severity,
        proposal_days,
        max_open_proposals,
    } = request;
    let most_cap = u32::try_from(MAX_CAP).unwrap_or(u32::MAX);
    let most_approvals = u32::from(MAX_REQUIRED_APPROVALS);
    let maybe = |field: &'static str, value: Option<u32>, most: u32| {
        value.map(|value| within(field, value, most)).transpose()
    };
    Ok(NewSettings {
        max_cap: within("max_cap", max_cap, most_cap)?,
        agent_own_scope: match agent_own_scope {
            OwnScope::Allow => AgentOwnScope::Allow,
            OwnScope::Review => AgentOwnScope::Review,
            OwnScope::Deny => AgentOwnScope::Deny,
        },
        skills_per_actor: within("skills_per_actor", skills_per_actor, MAX_QUOTA)?,
        skills_per_tenant: within("skills_per_tenant", skills_per_tenant, MAX_QUOTA)?,
        revisions_per_skill: within("revisions_per_skill", revisions_per_skill, MAX_QUOTA)?,
        required_approvals: maybe("required_approvals", required_approvals, most_approvals)?
            .map(u8::try_from)
            .transpose()
            .map_err(Problem::internal)?,
        approvers: approvers
            .map(|approvers| listed("approvers", approvers))
            .transpose()?,
        distinct_human: distinct_human.map(|setting| match setting {
            Distinct::Auto => DistinctHuman::Auto,
            Distinct::Always => DistinctHuman::Always,
        }),
        review_names: review_names.map(patterns).transpose()?,
        review_severity: review_severity.map(Least::severity),
        proposal_days: maybe("proposal_days", proposal_days, MAX_PROPOSAL_DAYS)?,
        max_open_proposals: maybe("max_open_proposals", max_open_proposals, MAX_QUOTA)?,
    })
}

fn within(field: &'static str, value: u32, most: u32) -> Result<u32, Problem> {
    if (1..=most).contains(&value) {
        Ok(value)
    } else {
        let detail = format!("Send a whole number from 1 to {most}.");
        Err(Problem::InvalidContent(Fault::at(field, detail)))
    }
}

fn patterns(texts: Vec<String>) -> Result<Vec<NamePattern>, Problem> {
    listed("review_names", texts)?
        .iter()
        .enumerate()
        .map(|(at, text)| {
            NamePattern::parse(text).map_err(|error| {
                let field = format!("review_names[{at}]");
                let detail = format!("This is no pattern: {error}.");
                Problem::InvalidContent(Fault::at(field, detail))
            })
        })
        .collect()
}

/// A list that is not too long, each of it once.
fn listed<T: PartialEq>(field: &'static str, items: Vec<T>) -> Result<Vec<T>, Problem> {
    if items.len() > MAX_LISTED {
        let detail = format!("List at most {MAX_LISTED}.");
        return Err(Problem::InvalidContent(Fault::at(field, detail)));
    }
    let mut once: Vec<T> = Vec::with_capacity(items.len());
    for item in items {
        if !once.contains(&item) {
            once.push(item);
        }
    }
    Ok(once)
}

fn answer(settings: &TenantSettings) -> Result<Tagged, Problem> {
    let tag =
        HeaderValue::from_str(&format!("\"{}\"", settings.version)).map_err(Problem::internal)?;
    Ok((
        [(header::ETAG, tag)],
        Json(Answer {
            max_cap: settings.max_cap,
            agent_own_scope: match settings.agent_own_scope {
                AgentOwnScope::Allow => OwnScope::Allow,
                AgentOwnScope::Review => OwnScope::Review,
                AgentOwnScope::Deny => OwnScope::Deny,
            },
            skills_per_actor: settings.skills_per_actor,
            skills_per_tenant: settings.skills_per_tenant,
            revisions_per_skill: settings.revisions_per_skill,
            required_approvals: settings.required_approvals,
            approvers: settings.approvers.iter().map(ToString::to_string).collect(),
            distinct_human: match settings.distinct_human {
                DistinctHuman::Auto => Distinct::Auto,
                DistinctHuman::Always => Distinct::Always,
            },
            review_names: settings.review_names.clone(),
            review_severity: Least::of(settings.review_severity),
            proposal_days: settings.proposal_days,
            max_open_proposals: settings.max_open_proposals,
        }),
    ))
}
