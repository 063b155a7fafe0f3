//! Proposing content for a shared scope.

use vestry_policies::{Action, ItemName, Scope, Status, Target};

use super::refuse_current;
use crate::content::{PreparedFiles, PreparedSkill};
use crate::store::actions::{find, status};
use crate::store::authorize::Governed;
use crate::store::blobs::{Author, resolve};
use crate::store::entity::skill;
use crate::store::error::{StoreError, StoreResult};
use crate::store::facts::Known;
use crate::store::pool::Transaction;
use crate::store::proposals::{NewProposal, ProposalChange, create_proposal};
use crate::store::view::may_read_current;
use crate::store::work::{Evidence, Perform, Work};

/// Proposes content for a name at a scope.
#[derive(Debug, Clone)]
pub struct ProposeSkill {
    scope: Scope,
    name: ItemName,
    content: PreparedSkill,
    files: PreparedFiles,
    rationale: String,
    evidence: String,
    current: Option<skill::Model>,
    known: Option<Known>,
}

impl ProposeSkill {
    /// Prepares it. `evidence` is a JSON document, or empty.
    #[must_use]
    pub fn new(
        (scope, name): (Scope, ItemName),
        (content, files): (PreparedSkill, PreparedFiles),
        rationale: String,
        evidence: String,
    ) -> Self {
        Self {
            scope,
            name,
            content,
            files,
            rationale,
            evidence,
            current: None,
            known: None,
        }
    }
}

impl Governed for ProposeSkill {
    type Outcome = ProposalChange;
    const ACTION: Action = Action::ProposeSkill;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Perform for ProposeSkill {
    async fn examine(&mut self, tx: &Transaction, known: &Known) -> StoreResult<Evidence> {
        self.current = find(tx, &self.scope, &self.name).await?;
        self.known = Some(known.clone());
        Ok(Evidence::default())
    }

    async fn perform(self, work: &mut Work<'_>) -> StoreResult<ProposalChange> {
        let Self {
            scope,
            name,
            content,
            files,
            rationale,
            evidence,
            current,
            known,
        } = self;
        let known =
            known.ok_or_else(|| StoreError::Internal("a skill was not examined".to_owned()))?;
        work.inner.sources.refuse_overridden(&scope, &name)?;
        let reads_current = may_read_current(
            work.caller,
            Some(&known),
            work.now,
            &scope,
            current.as_ref(),
        );
        let author = Author {
            keeps_current: reads_current || !current.as_ref().is_some_and(is_recalled),
            ..Author::publishing(work.caller, &scope, &name, current.as_ref(), reads_current)
        };
        let mut files = resolve(work.tx, &author, files, content.size()).await?;
        let warnings = std::mem::take(&mut files.warnings);
        let digest = files.digest(content.content_digest).to_string();
        refuse_current(current.as_ref(), &digest)?;
        let new = NewProposal {
            scope,
            name,
            current,
            content,
            files,
            digest,
            rationale,
            evidence,
            origin: "",
        };
        let made = create_proposal(work, &known, new).await?;
        Ok(ProposalChange { warnings, ..made })
    }
}

fn is_recalled(row: &skill::Model) -> bool {
    matches!(status(row), Status::Quarantined | Status::Revoked)
}
