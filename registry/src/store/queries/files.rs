//! Bundled files: one of a revision, what changed between two, and whether there is room for an upload.

use sea_orm::EntityTrait;
use vestry_policies::{Action, Digest, ItemName, Scope, Status, Target};

use crate::content::digest::ManifestFile;
use crate::identity::Caller;
use crate::store::actions::{find_revision, upload_scope};
use crate::store::blobs::{GrantedFile, check_room, grant, grant_of_source, uploader};
use crate::store::entity::upload;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::{status_of, tenant_key};
use crate::store::sources::FROM_SOURCE;
use crate::store::view::{Fetch, Query, View};

/// Asks for a file of a revision.
#[derive(Debug, Clone)]
pub struct RevisionFile {
    /// The scope.
    pub scope: Scope,
    /// The name.
    pub name: ItemName,
    /// The number.
    pub number: u32,
    /// The path, whatever text it is.
    pub path: String,
}

impl Query for RevisionFile {
    type Answer = GrantedFile;
    const ACTION: Action = Action::ReadBody;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Fetch for RevisionFile {
    async fn fetch(self, view: &View<'_>) -> StoreResult<GrantedFile> {
        let Self {
            scope,
            name,
            number,
            path,
        } = self;
        if number == FROM_SOURCE
            && let Some(skill) = view.inner.sources.current(&scope, &name)
        {
            let permit = view.read_body(&scope, Status::Active)?;
            return grant_of_source(permit, tenant_key(scope.tenant()), &skill, &path);
        }
        let revision = find_revision(view.db, &scope, &name, number)
            .await?
            .ok_or_else(|| {
                StoreError::NotFound(format!("Revision {number} of `{name}` at {scope}"))
            })?;
        let permit = view.read_body(&scope, status_of(false, false, revision.recall))?;
        let content = view.inner.content_of(view.db, &revision).await?;
        grant(permit, tenant_key(scope.tenant()), &content, &path)
    }
}

/// Asks whether the caller may upload, before it sends anything.
#[derive(Debug, Clone)]
pub struct MayUpload {
    scope: Scope,
    digest: Digest,
    size: u64,
}

impl MayUpload {
    /// The question for this caller, and bytes with this digest and at least this size.
    #[must_use]
    pub fn new(caller: &Caller, digest: Digest, size: u64) -> Self {
        Self {
            scope: upload_scope(caller),
            digest,
            size,
        }
    }
}

impl Query for MayUpload {
    type Answer = ();
    const ACTION: Action = Action::UploadBlob;
    fn target(&self) -> Target {
        Target::Scope(self.scope.clone())
    }
}

impl Fetch for MayUpload {
    async fn fetch(self, view: &View<'_>) -> StoreResult<()> {
        let key = (
            tenant_key(view.caller.tenant()),
            uploader(view.caller),
            self.digest.to_string(),
        );
        if upload::Entity::find_by_id(key)
            .one(view.db)
            .await?
            .is_some()
        {
            return Ok(());
        }
        let limit = view.inner.limits.waiting_upload_bytes;
        check_room(view.db, view.caller, self.size, limit).await
    }
}

/// A file that two revisions do not have alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// The path.
    pub path: String,
    /// The file in the earlier one; none when it was added.
    pub from: Option<ManifestFile>,
    /// The file in the later one; none when it was removed.
    pub to: Option<ManifestFile>,
}

/// What changed between two lists of files, by path.
pub(super) fn changes(from: &[ManifestFile], to: &[ManifestFile]) -> Vec<FileChange> {
    let find =
        |files: &[ManifestFile], path: &str| files.iter().find(|file| file.path == path).cloned();
    let mut paths: Vec<&str> = from
        .iter()
        .chain(to)
        .map(|file| file.path.as_str())
        .collect();
    paths.sort_unstable();
    paths.dedup();
    paths
        .into_iter()
        .map(|path| FileChange {
            path: path.to_owned(),
            from: find(from, path),
            to: find(to, path),
        })
        .filter(|change| change.from != change.to)
        .collect()
}
