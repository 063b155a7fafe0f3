//! The rows, as sea-orm sees them. Private to the store: nothing else names a table.

#![expect(
    unreachable_pub,
    reason = "sea-orm's derive wants public items; the module itself is private"
)]

pub(super) mod actor_epoch;
pub(super) mod audit;
pub(super) mod audit_head;
pub(super) mod blob;
pub(super) mod content;
pub(super) mod context_schema;
pub(super) mod elevation;
pub(super) mod hidden_skill;
pub(super) mod idempotency_key;
pub(super) mod journal;
pub(super) mod mark;
pub(super) mod member;
pub(super) mod opening;
pub(super) mod proposal;
pub(super) mod proposal_comment;
pub(super) mod proposal_decision;
pub(super) mod proposal_file;
pub(super) mod refresh_token;
pub(super) mod revision;
pub(super) mod revision_file;
pub(super) mod role_attachment;
pub(super) mod scope_size;
pub(super) mod scope_version;
pub(super) mod service;
pub(super) mod session;
pub(super) mod skill;
pub(super) mod snapshot;
pub(super) mod standing_turn;
pub(super) mod tenant;
pub(super) mod turn;
pub(super) mod upload;
pub(super) mod user;
pub(super) mod user_key;
