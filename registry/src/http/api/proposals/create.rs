//! `POST /v1/proposals`: put content forward for a scope.

use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use vestry_policies::ItemName;

use super::changed::{ProposalAnswer, ProposalChanged, proposed};
use super::evidence::{Evidence, maybe_evidence, prose};
use crate::http::api::files::FileContent;
use crate::http::api::skills::changed::{template_warnings, warnings};
use crate::http::api::skills::content::{Beside, Content, prepare};
use crate::http::api::words::HowItComes;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{
    JsonOrMarkdown, PathPart as _, ScopeText, maybe_unique_map, present, without_null_defaults,
};
use crate::http::mutation::Mutation;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::actions::ProposeSkill;

/// A proposal.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null_defaults, rename = "NewProposal")]
pub(crate) struct Request {
    /// The scope that it is for: the tenant's, or `global`.
    scope: String,
    /// The name that it is for.
    #[schemars(with = "String")]
    name: ItemName,
    /// Why, for whoever decides: 1 to 4,000 characters.
    rationale: String,
    /// What speaks for it.
    #[serde(default, deserialize_with = "maybe_evidence")]
    #[schemars(with = "Evidence")]
    evidence: Option<Evidence>,
    /// The SKILL.md, kept byte for byte. Instead of `description`, `body`, `templated`, `mode` and `frontmatter`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    skill_md: Option<String>,
    /// When to use it: one line of 1 to 1,024 characters. Required without `skill_md`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    description: Option<String>,
    /// The instructions, in Markdown. Required without `skill_md`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    body: Option<String>,
    /// Whether the body is a template; otherwise it is verbatim.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    templated: Option<bool>,
    /// How the skill reaches a model: `triggered`, in catalogs and loaded on demand, or `ambient`, rendered into every
    /// opening. Triggered, if the frontmatter does not say otherwise.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "HowItComes")]
    mode: Option<HowItComes>,
    /// Further keys of the frontmatter; inert data.
    #[serde(default, deserialize_with = "maybe_unique_map")]
    #[schemars(with = "Map<String, Value>")]
    frontmatter: Option<Map<String, Value>>,
    /// What changes, one line of up to 500 characters, for the history.
    #[serde(default)]
    message: String,
    /// The files that the skill shall bundle; left out, it keeps those that it has.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<FileContent>")]
    files: Option<Vec<FileContent>>,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Propose a skill")
        .description(
            "For a tenant's scope or `global`: agents at the scopes of their actor, humans at theirs, without elevation. The same content again, by the same proposer, is the same proposal.",
        )
        .tag("proposals")
        .idempotency_key()
        .body::<Request>()
        .answer::<ProposalChanged>(StatusCode::OK)
        .answer::<ProposalChanged>(StatusCode::CREATED)
        .problems(&[
            Code::Refused,
            Code::Conflict,
            Code::InvalidContent,
            Code::TemplateRefused,
            Code::TemplateFailed,
            Code::InvalidScope,
            Code::InvalidName,
            Code::QuotaExceeded,
        ])
}

pub(crate) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    request: Mutation<Request>,
) -> Result<ProposalAnswer, Problem> {
    let Request {
        scope,
        name,
        rationale,
        evidence,
        skill_md,
        description,
        body,
        templated,
        mode,
        frontmatter,
        message,
        files,
    } = request.body;
    let scope = ScopeText::parse(&scope)
        .and_then(|scope| scope.resolve(caller.tenant()))
        .map_err(|problem| problem.at("scope"))?;
    let content = Content {
        skill_md,
        description,
        body,
        templated,
        mode,
        frontmatter,
        message,
        files,
    };
    let prepared = prepare(&name, JsonOrMarkdown::Json(content), Beside::default())?;
    let mut warnings = warnings(&prepared.0);
    let lines_before = prepared.0.lines_before_body();
    let rationale = prose("rationale", rationale)?;
    let evidence = evidence
        .map(|evidence| evidence.document())
        .transpose()?
        .unwrap_or_default();
    let scanned = app
        .store
        .scan(&caller, &scope, &name, &prepared.0, &prepared.1)
        .await?;
    scanned.refuse_template()?;
    warnings.extend(template_warnings(lines_before, &scanned));
    let findings = scanned.into_findings();
    let action = ProposeSkill::new((scope, name), prepared, rationale, evidence);
    let change = app.store.act(&caller, action, request.facts).await?;
    let status = if change.created {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    proposed(status, change, warnings, findings.into())
}
