//! Bundled files. Their bytes are kept once per tenant and digest; a revision names them by digest, for good.
//!
//! - [`resolve`]: from the files of a publication to bytes that are there, by digests that its author may name;
//! - [`keep`]: writing them beside a revision;
//! - [`read`]: lists of files, and the only way to their bytes;
//! - [`uploads`]: what waits to be published, and how much of it may;
//! - [`collect`]: dropping what nobody published;
//! - [`transfers`]: how many bytes are held in memory at once.

mod collect;
mod keep;
mod read;
mod resolve;
mod transfers;
mod uploads;

pub(super) use collect::Collecting;
pub(super) use keep::{drop_unnamed, keep_blob, keep_files, keep_proposed_files, repeat_files};
pub use read::{BundledFile, GrantedFile};
pub(super) use read::{
    bytes_of, files_of, files_of_proposal, findings_of_proposal, grant, grant_of_source,
};
pub(super) use resolve::{Author, Resolved, Stored, resolve, stored};
pub use transfers::Reservation;
pub(super) use transfers::Transfers;
pub(super) use uploads::{check_room, uploader};

/// How long an upload can be named by whoever sent it, in seconds; then its bytes are dropped, unless a revision has them.
pub const UPLOAD_SECONDS: i64 = 24 * 60 * 60;
