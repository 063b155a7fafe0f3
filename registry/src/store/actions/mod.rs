//! The actions that change something, one file per kind of thing. Each is a prepared value; the work is in its
//! `Perform`, which only a [`Granted`](super::Granted) reaches.

mod activate_schema;
mod attach;
mod hide;
mod keys;
mod lifecycle;
mod members;
mod next_revision;
mod proposals;
mod publish;
mod recall;
mod rollback;
mod seal;
mod services;
mod sessions;
mod skill_rows;
mod tenants;
mod upload;
mod users;
mod written;

pub use activate_schema::ActivateSchema;
pub(in crate::store) use attach::attachments;
pub use attach::{AttachSkills, Attachment, Attachments, MAX_ATTACHMENTS};
pub use hide::{HideSkill, ShowSkill, Visibility};
pub use keys::{CreateKey, CreatedKey, RevokeKey, RevokedKey};
pub use lifecycle::{ArchiveSkill, DisableSkill, EnableSkill};
pub use members::{MemberChange, RemoveMember, SetMember};
pub(in crate::store) use next_revision::{NextRevision, Writer, keep_content, write_revision};
pub use proposals::{
    Comment, CommentProposal, DecideProposal, EditProposal, ProposeSkill, RebaseProposal,
    WithdrawProposal,
};
pub use publish::PublishSkill;
pub use recall::{QuarantineSkill, ReleaseSkill, RevokeSkill};
pub use rollback::RollbackSkill;
pub use seal::{SealSkill, UnsealSkill};
pub use services::{CreateService, CreatedService, RevokeService, RevokedService};
pub(in crate::store) use sessions::end_session;
pub use sessions::{Elevate, Elevated, EndElevation, EndSession, Ended};
pub use skill_rows::{Precondition, SkillChange};
pub(in crate::store) use skill_rows::{
    SkillKey, find, find_revision, missing, refuse_recalled, room, skill_key, status,
};
pub(in crate::store) use tenants::of_row as settings_of_row;
pub use tenants::{CreateTenant, CreatedTenant, NewSettings, TenantSettings, WriteSettings};
pub(in crate::store) use upload::upload_scope;
pub use upload::{UploadBlob, Uploaded};
pub use users::{CreateUser, CreatedUser};
pub use written::Written;

/// A reason that a person gave; recorded, never interpreted.
pub type Reason = String;
