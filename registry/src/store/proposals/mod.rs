//! Proposals as they are kept: what their rows say, and writing new ones. What is done to them is in `actions`, what is
//! read of them in `queries`.

mod create;
mod expire;
mod id;
mod people;
mod rows;

pub(super) use create::{NewProposal, content_of_revision, create_proposal};
pub(super) use id::id_text;
pub use id::{Located, ProposalId};
pub(super) use people::{authors_column, authors_of, facts_of_proposal, publishers_of};
pub(super) use rows::{
    Base, Found, against, base_of, change, describe, ended, find, obstacle, open_proposals,
    prepared_of, refuse_recalled_files, required, scope_of_row, state_of,
};
pub use rows::{ProposalBase, ProposalChange};
