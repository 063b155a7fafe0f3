//! The rules of Vestry.
//!
//! Everything in this crate is a pure function over plain data: no I/O, no async, no clock and no
//! configuration. Whatever a decision looks at comes in as data, and every verdict names the
//! [`Rule`] it followed. The server's storage and HTTP layers call these functions; nobody writes
//! the rules a second time.
//!
//! - [`id`], [`name`] and [`scope`]: the typed words of the domain.
//! - [`mod@resolve`]: how the skills of several scopes become one capped catalog.
//! - [`near`]: names that are taken for one another.
//! - [`block`]: the text of a catalog that a model reads, and its parser.
//! - [`mod@decide`]: who may do what.
//! - [`review`]: what becomes of a proposal.
//! - [`prompt`]: which prompt template a role of a workflow gets, and what becomes of it.
//! - [`explain`]: why, condition by condition, asked of the same functions.

pub mod action;
pub mod block;
pub mod decide;
pub mod explain;
pub mod facts;
pub mod id;
pub mod item;
pub mod name;
pub mod near;
pub mod prompt;
pub mod resolve;
pub mod review;
pub mod scope;
pub mod severity;
pub mod skill;
pub mod verdict;

pub use action::{Action, Target};
pub use decide::{decide, reads_content, write_verdict};
pub use facts::{
    AgentOwnScope, Credential, Elevation, Facts, Principal, PrincipalKind, Role, Room, Settings,
    Standing,
};
pub use id::{ActorId, AgentId, IdError, TenantId, Username};
pub use item::{ItemName, Kind};
pub use name::{NameError, SkillName};
pub use resolve::{Catalog, Query, resolve};
pub use review::{DistinctHuman, Proposal, ProposalState};
pub use scope::{Scope, ScopeError};
pub use severity::Severity;
pub use skill::{Digest, Mode, Status, Summary};
pub use verdict::{Rule, Verdict};
