//! What is done to proposals, one file an action.

mod comment;
mod decide;
mod edit;
mod propose;
mod rebase;
mod withdraw;

pub use comment::{Comment, CommentProposal};
pub use decide::DecideProposal;
pub use edit::EditProposal;
pub use propose::ProposeSkill;
pub use rebase::RebaseProposal;
pub use withdraw::WithdrawProposal;

use sea_orm::ConnectionTrait;

use crate::store::error::{StoreError, StoreResult};
use crate::store::proposals::{Found, Located, facts_of_proposal, find};
use crate::store::work::Evidence;

/// Reads a proposal for a decision about it.
async fn examine<C: ConnectionTrait>(tx: &C, at: &Located) -> StoreResult<(Found, Evidence)> {
    let found = find(tx, at).await?;
    let evidence = Evidence {
        proposal: Some(facts_of_proposal(&found.row, Vec::new())?),
        ..Evidence::default()
    };
    Ok((found, evidence))
}

/// What was examined.
fn examined<T>(found: Option<T>) -> StoreResult<T> {
    found.ok_or_else(|| StoreError::Internal("a proposal was not examined".to_owned()))
}

/// Refuses content that is what is published already: there is nothing to decide.
fn refuse_current(
    found: Option<&crate::store::entity::skill::Model>,
    digest: &str,
) -> StoreResult<()> {
    if found.is_some_and(|row| !row.archived && row.digest == digest) {
        return Err(StoreError::Conflict(
            "This is what is published already; there is nothing to propose.".to_owned(),
        ));
    }
    Ok(())
}
