//! Lists of files, and the only way to their bytes: an offer or a granted read gives a [`GrantedFile`], and only that is
//! opened.
//!
//! This compiles, and reads nothing that was not granted:
//!
//! ```
//! async fn read(store: &vestry::store::Store, granted: vestry::store::GrantedFile) -> Option<Vec<u8>> {
//!     let file = store.open_file(granted).await.ok()?;
//!     Some(file.bytes().to_vec())
//! }
//! ```
//!
//! This does not, because a grant cannot be made of a path and a digest:
//!
//! ```compile_fail,E0451
//! fn grant(path: String, granted: vestry::store::GrantedFile) -> vestry::store::GrantedFile {
//!     vestry::store::GrantedFile { path, ..granted }
//! }
//! ```
//!
//! Nor does this, because a grant is spent by opening it:
//!
//! ```compile_fail,E0382
//! async fn twice(store: &vestry::store::Store, granted: vestry::store::GrantedFile) {
//!     let _ = store.open_file(granted).await;
//!     let _ = store.open_file(granted).await;
//! }
//! ```

use std::io::Read as _;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use vestry_policies::Digest;

use super::transfers::Reservation;
use crate::content::digest::{self, ManifestFile};
use crate::content::files::{as_text, warning};
use crate::store::Store;
use crate::store::actions::SkillKey;
use crate::store::body::{BodyPermit, CheckedContent};
use crate::store::entity::{blob, proposal, proposal_file, revision, revision_file};
use crate::store::error::{StoreError, StoreResult};
use crate::store::sources::SourceSkill;
use crate::store::tenant_set::TenantSet;

/// Files up to this size are hashed where they are read; larger ones where they keep nobody waiting.
const SMALL: u64 = 64 << 10;

/// A file of a revision whose bytes the caller may have.
#[derive(Debug)]
#[must_use]
pub struct GrantedFile {
    tenant: String,
    path: String,
    size: u64,
    digest: Digest,
    /// Where a source has it; otherwise it is a blob.
    place: Option<PathBuf>,
}

/// A file whose bytes have the digest that its revision names.
#[derive(Debug)]
pub struct BundledFile {
    path: String,
    digest: Digest,
    bytes: Vec<u8>,
    is_text: bool,
    /// Held for as long as the bytes are in memory.
    reservation: Option<Reservation>,
}

impl BundledFile {
    /// The path below the skill.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The SHA-256 of the bytes.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The text that the bytes are, when all of it shows.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes)
            .ok()
            .filter(|_| self.is_text)
    }

    /// The bytes, and what is to be held for as long as they are in memory.
    #[must_use]
    pub fn into_bytes(self) -> (Vec<u8>, Option<Reservation>) {
        (self.bytes, self.reservation)
    }
}

/// Grants a file of content that may be read.
pub(in crate::store) fn grant(
    _: BodyPermit,
    tenant: String,
    content: &CheckedContent,
    path: &str,
) -> StoreResult<GrantedFile> {
    let Some(file) = content.files.iter().find(|file| file.path == path) else {
        return Err(StoreError::NoSuchFile {
            path: path.to_owned(),
            available: content.files.iter().map(|file| file.path.clone()).collect(),
        });
    };
    Ok(GrantedFile {
        tenant,
        path: file.path.clone(),
        size: file.size,
        digest: file.digest,
        place: None,
    })
}

/// Grants a file of a skill of a source that may be read.
pub(in crate::store) fn grant_of_source(
    permit: BodyPermit,
    tenant: String,
    skill: &SourceSkill,
    path: &str,
) -> StoreResult<GrantedFile> {
    let granted = grant(permit, tenant, &skill.content, path)?;
    let place = skill.place_of(path);
    Ok(GrantedFile { place, ..granted })
}

impl Store {
    /// Reads a file, and checks that its bytes are those that its digest names. Waits for room in memory for large ones.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when the bytes are missing or others.
    pub async fn open_file(&self, granted: GrantedFile) -> StoreResult<BundledFile> {
        let reservation = if granted.size > SMALL {
            let (tenant, size) = (&granted.tenant, granted.size);
            Some(self.inner.downloads.reserve(tenant, None, size).await?)
        } else {
            None
        };
        self.open_file_with(granted, reservation).await
    }

    /// As [`Store::open_file`], for whoever has made room for the file already: waiting for more while holding some would
    /// end in everyone waiting for everyone.
    pub(in crate::store) async fn open_file_with(
        &self,
        granted: GrantedFile,
        reservation: Option<Reservation>,
    ) -> StoreResult<BundledFile> {
        let GrantedFile {
            tenant,
            path,
            size,
            digest,
            place,
        } = granted;
        self.inner
            .counters
            .content_queries
            .fetch_add(1, Ordering::Relaxed);
        let bytes: Vec<u8> = match place {
            None => {
                let tenants = TenantSet::of_keys([tenant.as_str()]);
                let reading = self.inner.reader.statements(&tenants).await?;
                bytes_of(&reading, tenant, digest)
                    .await?
                    .ok_or(StoreError::Corrupt)?
            }
            Some(place) => read_place(place, size).await?,
        };
        let (bytes, found, is_text) = if size > SMALL {
            tokio::task::spawn_blocking(move || inspect(bytes))
                .await
                .map_err(|error| StoreError::Internal(error.to_string()))?
        } else {
            inspect(bytes)
        };
        if found != digest {
            return Err(StoreError::Corrupt);
        }
        Ok(BundledFile {
            path,
            digest,
            bytes,
            is_text,
            reservation,
        })
    }
}

/// The bytes of a blob; none where they are gone.
pub(in crate::store) async fn bytes_of<C: ConnectionTrait>(
    db: &C,
    tenant: String,
    digest: Digest,
) -> StoreResult<Option<Vec<u8>>> {
    Ok(blob::Entity::find_by_id((tenant, digest.to_string()))
        .select_only()
        .column(blob::Column::Bytes)
        .into_tuple()
        .one(db)
        .await?)
}

/// The bytes of a file of a source; one more than it should have, if it has grown, so that its digest is another.
async fn read_place(place: PathBuf, size: u64) -> StoreResult<Vec<u8>> {
    let read = tokio::task::spawn_blocking(move || {
        let mut bytes = Vec::new();
        let most = size.saturating_add(1);
        std::fs::File::open(place).and_then(|file| file.take(most).read_to_end(&mut bytes))?;
        Ok::<_, std::io::Error>(bytes)
    });
    read.await
        .map_err(|error| StoreError::Internal(error.to_string()))?
        .map_err(|_| StoreError::Corrupt)
}

fn inspect(bytes: Vec<u8>) -> (Vec<u8>, Digest, bool) {
    let found = digest::of_bytes(&bytes);
    let is_text = as_text(&bytes).is_some();
    (bytes, found, is_text)
}

/// The files of a revision, by path.
pub(in crate::store) async fn files_of<C: ConnectionTrait>(
    db: &C,
    row: &revision::Model,
) -> StoreResult<Vec<ManifestFile>> {
    if row.files == 0 {
        return Ok(Vec::new());
    }
    let key = (
        row.tenant.clone(),
        row.scope_kind,
        row.scope_id.clone(),
        row.kind,
        row.name.clone(),
    );
    files_of_number(db, key, row.number).await
}

/// The files of the revision with this number, by path.
pub(super) async fn files_of_number<C: ConnectionTrait>(
    db: &C,
    (tenant, scope_kind, scope_id, kind, name): SkillKey,
    number: i64,
) -> StoreResult<Vec<ManifestFile>> {
    use revision_file::Column;
    revision_file::Entity::find()
        .filter(Column::Tenant.eq(tenant))
        .filter(Column::ScopeKind.eq(scope_kind))
        .filter(Column::ScopeId.eq(scope_id))
        .filter(Column::Kind.eq(kind))
        .filter(Column::Name.eq(name))
        .filter(Column::Number.eq(number))
        .order_by_asc(Column::Path)
        .all(db)
        .await?
        .into_iter()
        .map(|row| manifest_file(row.path, row.size, &row.sha256))
        .collect()
}

/// The files of a proposal, by path.
pub(in crate::store) async fn files_of_proposal<C: ConnectionTrait>(
    db: &C,
    row: &proposal::Model,
) -> StoreResult<Vec<ManifestFile>> {
    use proposal_file::Column;
    if row.files == 0 {
        return Ok(Vec::new());
    }
    proposal_file::Entity::find()
        .filter(Column::Tenant.eq(row.tenant.as_str()))
        .filter(Column::Number.eq(row.number))
        .order_by_asc(Column::Path)
        .all(db)
        .await?
        .into_iter()
        .map(|row| manifest_file(row.path, row.size, &row.sha256))
        .collect()
}

/// What does not show in the files of a proposal, each as a sentence.
pub(in crate::store) async fn findings_of_proposal<C: ConnectionTrait>(
    db: &C,
    row: &proposal::Model,
) -> StoreResult<Vec<String>> {
    if row.files == 0 {
        return Ok(Vec::new());
    }
    let files = files_of_proposal(db, row).await?;
    let found: Vec<(String, Option<String>)> = blob::Entity::find()
        .select_only()
        .columns([blob::Column::Sha256, blob::Column::Finding])
        .filter(blob::Column::Tenant.eq(row.tenant.as_str()))
        .filter(blob::Column::Sha256.is_in(files.iter().map(|file| file.digest.to_string())))
        .filter(blob::Column::Finding.is_not_null())
        .into_tuple()
        .all(db)
        .await?;
    Ok(files
        .iter()
        .filter_map(|file| {
            let digest = file.digest.to_string();
            let (_, finding) = found.iter().find(|(sha256, _)| *sha256 == digest)?;
            Some(warning(&file.path, finding.as_deref()?))
        })
        .collect())
}

fn manifest_file(path: String, size: i64, sha256: &str) -> StoreResult<ManifestFile> {
    Ok(ManifestFile {
        path,
        size: u64::try_from(size).map_err(|_| StoreError::Corrupt)?,
        digest: Digest::parse(sha256).ok_or(StoreError::Corrupt)?,
    })
}
