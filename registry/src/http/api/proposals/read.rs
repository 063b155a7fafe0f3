//! `GET /v1/proposals/{id}`: what a reviewer needs to decide, on one page.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use vestry_policies::review::Decision;

use super::comment::Comment;
use super::evidence::Evidence;
use super::list::Row;
use super::locate;
use crate::http::api::files::{File, listed};
use crate::http::api::skills::changed::{Warning, entity_tag};
use crate::http::api::skills::diff::Changed;
use crate::http::api::skills::findings::Findings;
use crate::http::api::skills::impact::Impact;
use crate::http::api::words::time;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{OpaqueId, Path};
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::identity::Caller;
use crate::store::queries::{
    DecisionRow, ProposalPage, Proposed, ReadProposal, Standing, Word, Words,
};
use crate::template::{Diagnostic, Diagnostics};

/// A proposal. Agents get what lists show, and nothing of the content.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "ProposalPage")]
pub(in crate::http) struct Answer {
    /// What lists show.
    #[serde(flatten)]
    row: Row,
    /// What is to be decided; absent for agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<Review>,
}

/// What is to be decided.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Review {
    /// Why it is proposed; empty where a rule made a publication a proposal.
    rationale: String,
    /// What speaks for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<Evidence>,
    /// What changes, for the history.
    message: String,
    /// Whether its body is a template.
    templated: bool,
    /// Further keys of the frontmatter.
    frontmatter: Map<String, Value>,
    /// The whole SKILL.md, as it will be published; absent while the same content is recalled.
    #[serde(skip_serializing_if = "Option::is_none")]
    skill_md: Option<String>,
    /// The bundled files.
    files: Vec<File>,
    /// Whether it replaces a skill that there is.
    replaces: bool,
    /// The unified diff from the SKILL.md that is there now; absent where there is none, or the caller may not read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    unified: Option<String>,
    /// The same, word by word.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<Vec<Piece>>,
    /// The files that are not alike, by path.
    changed_files: Vec<Changed>,
    /// What does not show when it is read, and what else should be looked at.
    warnings: Vec<Warning>,
    /// What the checker says of a template under the context schema that is active now: warnings, and errors when the schema has
    /// changed since it was proposed. Lines are those of the body. Left out for what is no template, or is not shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<Diagnostic>>")]
    diagnostics: Option<Diagnostics>,
    /// What publishing it would do to catalogs; left out once it is over, and where the caller may know of no actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    impact: Option<Impact>,
    #[serde(flatten)]
    findings: Findings,
    /// Other proposals for the same skill that wait. Publishing one makes the others stale.
    others: Vec<Row>,
    /// What was decided, oldest first.
    decisions: Vec<Decided>,
    /// What was said, oldest first.
    comments: Vec<Comment>,
    /// How many approvals count now.
    approvals: usize,
    /// How many it needs.
    required_approvals: usize,
    /// Whether the caller may decide it now.
    may_decide: bool,
    /// The rule that says so.
    rule: &'static str,
}

/// A piece of the text.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Piece {
    /// `same`, `removed`, `added`, or `left-out` for text that is in both.
    change: &'static str,
    /// The text; empty where it was left out.
    text: String,
}

/// A decision that was made.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Decided {
    /// Who.
    username: String,
    /// `approve` or `reject`.
    decision: &'static str,
    /// Why.
    reason: String,
    /// The digest of what was decided about.
    digest: String,
    /// Whether it is about what the proposal is now; edits and rebases void decisions.
    stands: bool,
    /// When, RFC 3339.
    created_at: String,
}

type Tagged = ([(HeaderName, HeaderValue); 1], Json<Answer>);

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Read a proposal")
        .description(
            "What a reviewer needs on one page. `digest` and `base.digest` are what a decision is bound to.",
        )
        .tag("proposals")
        .answer::<Answer>(StatusCode::OK)
        .problems(&[Code::Refused, Code::NotFound, Code::InvalidId])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path(id): Path<OpaqueId>,
) -> Result<Tagged, Problem> {
    let at = locate(&app, &caller, id).await?;
    let seen = app.store.view(&caller, ReadProposal::new(at)).await?;
    let ProposalPage { row, proposed } = seen.into_inner();
    let row = Row::from(row);
    let review = match proposed {
        Some(proposed) => Some(review(&app, &caller, *proposed).await?),
        None => None,
    };
    Ok((
        [(header::ETAG, entity_tag(&row.digest)?)],
        Json(Answer { row, review }),
    ))
}

async fn review(app: &App, caller: &Caller, proposed: Proposed) -> Result<Review, Problem> {
    let Proposed {
        rationale,
        evidence,
        message,
        templated,
        frontmatter,
        files,
        body,
        current,
        replaces,
        changed_files,
        warnings,
        file_warnings,
        notes,
        impact,
        scannable,
        others,
        decisions,
        comments,
        standing,
    } = proposed;
    let Standing {
        approvals,
        required,
        may_decide,
        rule,
    } = standing;
    let (unified, words) = match current.zip(body.clone()) {
        Some(texts) => {
            let names = ("SKILL.md now".to_owned(), "SKILL.md proposed".to_owned());
            let words = pieces(app.store.word_diff(texts.clone()).await?);
            (
                Some(app.store.unified_diff(texts, names).await?),
                Some(words),
            )
        }
        None => (None, None),
    };
    let findings = match scannable {
        Some(scannable) => app.store.scan_all(caller, scannable).await?.into(),
        None => Findings::default(),
    };
    let diagnostics = match &body {
        Some(body) if templated => Some(app.store.diagnostics(caller, body.text()).await?),
        _ => None,
    };
    Ok(Review {
        diagnostics,
        rationale,
        evidence: Evidence::read(&evidence)?,
        message,
        templated,
        frontmatter,
        skill_md: body.map(|body| body.skill_md().to_owned()),
        files: listed(&files),
        replaces,
        unified,
        words,
        changed_files: changed_files.into_iter().map(Changed::from).collect(),
        warnings: warnings
            .into_iter()
            .map(Warning::from)
            .chain(file_warnings.into_iter().map(Warning::of_file))
            .chain(notes.into_iter().map(Warning::of_note))
            .collect(),
        impact: app.store.weigh(impact).await?.map(Impact::from),
        findings,
        others: others.into_iter().map(Row::from).collect(),
        decisions: decisions.into_iter().map(Decided::from).collect(),
        comments: comments.into_iter().map(Comment::from).collect(),
        approvals,
        required_approvals: required,
        may_decide,
        rule,
    })
}

fn pieces(words: Words) -> Vec<Piece> {
    words
        .into_iter()
        .map(|(word, text)| Piece {
            change: match word {
                Word::Same => "same",
                Word::Removed => "removed",
                Word::Added => "added",
                Word::LeftOut => "left-out",
            },
            text,
        })
        .collect()
}

impl From<DecisionRow> for Decided {
    fn from(row: DecisionRow) -> Self {
        let DecisionRow {
            username,
            decision,
            reason,
            digest,
            stands,
            created_at,
        } = row;
        Self {
            username,
            decision: match decision {
                Decision::Approve => "approve",
                Decision::Reject => "reject",
            },
            reason,
            digest,
            stands,
            created_at: time(created_at),
        }
    }
}
