//! Scanning what is published or proposed, before anything is locked for it.

use std::sync::Arc;

use sea_orm::ConnectionTrait;
use serde_json::{Map, Value};
use vestry_policies::{ItemName, Scope, Severity, Target};

use super::actions::{find, find_revision};
use super::blobs::{Author, Stored, bytes_of, files_of, stored};
use super::entity::skill;
use super::error::{StoreError, StoreResult};
use super::proposals::content_of_revision;
use super::rows::RECALL_NONE;
use super::slots::Slot;
use super::view::may_read_current;
use super::{Point, Store, facts};
use crate::content::digest::ManifestFile;
use crate::content::files::MAX_SKILL_BYTES;
use crate::content::scan::{Findings, Scan};
use crate::content::{PreparedFiles, PreparedSkill};
use crate::identity::Caller;
use crate::store::tenant_set::TenantSet;
use crate::template::Diagnostics;

/// Files up to this size are read without waiting for room in memory.
const SMALL: u64 = 64 << 10;

/// What a scan found in content that is about to be published.
#[derive(Debug, Clone)]
pub struct Scanned {
    findings: Findings,
    /// The digest of the current revision, where the findings depend on it: files of it are kept, or its tools compared.
    beside: Option<Option<String>>,
    /// Whether everything was there to be read.
    is_complete: bool,
    /// What is wrong with the template, when it is one and something is.
    refused: Option<Box<Diagnostics>>,
    /// What its author may not mean, when it is one that is taken.
    noted: Diagnostics,
}

impl Scanned {
    /// Refuses a template that cannot be published.
    ///
    /// # Errors
    /// [`StoreError::TemplateRefused`] with all that is wrong with it.
    pub fn refuse_template(&self) -> StoreResult<()> {
        match &self.refused {
            None => Ok(()),
            Some(diagnostics) => Err(StoreError::TemplateRefused(diagnostics.clone())),
        }
    }

    /// What the author of a template that is taken may not mean. Lines are those of the body.
    #[must_use]
    pub fn template_warnings(&self) -> &Diagnostics {
        &self.noted
    }

    /// What was found.
    #[must_use]
    pub fn into_findings(self) -> Findings {
        self.findings
    }

    /// The most severe thing that is in what is published beside `current`. What was not scanned counts as the worst, so
    /// that a race with another publication cannot get past a review.
    pub(super) fn worst(&self, current: Option<&skill::Model>) -> Option<Severity> {
        let is_beside = self
            .beside
            .as_ref()
            .is_none_or(|digest| *digest == living_digest(current));
        if self.is_complete && is_beside {
            self.findings.max_severity()
        } else {
            Some(Severity::Critical)
        }
    }
}

/// The digest of a skill that is not archived.
fn living_digest(current: Option<&skill::Model>) -> Option<String> {
    current
        .filter(|row| !row.archived)
        .map(|row| row.digest.clone())
}

/// Content to be scanned, all of which whoever asked may read. Only the store makes it.
#[derive(Debug, Clone)]
pub struct Scannable {
    content: PreparedSkill,
    /// The frontmatter of the current revision, to compare tools with.
    previous: Option<Map<String, Value>>,
    /// Files that came with a request.
    sent: PreparedFiles,
    /// Files whose bytes are in the database.
    stored: Vec<Stored>,
}

impl Scannable {
    /// How many bytes it has, each file counted as often as it is named.
    fn size(&self) -> u64 {
        let sent = match &self.sent {
            PreparedFiles::Keep => 0,
            PreparedFiles::These(files) => files
                .iter()
                .filter_map(|file| file.blob.as_ref())
                .fold(0, |size, blob| blob.size().saturating_add(size)),
        };
        self.stored
            .iter()
            .fold(sent, |size: u64, file| size.saturating_add(file.size))
    }

    /// The content of a proposal, whose bytes its tenant has.
    pub(super) fn proposed(
        content: PreparedSkill,
        previous: Option<Map<String, Value>>,
        tenant: &str,
        files: &[ManifestFile],
    ) -> Self {
        let stored = files
            .iter()
            .map(|ManifestFile { path, size, digest }| Stored {
                path: path.clone(),
                tenant: tenant.to_owned(),
                size: *size,
                digest: *digest,
            })
            .collect();
        Self {
            content,
            previous,
            sent: PreparedFiles::Keep,
            stored,
        }
    }
}

impl Store {
    /// Scans what a caller is about to publish, check or propose under a name at a scope: the SKILL.md, the files that it
    /// sends, and those that it names or keeps.
    ///
    /// Nothing is decided here, and a refusal is not met here: of what is stored only that is read which the caller may
    /// read, so that findings tell nothing that it may not know. Findings advise (threat 18).
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn scan(
        &self,
        caller: &Caller,
        scope: &Scope,
        name: &ItemName,
        content: &PreparedSkill,
        files: &PreparedFiles,
    ) -> StoreResult<Scanned> {
        let mut scannable = Scannable {
            content: content.clone(),
            previous: None,
            sent: files.clone(),
            stored: Vec::new(),
        };
        let (beside, finds_all) = self
            .find_stored(caller, scope, name, &mut scannable)
            .await?;
        let (refused, noted) = match content.template() {
            None => (None, Diagnostics::default()),
            Some(source) => match self.check_written(caller, source).await? {
                Ok(noted) => (None, noted),
                Err(refused) => (Some(refused), Diagnostics::default()),
            },
        };
        let (findings, reads_all) = self.scan_content(caller, scannable).await?;
        self.inner.reached(Point::Scanned).await;
        Ok(Scanned {
            findings,
            beside,
            is_complete: finds_all && reads_all,
            refused,
            noted,
        })
    }

    /// Scans an earlier revision that a caller is about to roll back to. One that is not there or recalled is refused when it
    /// is published.
    ///
    /// # Errors
    /// When the database cannot be read, or the revision is damaged.
    pub async fn scan_revision(
        &self,
        caller: &Caller,
        scope: &Scope,
        name: &ItemName,
        number: u32,
    ) -> StoreResult<Scanned> {
        let nothing = Scanned {
            findings: Findings::default(),
            beside: None,
            is_complete: false,
            refused: None,
            noted: Diagnostics::default(),
        };
        if !caller.scopes().contains(scope) {
            return Ok(nothing);
        }
        let db = self
            .inner
            .reader
            .begin(&TenantSet::of_keys([
                crate::store::rows::tenant_key_str(caller.tenant()),
                crate::store::rows::tenant_key_str(scope.tenant()),
            ]))
            .await?;
        let earlier = find_revision(&db, scope, name, number)
            .await?
            .filter(|row| row.recall == RECALL_NONE);
        let current = find(&db, scope, name).await?.filter(|row| !row.archived);
        let (Some(earlier), Some(current)) = (earlier, current) else {
            db.rollback().await?;
            return Ok(nothing);
        };
        let (content, _) = content_of_revision(&db, &earlier, String::new()).await?;
        let files = files_of(&db, &earlier).await?;
        let previous = previous_frontmatter(&db, scope, name, Some(&current)).await?;
        db.rollback().await?;
        let (refused, noted) = match content.template() {
            None => (None, Diagnostics::default()),
            Some(source) => match self.check_written(caller, source).await? {
                Ok(noted) => (None, noted),
                Err(refused) => (Some(refused), Diagnostics::default()),
            },
        };
        let scannable = Scannable::proposed(content, previous, &earlier.tenant, &files);
        let (findings, is_complete) = self.scan_content(caller, scannable).await?;
        self.inner.reached(Point::Scanned).await;
        Ok(Scanned {
            findings,
            beside: Some(living_digest(Some(&current))),
            is_complete,
            refused,
            noted,
        })
    }

    /// Scans content that somebody may read.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn scan_all(&self, caller: &Caller, scannable: Scannable) -> StoreResult<Findings> {
        Ok(self.scan_content(caller, scannable).await?.0)
    }

    /// Scans content, and says whether all of it was still there.
    async fn scan_content(
        &self,
        caller: &Caller,
        scannable: Scannable,
    ) -> StoreResult<(Findings, bool)> {
        let Scannable {
            content,
            previous,
            sent,
            stored,
        } = scannable;
        let slot = self.inner.scanning.take(caller).await?;
        let mut scan = Scan::new(Arc::clone(&self.inner.scanner));
        scan = slot
            .clone()
            .run(move || {
                scan.prepared(&content, previous.as_ref());
                if let PreparedFiles::These(files) = &sent {
                    for file in files {
                        if let Some(blob) = &file.blob {
                            scan.file(&file.path.to_string(), &blob.bytes);
                        }
                    }
                }
                scan
            })
            .await?;
        let mut is_complete = true;
        for file in stored {
            let is_there;
            (scan, is_there) = self.scan_stored(slot.clone(), scan, file).await?;
            is_complete &= is_there;
        }
        Ok((slot.run(move || scan.finish()).await?, is_complete))
    }

    /// Scans a file whose bytes are in the database, and says whether they still are.
    async fn scan_stored(
        &self,
        slot: Slot,
        mut scan: Scan,
        file: Stored,
    ) -> StoreResult<(Scan, bool)> {
        let Stored {
            path,
            tenant,
            size,
            digest,
        } = file;
        let reservation = if size > SMALL {
            Some(self.inner.downloads.reserve(&tenant, None, size).await?)
        } else {
            None
        };
        let reading = self
            .inner
            .reader
            .statements(&TenantSet::of_keys([tenant.as_str()]))
            .await?;
        let Some(bytes) = bytes_of(&reading, tenant, digest).await? else {
            return Ok((scan, false));
        };
        drop(reading);
        slot.run(move || {
            scan.file(&path, &bytes);
            drop((bytes, reservation));
            (scan, true)
        })
        .await
    }

    /// What is stored and belongs to a publication, as far as the caller may read it. Gives the digest of the current revision
    /// where that makes a difference, and whether all of it was found.
    async fn find_stored(
        &self,
        caller: &Caller,
        scope: &Scope,
        name: &ItemName,
        scannable: &mut Scannable,
    ) -> StoreResult<(Option<Option<String>>, bool)> {
        let files = &scannable.sent;
        let names_digests = match files {
            PreparedFiles::Keep => false,
            PreparedFiles::These(files) => files.iter().any(|file| file.blob.is_none()),
        };
        let keeps = *files == PreparedFiles::Keep;
        let compares = !scannable.content.frontmatter.is_empty();
        // Outside of its scopes nothing is looked up for a caller.
        if !caller.scopes().contains(scope) || !(keeps || names_digests || compares) {
            return Ok((None, true));
        }
        let db = self
            .inner
            .reader
            .begin(&TenantSet::of_keys([
                crate::store::rows::tenant_key_str(caller.tenant()),
                crate::store::rows::tenant_key_str(scope.tenant()),
            ]))
            .await?;
        let current = find(&db, scope, name).await?.filter(|row| !row.archived);
        let has_files = current.as_ref().is_some_and(|row| row.files > 0);
        let compares = compares && current.is_some();
        let mut finds_all = true;
        if names_digests || (keeps && has_files) || compares {
            let target = Target::Scope(scope.clone());
            let known = facts::read(&db, caller, &target).await?;
            let now = self.inner.clock.now();
            let reads = may_read_current(caller, Some(&known), now, scope, current.as_ref());
            let author = Author::publishing(caller, scope, name, current.as_ref(), reads);
            scannable.stored = stored(&db, &author, files).await?;
            let named = match files {
                PreparedFiles::Keep => 0,
                PreparedFiles::These(files) => {
                    files.iter().filter(|file| file.blob.is_none()).count()
                }
            };
            // A digest that nobody has yet may be uploaded before the publication looks for it.
            finds_all = (reads || !(compares || (keeps && has_files)))
                && (keeps || scannable.stored.len() == named);
            // What is too large is refused when it is published, and not read before.
            let size = scannable.size();
            if size > MAX_SKILL_BYTES {
                scannable.stored.clear();
                finds_all = false;
            }
            if reads && compares {
                scannable.previous =
                    previous_frontmatter(&db, scope, name, current.as_ref()).await?;
            }
        }
        db.rollback().await?;
        Ok((Some(living_digest(current.as_ref())), finds_all))
    }
}

/// The frontmatter of a skill as it is now.
pub(super) async fn previous_frontmatter<C: ConnectionTrait>(
    db: &C,
    scope: &Scope,
    name: &ItemName,
    current: Option<&skill::Model>,
) -> StoreResult<Option<Map<String, Value>>> {
    let number = current.and_then(|row| u32::try_from(row.revision).ok());
    let Some(number) = number else {
        return Ok(None);
    };
    let revision = find_revision(db, scope, name, number).await?;
    Ok(revision
        .map(|revision| serde_json::from_str(&revision.frontmatter))
        .transpose()?)
}
