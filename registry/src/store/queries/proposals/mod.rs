//! What can be read of proposals: where one is, lists of them, and the page that a reviewer decides from.

mod file;
mod list;
mod locate;
mod page;
mod row;
mod words;

pub use file::ProposalFile;
pub use list::ListProposals;
pub use locate::{LocateProposal, SeeProposal};
pub use page::{DecisionRow, ProposalPage, Proposed, ReadProposal, Standing};
pub use row::ProposalRow;
pub use words::{Word, Words};
