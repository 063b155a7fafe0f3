//! A file of a proposal: whoever decides has to be able to read what will be published.

use vestry_policies::{Action, Rule, Target, reads_content};

use super::page::content_status;
use crate::store::blobs::{GrantedFile, grant};
use crate::store::error::{StoreError, StoreResult};
use crate::store::pool::Transaction;
use crate::store::proposals::{Found, Located, facts_of_proposal, find};
use crate::store::view::{Fetch, Query, View, facts_of};
use crate::store::work::Evidence;

/// Asks for a file of a proposal.
#[derive(Debug, Clone)]
pub struct ProposalFile {
    at: Located,
    path: String,
    found: Option<Found>,
}

impl ProposalFile {
    /// The file with this path, whatever text it is.
    #[must_use]
    pub fn new(at: Located, path: String) -> Self {
        Self {
            at,
            path,
            found: None,
        }
    }
}

impl Query for ProposalFile {
    type Answer = GrantedFile;
    const ACTION: Action = Action::ReadProposal;
    fn target(&self) -> Target {
        Target::Scope(self.at.scope.clone())
    }
}

impl Fetch for ProposalFile {
    async fn examine(&mut self, db: &Transaction) -> StoreResult<Evidence> {
        let found = find(db, &self.at).await?;
        let proposal = facts_of_proposal(&found.row, Vec::new())?;
        self.found = Some(found);
        Ok(Evidence {
            proposal: Some(proposal),
            ..Evidence::default()
        })
    }

    async fn fetch(self, view: &View<'_>) -> StoreResult<GrantedFile> {
        let Found { row, .. } = self
            .found
            .ok_or_else(|| StoreError::Internal("a proposal was not examined".to_owned()))?;
        let facts = facts_of(view.caller, view.known, view.now, Evidence::default());
        if !reads_content(&facts) {
            return Err(StoreError::Refused(Rule::HumansOnly));
        }
        let status = content_status(view, &self.at.scope, &row).await?;
        let permit = view.read_body(&self.at.scope, status)?;
        let content = view.inner.proposed_content(view.db, &row).await?;
        grant(permit, row.tenant, &content, &self.path)
    }
}
