//! Saying something about a proposal.

use sea_orm::{
    ActiveModelTrait as _, ColumnTrait, EntityTrait, IntoActiveModel as _, PaginatorTrait,
    QueryFilter,
};
use serde::{Deserialize, Serialize};
use vestry_policies::{Action, Target};

use super::{examine, examined};
use crate::store::authorize::Governed;
use crate::store::entity::proposal_comment;
use crate::store::error::{StoreError, StoreResult};
use crate::store::facts::Known;
use crate::store::pool::Transaction;
use crate::store::proposals::{Found, Located, describe, id_text, obstacle, state_of};
use crate::store::rows::{kind_code, kind_text};
use crate::store::settings::{COMMENTS_PER_AUTHOR, COMMENTS_PER_PROPOSAL};
use crate::store::work::{Evidence, Perform, Work};

/// Comments on a proposal.
#[derive(Debug, Clone)]
pub struct CommentProposal {
    at: Located,
    text: String,
    found: Option<Found>,
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// The id of the proposal.
    pub proposal: String,
    /// Its position among the proposal's comments, from 1.
    pub number: i64,
    /// What kind of principal wrote it.
    pub author_kind: String,
    /// Who wrote it.
    pub author: String,
    /// The actor that an agent acted for.
    pub acts_for: Option<String>,
    /// What was said.
    pub text: String,
    /// The digest of the content that it was said about.
    pub digest: String,
    /// When, in microseconds since the Unix epoch.
    pub created_at: i64,
}

impl Comment {
    /// The comment of a row.
    pub(in crate::store) fn of(row: proposal_comment::Model) -> StoreResult<Self> {
        Ok(Self {
            proposal: id_text(&row.tenant, row.number),
            number: row.seq,
            author_kind: kind_text(row.author_kind)?.to_owned(),
            author: row.author,
            acts_for: row.acts_for,
            text: row.text,
            digest: row.digest,
            created_at: row.created_at,
        })
    }
}

impl CommentProposal {
    /// Prepares it.
    #[must_use]
    pub fn new(at: Located, text: String) -> Self {
        Self {
            at,
            text,
            found: None,
        }
    }
}

impl Governed for CommentProposal {
    type Outcome = Comment;
    const ACTION: Action = Action::CommentProposal;
    const HIDDEN: bool = true;
    fn target(&self) -> Target {
        Target::Scope(self.at.scope.clone())
    }
}

impl Perform for CommentProposal {
    async fn examine(&mut self, tx: &Transaction, _: &Known) -> StoreResult<Evidence> {
        let (found, evidence) = examine(tx, &self.at).await?;
        self.found = Some(found);
        Ok(evidence)
    }

    async fn perform(self, work: &mut Work<'_>) -> StoreResult<Comment> {
        let Found { row, current } = examined(self.found)?;
        state_of(&row, current.as_ref(), work.now)?
            .check_pending()
            .map_err(obstacle)?;
        let before = proposal_comment::Entity::find()
            .filter(proposal_comment::Column::Tenant.eq(row.tenant.as_str()))
            .filter(proposal_comment::Column::Number.eq(row.number))
            .count(work.tx)
            .await?;
        if before >= COMMENTS_PER_PROPOSAL {
            return Err(StoreError::LimitReached(format!(
                "A proposal has at most {COMMENTS_PER_PROPOSAL} comments. Decide it, or withdraw it."
            )));
        }
        let own = proposal_comment::Entity::find()
            .filter(proposal_comment::Column::Tenant.eq(row.tenant.as_str()))
            .filter(proposal_comment::Column::Number.eq(row.number))
            .filter(proposal_comment::Column::Author.eq(work.caller.principal_text()))
            .count(work.tx)
            .await?;
        if own >= COMMENTS_PER_AUTHOR {
            return Err(StoreError::LimitReached(format!(
                "Of the comments on a proposal at most {COMMENTS_PER_AUTHOR} are one author's. Leave the others to others."
            )));
        }
        let comment = proposal_comment::Model {
            tenant: row.tenant.clone(),
            number: row.number,
            seq: i64::try_from(before).unwrap_or(i64::MAX).saturating_add(1),
            author_kind: kind_code(work.caller.kind()),
            author: work.caller.principal_text().to_owned(),
            acts_for: work.caller.acts_for().map(ToString::to_string),
            text: self.text,
            digest: row.digest.clone(),
            created_at: work.now.0,
        };
        proposal_comment::Entity::insert(comment.clone().into_active_model().reset_all())
            .exec_without_returning(work.tx)
            .await?;
        describe(work, &row)?;
        work.audit.before = Some(row.digest);
        Comment::of(comment)
    }
}
