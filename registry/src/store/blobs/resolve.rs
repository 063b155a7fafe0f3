//! From the files of a publication to bytes that are there.
//!
//! Naming a digest is reading: whoever publishes a file can read it afterwards. So a digest counts only where its author
//! has the bytes anyway: it uploaded them itself, or may read them in the current revision of the same skill. Everything
//! else is one and the same refusal, whether or not the bytes are somewhere (threat 8).

use std::collections::{HashMap, HashSet};

use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, QueryFilter, QuerySelect,
};
use vestry_policies::{Digest, ItemName, Scope};

use super::read::files_of_number;
use super::uploads::uploader;
use crate::content::PreparedBlob;
use crate::content::digest::{self, ManifestFile};
use crate::content::files::{MAX_SKILL_BYTES, PreparedFile, PreparedFiles, too_large, warning};
use crate::identity::Caller;
use crate::store::actions::skill_key;
use crate::store::entity::{blob, skill, upload};
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::tenant_key;

/// Whose publication it is, and of what.
pub(in crate::store) struct Author<'a> {
    pub(in crate::store) caller: &'a Caller,
    pub(in crate::store) scope: &'a Scope,
    pub(in crate::store) name: &'a ItemName,
    /// The skill as it is now.
    pub(in crate::store) current: Option<&'a skill::Model>,
    /// Whether the author may read the bodies of its current revision.
    pub(in crate::store) reads_current: bool,
    /// Whether the author may have its files kept: a proposer need not read them, because whoever approves does.
    pub(in crate::store) keeps_current: bool,
    /// The files of the proposal that it is an edit of.
    pub(in crate::store) proposed: Option<&'a [ManifestFile]>,
}

impl<'a> Author<'a> {
    /// The author of a publication, which keeps what it may read.
    pub(in crate::store) fn publishing(
        caller: &'a Caller,
        scope: &'a Scope,
        name: &'a ItemName,
        current: Option<&'a skill::Model>,
        reads_current: bool,
    ) -> Self {
        Self {
            caller,
            scope,
            name,
            current,
            reads_current,
            keeps_current: reads_current,
            proposed: None,
        }
    }
}

/// A file of a publication whose bytes are in the database.
#[derive(Debug, Clone)]
pub(in crate::store) struct Stored {
    pub(in crate::store) path: String,
    /// Whose bytes they are.
    pub(in crate::store) tenant: String,
    pub(in crate::store) size: u64,
    pub(in crate::store) digest: Digest,
}

/// The files of a publication whose bytes are in the database, as far as its author may name them: what it may not name
/// is left out, because publishing it will be refused.
pub(in crate::store) async fn stored<C: ConnectionTrait>(
    db: &C,
    author: &Author<'_>,
    files: &PreparedFiles,
) -> StoreResult<Vec<Stored>> {
    let owner = tenant_key(author.scope.tenant());
    match files {
        PreparedFiles::Keep => {
            let kept = author
                .current
                .filter(|row| author.reads_current && !row.archived && row.files > 0);
            let Some(row) = kept else {
                return Ok(Vec::new());
            };
            let files = current_files(db, author, row).await?.into_iter();
            Ok(files
                .map(|file| Stored {
                    path: file.path,
                    tenant: owner.clone(),
                    size: file.size,
                    digest: file.digest,
                })
                .collect())
        }
        PreparedFiles::These(files) => {
            let named = files.iter().filter(|file| file.blob.is_none());
            let digests = named.clone().map(|file| file.digest).collect();
            let known = nameable(db, author, &digests).await?;
            let uploader = tenant_key(author.caller.tenant());
            Ok(named
                .filter_map(|file| {
                    let Known {
                        size, is_upload, ..
                    } = known.get(&file.digest)?;
                    Some(Stored {
                        path: file.path.to_string(),
                        tenant: if *is_upload { &uploader } else { &owner }.clone(),
                        size: *size,
                        digest: file.digest,
                    })
                })
                .collect())
        }
    }
}

/// Where the bytes of a resolved file are.
#[derive(Debug)]
pub(super) enum Origin {
    /// Beside the current revision, or a proposal for the same target: the target's tenant has them.
    Current,
    /// Among the author's uploads.
    Upload,
    /// In the request.
    Request(PreparedBlob),
}

/// The files of a publication, all of them there.
#[derive(Debug)]
pub(in crate::store) struct Resolved {
    pub(super) files: Vec<(ManifestFile, Origin)>,
    /// Whether they are those of the current revision because nothing was said of files.
    pub(super) kept: bool,
    /// What the author should know.
    pub(in crate::store) warnings: Vec<String>,
}

impl Resolved {
    /// Files whose bytes the tenant of the target has.
    pub(in crate::store) fn kept_at_target(files: Vec<ManifestFile>) -> Self {
        Self {
            files: files
                .into_iter()
                .map(|file| (file, Origin::Current))
                .collect(),
            kept: false,
            warnings: Vec::new(),
        }
    }

    /// The digest of the revision of this SKILL.md with these files.
    pub(in crate::store) fn digest(&self, skill_md: Digest) -> Digest {
        digest::of_manifest(skill_md, self.files.iter().map(|(file, _)| file))
    }

    /// How many files there are.
    pub(in crate::store) fn count(&self) -> i64 {
        i64::try_from(self.files.len()).unwrap_or(i64::MAX)
    }

    fn check_size(&self, skill_md: u64) -> StoreResult<()> {
        let size = self
            .files
            .iter()
            .fold(skill_md, |size, (file, _)| size.saturating_add(file.size));
        if size > MAX_SKILL_BYTES {
            return Err(too_large(size).into());
        }
        Ok(())
    }
}

/// Finds the bytes of the files.
///
/// # Errors
/// [`StoreError::InvalidContent`] for a digest that the author may not name, and for too many bytes in all;
/// [`StoreError::Conflict`] when files should be kept that the author may not read.
pub(in crate::store) async fn resolve<C: ConnectionTrait>(
    db: &C,
    author: &Author<'_>,
    files: PreparedFiles,
    skill_md: usize,
) -> StoreResult<Resolved> {
    let resolved = match files {
        PreparedFiles::Keep => keep(db, author).await?,
        PreparedFiles::These(files) => these(db, author, files).await?,
    };
    resolved.check_size(u64::try_from(skill_md).unwrap_or(u64::MAX))?;
    Ok(resolved)
}

async fn keep<C: ConnectionTrait>(db: &C, author: &Author<'_>) -> StoreResult<Resolved> {
    if let Some(files) = author.proposed {
        return Ok(Resolved::kept_at_target(files.to_vec()));
    }
    // An archived skill was deleted by its owner: what is made under its name begins without files.
    let files = match author.current.filter(|row| !row.archived && row.files > 0) {
        None => Vec::new(),
        Some(_) if !author.keeps_current => {
            return Err(StoreError::Conflict(
                "The current revision has been recalled, so its files are not kept. Send `files` with those that the skill shall have, or `[]` for none."
                    .to_owned(),
            ));
        }
        Some(row) => current_files(db, author, row).await?,
    };
    Ok(Resolved {
        files: files
            .into_iter()
            .map(|file| (file, Origin::Current))
            .collect(),
        kept: true,
        warnings: Vec::new(),
    })
}

async fn current_files<C: ConnectionTrait>(
    db: &C,
    author: &Author<'_>,
    row: &skill::Model,
) -> StoreResult<Vec<ManifestFile>> {
    files_of_number(db, skill_key(author.scope, author.name), row.revision).await
}

/// What is known of bytes that may be named by their digest.
struct Known {
    size: u64,
    finding: Option<String>,
    is_upload: bool,
}

async fn these<C: ConnectionTrait>(
    db: &C,
    author: &Author<'_>,
    files: Vec<PreparedFile>,
) -> StoreResult<Resolved> {
    let named: HashSet<Digest> = files
        .iter()
        .filter(|file| file.blob.is_none())
        .map(|file| file.digest)
        .collect();
    let known = nameable(db, author, &named).await?;
    let mut resolved = Resolved {
        files: Vec::with_capacity(files.len()),
        kept: false,
        warnings: Vec::new(),
    };
    for (position, PreparedFile { path, digest, blob }) in files.into_iter().enumerate() {
        let path = path.to_string();
        let (size, finding, origin) = match blob {
            Some(blob) => (blob.size(), blob.finding.clone(), Origin::Request(blob)),
            None => {
                let Some(known) = known.get(&digest) else {
                    return Err(unknown(position));
                };
                let origin = if known.is_upload {
                    Origin::Upload
                } else {
                    Origin::Current
                };
                (known.size, known.finding.clone(), origin)
            }
        };
        if let Some(finding) = finding {
            resolved.warnings.push(warning(&path, &finding));
        }
        resolved
            .files
            .push((ManifestFile { path, size, digest }, origin));
    }
    Ok(resolved)
}

/// One and the same refusal for bytes that nobody has, that others have, and that were dropped.
fn unknown(position: usize) -> StoreError {
    StoreError::InvalidContent {
        field: format!("files[{position}].digest").into(),
        detail: "You have no upload with this digest, and the skill has no file with it now. Send the bytes with `PUT /v1/blobs/{sha256}` first."
            .to_owned(),
    }
}

#[derive(Debug, FromQueryResult)]
struct BlobRow {
    sha256: String,
    size: i64,
    finding: Option<String>,
}

/// Which of these digests the author may name.
async fn nameable<C: ConnectionTrait>(
    db: &C,
    author: &Author<'_>,
    named: &HashSet<Digest>,
) -> StoreResult<HashMap<Digest, Known>> {
    let mut known = HashMap::new();
    if named.is_empty() {
        return Ok(known);
    }
    if let Some(row) = author
        .current
        .filter(|row| author.reads_current && row.files > 0)
    {
        let current: Vec<Digest> = current_files(db, author, row)
            .await?
            .into_iter()
            .map(|file| file.digest)
            .filter(|digest| named.contains(digest))
            .collect();
        let tenant = tenant_key(author.scope.tenant());
        take(&mut known, blobs(db, tenant, &current).await?, false)?;
    }
    if let Some(files) = author.proposed {
        let proposed: Vec<Digest> = files
            .iter()
            .map(|file| file.digest)
            .filter(|digest| named.contains(digest) && !known.contains_key(digest))
            .collect();
        let tenant = tenant_key(author.scope.tenant());
        take(&mut known, blobs(db, tenant, &proposed).await?, false)?;
    }
    let missing: Vec<Digest> = named
        .iter()
        .filter(|digest| !known.contains_key(digest))
        .copied()
        .collect();
    let tenant = tenant_key(author.caller.tenant());
    let uploaded: Vec<String> = if missing.is_empty() {
        Vec::new()
    } else {
        upload::Entity::find()
            .select_only()
            .column(upload::Column::Sha256)
            .filter(upload::Column::Tenant.eq(tenant.as_str()))
            .filter(upload::Column::Principal.eq(uploader(author.caller)))
            .filter(upload::Column::Sha256.is_in(missing.iter().map(ToString::to_string)))
            .into_tuple()
            .all(db)
            .await?
    };
    let uploaded: Vec<Digest> = uploaded
        .iter()
        .filter_map(|text| Digest::parse(text))
        .collect();
    take(&mut known, blobs(db, tenant, &uploaded).await?, true)?;
    Ok(known)
}

fn take(
    known: &mut HashMap<Digest, Known>,
    rows: Vec<BlobRow>,
    is_upload: bool,
) -> StoreResult<()> {
    for row in rows {
        known.insert(
            Digest::parse(&row.sha256).ok_or(StoreError::Corrupt)?,
            Known {
                size: u64::try_from(row.size).map_err(|_| StoreError::Corrupt)?,
                finding: row.finding,
                is_upload,
            },
        );
    }
    Ok(())
}

/// What is known of the tenant's blobs with these digests, without their bytes.
async fn blobs<C: ConnectionTrait>(
    db: &C,
    tenant: String,
    digests: &[Digest],
) -> StoreResult<Vec<BlobRow>> {
    if digests.is_empty() {
        return Ok(Vec::new());
    }
    Ok(blob::Entity::find()
        .select_only()
        .columns([
            blob::Column::Sha256,
            blob::Column::Size,
            blob::Column::Finding,
        ])
        .filter(blob::Column::Tenant.eq(tenant))
        .filter(blob::Column::Sha256.is_in(digests.iter().map(ToString::to_string)))
        .into_model::<BlobRow>()
        .all(db)
        .await?)
}
