//! `PUT /v1/proposals/{id}`: change the content of a proposal.

use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::changed::{ProposalAnswer, ProposalChanged, proposed};
use super::evidence::{Evidence, maybe_evidence, prose};
use super::locate;
use crate::content::PreparedFiles;
use crate::http::api::files::FileContent;
use crate::http::api::skills::changed::{template_warnings, warnings};
use crate::http::api::skills::content::{Beside, Content, prepare};
use crate::http::api::words::HowItComes;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{
    Body, IfMatch, JsonOrMarkdown, OpaqueId, Path, RequestId, Tags, maybe_unique_map, present,
    without_null_defaults,
};
use crate::http::mutation::facts;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::actions::EditProposal;
use crate::store::queries::SeeProposal;

/// The content of a proposal, anew.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null_defaults, rename = "ProposalEdit")]
pub(in crate::http) struct Request {
    /// Why, for whoever decides: 1 to 4,000 characters; left out, it stays.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    rationale: Option<String>,
    /// What speaks for it; left out, it stays.
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
    /// The files that the skill shall bundle; left out, the proposal keeps those that it has.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<FileContent>")]
    files: Option<Vec<FileContent>>,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Edit a proposal")
        .description(
            "For its proposer, or the human whom that acted for. Approvals so far are void, and whoever edits is an author from then on.",
        )
        .tag("proposals")
        .if_match()
        .body::<Request>()
        .answer::<ProposalChanged>(StatusCode::OK)
        .problems(&[
            Code::Refused,
            Code::NotFound,
            Code::Conflict,
            Code::ProposalStale,
            Code::ProposalEnded,
            Code::PreconditionFailed,
            Code::InvalidContent,
            Code::TemplateRefused,
            Code::TemplateFailed,
            Code::InvalidId,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path(id): Path<OpaqueId>,
    request_id: RequestId,
    IfMatch(if_match): IfMatch,
    Body(request): Body<Request>,
) -> Result<ProposalAnswer, Problem> {
    let Request {
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
    } = request;
    let at = locate(&app, &caller, id).await?;
    // What is sent is checked under the proposal's name, and only for those who may know of it.
    let at = app
        .store
        .view(&caller, SeeProposal { at })
        .await?
        .into_inner();
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
    let prepared = prepare(at.name(), JsonOrMarkdown::Json(content), Beside::default())?;
    let mut warnings = warnings(&prepared.0);
    let lines_before = prepared.0.lines_before_body();
    let rationale = rationale.map(|text| prose("rationale", text)).transpose()?;
    let evidence = evidence.map(|evidence| evidence.document()).transpose()?;
    let expected = match if_match {
        None | Some(Tags::Any) => None,
        Some(Tags::List(tags)) => Some(tags),
    };
    // Files that the proposal keeps are on its page, for those who may read them.
    let sent = match &prepared.1 {
        PreparedFiles::Keep => PreparedFiles::These(Vec::new()),
        these @ PreparedFiles::These(_) => these.clone(),
    };
    let scanned = app
        .store
        .scan(&caller, at.scope(), at.name(), &prepared.0, &sent)
        .await?;
    scanned.refuse_template()?;
    warnings.extend(template_warnings(lines_before, &scanned));
    let findings = scanned.into_findings();
    let action = EditProposal::new(at, prepared, rationale, evidence, expected);
    let change = app.store.act(&caller, action, facts(&request_id)).await?;
    proposed(StatusCode::OK, change, warnings, findings.into())
}
