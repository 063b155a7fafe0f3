//! One proposal: what a reviewer needs to decide, on one page.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder};
use serde_json::{Map, Value};
use vestry_policies::review::{Decision, counted};
use vestry_policies::{
    Action, Proposal, Scope, Status, Target, Username, Verdict, decide, reads_content,
};

use super::list;
use super::row::ProposalRow;
use crate::content::digest::ManifestFile;
use crate::content::{SkillMd, Warning, mode_of_frontmatter};
use crate::store::actions::{Comment, find_revision, refuse_recalled, room};
use crate::store::beside::{self, Note};
use crate::store::blobs::findings_of_proposal;
use crate::store::body::Body;
use crate::store::entity::{proposal, proposal_comment, proposal_decision};
use crate::store::error::{StoreError, StoreResult};
use crate::store::impact::{self, ImpactQuestion};
use crate::store::pool::Transaction;
use crate::store::proposals::{
    Found, Located, facts_of_proposal, find, prepared_of, publishers_of, refuse_recalled_files,
    required, state_of,
};
use crate::store::queries::files::{FileChange, changes};
use crate::store::rows::{status_of, unsigned};
use crate::store::scanning::{Scannable, previous_frontmatter};
use crate::store::view::{Fetch, Query, View, facts_of};
use crate::store::work::Evidence;

/// Reads a proposal.
#[derive(Debug, Clone)]
pub struct ReadProposal {
    at: Located,
    found: Option<(Found, Proposal)>,
}

impl ReadProposal {
    /// The proposal that was located.
    #[must_use]
    pub fn new(at: Located) -> Self {
        Self { at, found: None }
    }
}

/// A decision that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionRow {
    /// Who.
    pub username: String,
    /// What.
    pub decision: Decision,
    /// Why.
    pub reason: String,
    /// The digest of what was decided about.
    pub digest: String,
    /// Whether it is about what the proposal is now.
    pub stands: bool,
    /// When, in microseconds since the Unix epoch.
    pub created_at: i64,
}

/// How far a proposal is, and what the caller may do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// How many approvals count now.
    pub approvals: usize,
    /// How many it needs.
    pub required: usize,
    /// Whether the caller may decide it now.
    pub may_decide: bool,
    /// The rule that says so.
    pub rule: &'static str,
}

/// The content of a proposal, beside what there is now.
#[derive(Debug, Clone)]
pub struct Proposed {
    /// Why it is proposed.
    pub rationale: String,
    /// What speaks for it; a JSON document, or empty.
    pub evidence: String,
    /// What changes, for the history.
    pub message: String,
    /// Whether its body is a template.
    pub templated: bool,
    /// Further keys of the frontmatter.
    pub frontmatter: Map<String, Value>,
    /// Its files, by path.
    pub files: Vec<ManifestFile>,
    /// The SKILL.md; none while the same content is recalled at the scope and the caller may not read that.
    pub body: Option<Body>,
    /// The SKILL.md that is there now, where the caller may read both; none when there is no such skill.
    pub current: Option<Body>,
    /// Whether there is a living skill of that name.
    pub replaces: bool,
    /// The files that are not alike.
    pub changed_files: Vec<FileChange>,
    /// What does not show when it is read, and what else should be looked at.
    pub warnings: Vec<Warning>,
    /// The same of its files.
    pub file_warnings: Vec<String>,
    /// What to know of its neighbours, while it waits and there is no such skill.
    pub notes: Vec<Note>,
    /// What publishing it would do, to be weighed; nothing once it is over, or where the caller may know of no actor.
    pub impact: Option<ImpactQuestion>,
    /// What the scanner is to look at; none where the caller may not read the SKILL.md.
    pub scannable: Option<Scannable>,
    /// Other proposals for the same skill that wait.
    pub others: Vec<ProposalRow>,
    /// What was decided, in its order.
    pub decisions: Vec<DecisionRow>,
    /// What was said, in its order.
    pub comments: Vec<Comment>,
    /// How far it is.
    pub standing: Standing,
}

/// A proposal: to agents without its content.
#[derive(Debug, Clone)]
pub struct ProposalPage {
    /// What lists show.
    pub row: ProposalRow,
    /// The rest, for humans.
    pub proposed: Option<Box<Proposed>>,
}

impl Query for ReadProposal {
    type Answer = ProposalPage;
    const ACTION: Action = Action::ReadProposal;
    fn target(&self) -> Target {
        Target::Scope(self.at.scope.clone())
    }
}

impl Fetch for ReadProposal {
    async fn examine(&mut self, db: &Transaction) -> StoreResult<Evidence> {
        let found = find(db, &self.at).await?;
        let proposal = facts_of_proposal(&found.row, publishers_of(db, &self.at.scope).await?)?;
        self.found = Some((found, proposal.clone()));
        Ok(Evidence {
            proposal: Some(proposal),
            ..Evidence::default()
        })
    }

    async fn fetch(self, view: &View<'_>) -> StoreResult<ProposalPage> {
        let (found, proposal) = self
            .found
            .ok_or_else(|| StoreError::Internal("a proposal was not examined".to_owned()))?;
        let row = ProposalRow::of(&found.row, found.current.as_ref(), view.now)?;
        let facts = facts_of(view.caller, view.known, view.now, Evidence::default());
        let proposed = if reads_content(&facts) {
            Some(Box::new(proposed(view, &self.at, found, proposal).await?))
        } else {
            None
        };
        Ok(ProposalPage { row, proposed })
    }
}

async fn proposed(
    view: &View<'_>,
    at: &Located,
    found: Found,
    proposal: Proposal,
) -> StoreResult<Proposed> {
    let Found { row, current } = &found;
    let content = view.inner.proposed_content(view.db, row).await?;
    let reads = view
        .may_read_body(&at.scope, content_status(view, &at.scope, row).await?)
        .is_ok();
    let living = current.as_ref().filter(|row| !row.archived);
    let (now, files_now) = match living {
        None => (None, Vec::new()),
        Some(skill) => {
            let number = unsigned(skill.revision, "revision")?;
            let revision = find_revision(view.db, &at.scope, &at.name, number)
                .await?
                .ok_or_else(|| {
                    StoreError::Internal("a skill's current revision is missing".to_owned())
                })?;
            let files = crate::store::blobs::files_of(view.db, &revision).await?;
            let status = status_of(false, false, revision.recall);
            let body = if view.may_read_body(&at.scope, status).is_ok() {
                Some(
                    view.inner
                        .content_of(view.db, &revision)
                        .await?
                        .body
                        .clone(),
                )
            } else {
                None
            };
            (body, files)
        }
    };
    let files = content.files.to_vec();
    let warnings = SkillMd::parse(content.body.skill_md())
        .map(|read| read.warnings)
        .unwrap_or_default();
    let waits = !state_of(row, current.as_ref(), view.now)?.is_over();
    let mode = mode_of_frontmatter(&serde_json::from_str(&row.frontmatter)?);
    let notes = if waits && living.is_none() {
        let (scope, name) = (&at.scope, &at.name);
        beside::notes(view.store, view.db, view.caller, scope, name, mode).await?
    } else {
        Vec::new()
    };
    let impact = if waits {
        let (scope, name) = (at.scope.clone(), at.name.clone());
        impact::of_publication(view, scope, name, current.as_ref(), &row.digest, mode).await?
    } else {
        None
    };
    let scannable = if reads {
        let prepared = prepared_of(view.inner, view.db, row).await?;
        let previous = match &now {
            // What the caller may not read is not compared with either.
            None => None,
            Some(_) => previous_frontmatter(view.db, &at.scope, &at.name, living).await?,
        };
        Some(Scannable::proposed(prepared, previous, &row.tenant, &files))
    } else {
        None
    };
    let decisions = decisions(view, &found).await?;
    let standing = standing(view, at, &found, &proposal, &decisions).await?;
    Ok(Proposed {
        rationale: row.rationale.clone(),
        evidence: row.evidence.clone(),
        message: row.message.clone(),
        templated: row.templated,
        frontmatter: serde_json::from_str(&row.frontmatter)?,
        changed_files: changes(&files_now, &files),
        files,
        current: now.filter(|_| reads),
        body: Some(content.body.clone()).filter(|_| reads),
        replaces: living.is_some(),
        warnings,
        scannable,
        file_warnings: findings_of_proposal(view.db, row).await?,
        notes,
        impact,
        others: list::beside(view, row).await?,
        decisions,
        comments: comments(view, row).await?,
        standing,
    })
}

/// What was recalled is not read by way of a proposal for it either.
pub(super) async fn content_status(
    view: &View<'_>,
    scope: &Scope,
    row: &proposal::Model,
) -> StoreResult<Status> {
    if refuse_recalled_files(view.db, row).await.is_err() {
        return Ok(Status::Quarantined);
    }
    match refuse_recalled(view.db, scope, &row.digest).await {
        Ok(()) => Ok(Status::Active),
        Err(StoreError::Conflict(_)) => Ok(Status::Quarantined),
        Err(error) => Err(error),
    }
}

async fn decisions(view: &View<'_>, Found { row, .. }: &Found) -> StoreResult<Vec<DecisionRow>> {
    Ok(proposal_decision::Entity::find()
        .filter(proposal_decision::Column::Tenant.eq(row.tenant.as_str()))
        .filter(proposal_decision::Column::Number.eq(row.number))
        .order_by_asc(proposal_decision::Column::Seq)
        .all(view.db)
        .await?
        .into_iter()
        .map(|decided| DecisionRow {
            username: decided.username,
            decision: if decided.approve {
                Decision::Approve
            } else {
                Decision::Reject
            },
            reason: decided.reason,
            digest: decided.digest,
            stands: decided.version == row.version,
            created_at: decided.created_at,
        })
        .collect())
}

async fn comments(
    view: &View<'_>,
    row: &crate::store::entity::proposal::Model,
) -> StoreResult<Vec<Comment>> {
    proposal_comment::Entity::find()
        .filter(proposal_comment::Column::Tenant.eq(row.tenant.as_str()))
        .filter(proposal_comment::Column::Number.eq(row.number))
        .order_by_asc(proposal_comment::Column::Seq)
        .all(view.db)
        .await?
        .into_iter()
        .map(Comment::of)
        .collect()
}

async fn standing(
    view: &View<'_>,
    at: &Located,
    found: &Found,
    proposal: &Proposal,
    decisions: &[DecisionRow],
) -> StoreResult<Standing> {
    let approved: Vec<Username> = decisions
        .iter()
        .filter(|row| row.stands && row.decision == Decision::Approve)
        .filter_map(|row| Username::parse(&row.username).ok())
        .collect();
    let settings = &view.known.settings;
    let evidence = Evidence {
        proposal: Some(proposal.clone()),
        room: room(view.db, &at.scope, found.current.as_ref(), view.known).await?,
        ..Evidence::default()
    };
    let verdict = decide(
        Action::DecideProposal,
        &Target::Scope(at.scope.clone()),
        &facts_of(view.caller, view.known, view.now, evidence),
    );
    let waits = !state_of(&found.row, found.current.as_ref(), view.now)?.is_over();
    Ok(Standing {
        approvals: if at.scope.is_shared() {
            counted(&approved, proposal, settings)
        } else {
            approved.len().min(1)
        },
        required: required(&at.scope, settings),
        may_decide: waits && matches!(verdict, Verdict::Allow(_)),
        rule: verdict.rule().as_str(),
    })
}
