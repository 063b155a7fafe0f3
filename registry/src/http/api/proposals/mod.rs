//! Proposals: putting content forward, and deciding about it.

pub(crate) mod changed;
pub(in crate::http) mod comment;
pub(crate) mod create;
pub(in crate::http) mod decide;
pub(in crate::http) mod edit;
mod evidence;
pub(in crate::http) mod file;
pub(crate) mod list;
pub(in crate::http) mod read;
pub(in crate::http) mod rebase;
pub(in crate::http) mod withdraw;

use crate::http::app::App;
use crate::http::extract::OpaqueId;
use crate::http::problem::Problem;
use crate::identity::Caller;
use crate::store::queries::LocateProposal;
use crate::store::{Located, ProposalId};

/// Finds out what a proposal is for. Whether the caller may know of it is decided by what is done with it.
async fn locate(app: &App, caller: &Caller, OpaqueId(id): OpaqueId) -> Result<Located, Problem> {
    let id = ProposalId::parse(&id).ok_or(Problem::NotFound)?;
    let seen = app.store.view(caller, LocateProposal { id }).await?;
    Ok(seen.into_inner())
}
