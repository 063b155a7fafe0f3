//! Changing the content of a proposal: approvals are void, and whoever changed it is an author from then on.

use sea_orm::{ActiveModelTrait as _, ActiveValue::Set, IntoActiveModel as _};
use vestry_policies::review::Author as Wrote;
use vestry_policies::{Action, Target};

use super::{examine, examined, refuse_current};
use crate::content::{PreparedFiles, PreparedSkill, sha256_text};
use crate::store::actions::{keep_content, refuse_recalled};
use crate::store::authorize::Governed;
use crate::store::blobs::{Author, drop_unnamed, files_of_proposal, keep_proposed_files, resolve};
use crate::store::entity::proposal;
use crate::store::error::{StoreError, StoreResult};
use crate::store::facts::Known;
use crate::store::pool::Transaction;
use crate::store::proposals::{
    Found, Located, ProposalChange, authors_column, authors_of, change, describe, obstacle,
    state_of,
};
use crate::store::view::may_read_current;
use crate::store::work::{Evidence, Perform, Work};

/// Replaces the content of a proposal.
#[derive(Debug, Clone)]
pub struct EditProposal {
    at: Located,
    content: PreparedSkill,
    files: PreparedFiles,
    rationale: Option<String>,
    evidence: Option<String>,
    expected: Option<Vec<String>>,
    found: Option<(Found, Known)>,
}

impl EditProposal {
    /// Prepares it. What is none stays; `expected` are the digests of which one must be the proposal's, if one must.
    #[must_use]
    pub fn new(
        at: Located,
        (content, files): (PreparedSkill, PreparedFiles),
        rationale: Option<String>,
        evidence: Option<String>,
        expected: Option<Vec<String>>,
    ) -> Self {
        Self {
            at,
            content,
            files,
            rationale,
            evidence,
            expected,
            found: None,
        }
    }
}

impl Governed for EditProposal {
    type Outcome = ProposalChange;
    const ACTION: Action = Action::EditProposal;
    const HIDDEN: bool = true;
    fn target(&self) -> Target {
        Target::Scope(self.at.scope.clone())
    }
}

impl Perform for EditProposal {
    async fn examine(&mut self, tx: &Transaction, known: &Known) -> StoreResult<Evidence> {
        let (found, evidence) = examine(tx, &self.at).await?;
        self.found = Some((found, known.clone()));
        Ok(evidence)
    }

    async fn perform(self, work: &mut Work<'_>) -> StoreResult<ProposalChange> {
        let Self {
            at,
            content,
            files,
            rationale,
            evidence,
            expected,
            found,
        } = self;
        let (Found { row, current }, known) = examined(found)?;
        state_of(&row, current.as_ref(), work.now)?
            .check_open()
            .map_err(obstacle)?;
        if expected.is_some_and(|expected| !expected.contains(&row.digest)) {
            return Err(StoreError::PreconditionFailed(Some(row.digest)));
        }
        let before = files_of_proposal(work.tx, &row).await?;
        let reads_current = may_read_current(
            work.caller,
            Some(&known),
            work.now,
            &at.scope,
            current.as_ref(),
        );
        let author = Author {
            proposed: Some(&before),
            ..Author::publishing(
                work.caller,
                &at.scope,
                &at.name,
                current.as_ref(),
                reads_current,
            )
        };
        let mut files = resolve(work.tx, &author, files, content.size()).await?;
        let warnings = std::mem::take(&mut files.warnings);
        let digest = files.digest(content.content_digest).to_string();
        let rationale = rationale.unwrap_or_else(|| row.rationale.clone());
        let evidence = evidence.unwrap_or_else(|| row.evidence.clone());
        if (&digest, &content.message, &rationale, &evidence)
            == (&row.digest, &row.message, &row.rationale, &row.evidence)
        {
            work.unchanged = true;
            return Ok(ProposalChange {
                unchanged: true,
                warnings,
                ..change(&row, current.as_ref(), work.now)?
            });
        }
        refuse_current(current.as_ref(), &digest)?;
        refuse_recalled(work.tx, &at.scope, &digest).await?;
        let mut authors = authors_of(&row.authors)?;
        let editor = Wrote::of(&work.caller.principal());
        if !authors.contains(&editor) {
            authors.push(editor);
        }
        let bytes_digest = sha256_text(&content.skill_md);
        describe(work, &row)?;
        work.audit.before = Some(row.digest.clone());
        work.audit.after = Some(digest.clone());
        let mut edited = row.clone().into_active_model();
        edited.version = Set(row.version.saturating_add(1));
        edited.digest = Set(digest);
        edited.content = Set(bytes_digest.clone());
        edited.size = Set(i64::try_from(content.skill_md.len()).unwrap_or(i64::MAX));
        edited.files = Set(files.count());
        edited.description = Set(content.description);
        edited.templated = Set(content.templated);
        edited.frontmatter = Set(serde_json::to_string(&content.frontmatter)?);
        edited.body_offset = Set(i64::try_from(content.body_offset).unwrap_or(i64::MAX));
        edited.message = Set(content.message);
        edited.rationale = Set(rationale);
        edited.evidence = Set(evidence);
        edited.authors = Set(authors_column(&authors)?);
        edited.updated_at = Set(work.now.0);
        keep_content(work, &row.tenant, &bytes_digest, content.skill_md);
        keep_proposed_files(work, &row.tenant, row.number, files).await?;
        drop_unnamed(work, &row.tenant, &before).await?;
        let edited: proposal::Model = edited.update(work.tx).await?;
        Ok(ProposalChange {
            warnings,
            ..change(&edited, current.as_ref(), work.now)?
        })
    }
}
