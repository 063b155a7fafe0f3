//! The defaults and bounds of what a tenant sets.

/// Skills that an actor may keep, unless its tenant says otherwise.
pub const SKILLS_PER_ACTOR: u64 = 200;
/// Skills that a tenant, or the global scope, may keep.
pub const SKILLS_PER_TENANT: u64 = 2_000;
/// Revisions that a skill may have.
pub const REVISIONS_PER_SKILL: u64 = 10_000;
/// Skills that may be sealed at one scope, unless the operator says otherwise.
pub const SEALED_PER_SCOPE: u64 = 5;
/// The most that an operator may say: sealed skills are never omitted, and an offer holds 256 entries at most.
pub const MAX_SEALED_PER_SCOPE: u64 = 50;
/// Bytes that a tenant may have uploaded and not published, unless the operator says otherwise.
pub const WAITING_UPLOAD_BYTES: u64 = 1 << 30;
/// Proposals that one proposer may have waiting, unless the tenant says otherwise.
pub const MAX_OPEN_PROPOSALS: u64 = 20;
/// Days that a proposal waits for decisions, unless the tenant says otherwise.
pub const PROPOSAL_DAYS: i64 = 30;
/// The most days that a tenant may say.
pub const MAX_PROPOSAL_DAYS: u32 = 365;
/// Usernames or patterns that one setting may list.
pub const MAX_LISTED: usize = 100;
/// Comments that a proposal may have.
pub const COMMENTS_PER_PROPOSAL: u64 = 500;
/// The most of them that are one author's, so that nobody can silence the others.
pub const COMMENTS_PER_AUTHOR: u64 = 100;
