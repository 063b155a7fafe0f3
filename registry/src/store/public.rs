//! What everybody may read, without a credential: the one way to bytes that goes through no caller.
//!
//! It is there only where the operator has turned it on, and leads only to skills that [`is_public`] names, at their current
//! revision. This compiles, and reads nothing that is not public:
//!
//! ```
//! async fn read(store: &vestry::store::Store, name: &str) -> Option<Vec<u8>> {
//!     let skill = store.public_skills()?.find(name).await.ok()?;
//!     let file = store.public_skills()?.file(&skill, "SKILL.md").await.ok()?;
//!     Some(file.into_bytes().0)
//! }
//! ```
//!
//! This does not, because nobody but the store says which skill is public:
//!
//! ```compile_fail,E0451
//! async fn read(store: &vestry::store::Store, other: vestry::store::PublicSkill, name: String) -> Option<Vec<u8>> {
//!     let skill = vestry::store::PublicSkill { name, ..other };
//!     let file = store.public_skills()?.file(&skill, "SKILL.md").await.ok()?;
//!     Some(file.into_bytes().0)
//! }
//! ```
//!
//! [`is_public`]: vestry_policies::resolve::is_public

use std::sync::Arc;

use moka::sync::Cache;
use tokio::sync::Mutex;
use vestry_policies::{Digest, ItemName, Scope, SkillName, Summary};

use super::Store;
use super::blobs::{GrantedFile, Reservation, grant, grant_of_source};
use super::body::{BodyPermit, CheckedContent};
use super::catalog::CachedScope;
use super::error::{StoreError, StoreResult};
use super::rows::tenant_key;
use super::sources::{FROM_SOURCE, SourceSkill};
use crate::content::archive::archive;
use crate::content::digest::{self, ManifestFile};

/// The path of the SKILL.md among the files of a skill.
const SKILL_MD: &str = "SKILL.md";
/// How many archives are known by their digest: a few times the most skills that `global` has by default.
const KNOWN_ARCHIVES: u64 = 16_384;

/// What is kept for those who read without a credential.
pub(super) struct Public {
    /// The list that was made last, and what it was made from. Held while one is made, so that it is made once.
    listed: Mutex<Option<Listed>>,
    /// The digest of the archive of a revision.
    archives: Cache<Digest, Digest>,
}

/// A list, and the scope that it was made from.
struct Listed {
    of: Arc<CachedScope>,
    skills: Arc<[PublicSkill]>,
}

impl Public {
    pub(super) fn new() -> Self {
        Self {
            listed: Mutex::new(None),
            archives: Cache::new(KNOWN_ARCHIVES),
        }
    }
}

/// The skills that everybody may read. There is none where the operator has not turned that on.
#[derive(Clone, Copy)]
pub struct PublicSkills<'a> {
    store: &'a Store,
    public: &'a Public,
}

/// A skill that everybody may read, as it was when it was looked for.
#[derive(Debug, Clone)]
pub struct PublicSkill {
    name: SkillName,
    description: Arc<str>,
    revision: u32,
    digest: Digest,
    skill_md: Digest,
    archive: Option<Digest>,
    files: Arc<[ManifestFile]>,
}

impl PublicSkill {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &SkillName {
        &self.name
    }

    /// When to use it.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The SHA-256 of its SKILL.md.
    #[must_use]
    pub fn skill_md(&self) -> Digest {
        self.skill_md
    }

    /// The SHA-256 of all of it as one archive; none for a skill without bundled files.
    #[must_use]
    pub fn archive(&self) -> Option<Digest> {
        self.archive
    }

    /// Its bundled files, by path.
    #[must_use]
    pub fn files(&self) -> &[ManifestFile] {
        &self.files
    }

    /// The SHA-256 of its SKILL.md or of a bundled file.
    #[must_use]
    pub fn digest_of(&self, path: &str) -> Option<Digest> {
        if path == SKILL_MD {
            return Some(self.skill_md);
        }
        let file = self.files.iter().find(|file| file.path == path)?;
        Some(file.digest)
    }
}

/// Bytes of a skill that was public when they had been read.
#[derive(Debug)]
pub struct PublicFile {
    bytes: Vec<u8>,
    /// Held for as long as the bytes are in memory.
    reservation: Option<Reservation>,
}

impl PublicFile {
    /// The bytes, and what is to be held for as long as they are in memory.
    #[must_use]
    pub fn into_bytes(self) -> (Vec<u8>, Option<Reservation>) {
        (self.bytes, self.reservation)
    }
}

impl Store {
    /// What everybody may read; none where the operator has not turned that on.
    #[must_use]
    pub fn public_skills(&self) -> Option<PublicSkills<'_>> {
        let public = self.inner.public.as_ref()?;
        Some(PublicSkills {
            store: self,
            public,
        })
    }
}

impl PublicSkills<'_> {
    /// All of them, by name, as of no earlier than this call.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] when one cannot be read.
    pub async fn list(&self) -> StoreResult<Arc<[PublicSkill]>> {
        let mut listed = self.public.listed.lock().await;
        self.store.catch_up_global().await?;
        let scope = self.store.scope(&Scope::Global).await?;
        if let Some(known) = &*listed
            && Arc::ptr_eq(&known.of, &scope)
        {
            return Ok(Arc::clone(&known.skills));
        }
        let mut skills = Vec::new();
        for summary in scope.list.public() {
            skills.push(self.described(&summary).await?);
        }
        let skills: Arc<[PublicSkill]> = Arc::from(skills);
        *listed = Some(Listed {
            of: scope,
            skills: Arc::clone(&skills),
        });
        Ok(skills)
    }

    /// The skill of this name, as of no earlier than this call.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when there is none that is public.
    pub async fn find(&self, name: &str) -> StoreResult<PublicSkill> {
        let summary = self.current(name).await?;
        self.described(&summary).await
    }

    /// The SKILL.md of a skill, or one of its files.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when it has no such file, or is not public any more at this revision.
    pub async fn file(&self, skill: &PublicSkill, path: &str) -> StoreResult<PublicFile> {
        let content = Content::of(self.store, skill).await?;
        let file = if path == SKILL_MD {
            PublicFile {
                bytes: content.skill_md(),
                reservation: None,
            }
        } else {
            let granted = content.grant(skill, path).map_err(|error| match error {
                StoreError::NoSuchFile { path, .. } => StoreError::NotFound(path),
                error => error,
            })?;
            let (bytes, reservation) = self.store.open_file(granted).await?.into_bytes();
            PublicFile { bytes, reservation }
        };
        self.still_public(skill).await?;
        Ok(file)
    }

    /// All of a skill as one archive.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when it has no bundled files, or is not public any more at this revision.
    pub async fn archive(&self, skill: &PublicSkill) -> StoreResult<PublicFile> {
        let expected = skill.archive.ok_or_else(|| absent(skill.name.as_str()))?;
        let file = self.pack(skill).await?;
        if digest::of_bytes(&file.bytes) != expected {
            return Err(StoreError::Corrupt);
        }
        self.still_public(skill).await?;
        Ok(file)
    }

    async fn current(&self, name: &str) -> StoreResult<Arc<Summary>> {
        self.store.catch_up_global().await?;
        let scope = self.store.scope(&Scope::Global).await?;
        scope.list.find_public(name).ok_or_else(|| absent(name))
    }

    /// What was withdrawn while it was read is not handed out.
    async fn still_public(&self, skill: &PublicSkill) -> StoreResult<()> {
        let now = self.current(skill.name.as_str()).await?;
        if (now.revision, now.digest) == (skill.revision, skill.digest) {
            Ok(())
        } else {
            Err(absent(skill.name.as_str()))
        }
    }

    async fn described(&self, summary: &Summary) -> StoreResult<PublicSkill> {
        let mut skill = PublicSkill {
            name: summary.name.clone(),
            description: Arc::clone(&summary.description),
            revision: summary.revision,
            digest: summary.digest,
            skill_md: summary.digest,
            archive: None,
            files: Arc::from([]),
        };
        let content = Content::of(self.store, &skill).await?;
        skill.skill_md = digest::of_bytes(content.checked.body.skill_md().as_bytes());
        skill.files = Arc::clone(&content.checked.files);
        if !skill.files.is_empty() {
            skill.archive = Some(self.archive_digest(&skill).await?);
        }
        Ok(skill)
    }

    /// The digest of a skill's archive, which stays what it is for as long as the skill does.
    async fn archive_digest(&self, skill: &PublicSkill) -> StoreResult<Digest> {
        if let Some(known) = self.public.archives.get(&skill.digest) {
            return Ok(known);
        }
        let packed = digest::of_bytes(&self.pack(skill).await?.bytes);
        self.public.archives.insert(skill.digest, packed);
        Ok(packed)
    }

    async fn pack(&self, skill: &PublicSkill) -> StoreResult<PublicFile> {
        let content = Content::of(self.store, skill).await?;
        let size: u64 = skill.files.iter().map(|file| file.size).sum();
        let tenant = tenant_key(None);
        // The files, and the archive of them.
        let wanted = size.saturating_mul(2);
        let reservation = self
            .store
            .inner
            .downloads
            .reserve(&tenant, None, wanted)
            .await?;
        let mut files = vec![(SKILL_MD.to_owned(), content.skill_md())];
        for file in skill.files.iter() {
            let granted = content.grant(skill, &file.path)?;
            let read = self.store.open_file_with(granted, None).await?;
            files.push((file.path.clone(), read.into_bytes().0));
        }
        let pack = move || {
            archive(
                files
                    .iter()
                    .map(|(path, bytes)| (path.as_str(), bytes.as_slice())),
            )
        };
        let packed = tokio::task::spawn_blocking(pack).await;
        let bytes = packed
            .map_err(|error| StoreError::Internal(error.to_string()))?
            .map_err(|error| StoreError::Internal(error.to_string()))?;
        Ok(PublicFile {
            bytes,
            reservation: Some(reservation),
        })
    }
}

/// The content of a public skill, and where its files are.
struct Content {
    checked: Arc<CheckedContent>,
    source: Option<Arc<SourceSkill>>,
}

impl Content {
    async fn of(store: &Store, skill: &PublicSkill) -> StoreResult<Self> {
        if skill.revision == FROM_SOURCE {
            let source = store
                .inner
                .sources
                .pinned(&Scope::Global, &skill.name, skill.digest);
            // A source that was read again lists it no more.
            let source = source.ok_or_else(|| absent(skill.name.as_str()))?;
            return Ok(Self {
                checked: Arc::clone(&source.content),
                source: Some(source),
            });
        }
        let item = ItemName::from(skill.name.clone());
        let (revision, digest) = (skill.revision, skill.digest);
        Ok(Self {
            checked: store
                .content_at(&Scope::Global, &item, revision, digest)
                .await?,
            source: None,
        })
    }

    fn skill_md(&self) -> Vec<u8> {
        self.checked.body.skill_md().as_bytes().to_vec()
    }

    fn grant(&self, skill: &PublicSkill, path: &str) -> StoreResult<GrantedFile> {
        let (permit, tenant) = (BodyPermit::of_public(skill), tenant_key(None));
        match &self.source {
            Some(source) => grant_of_source(permit, tenant, source, path),
            None => grant(permit, tenant, &self.checked, path),
        }
    }
}

fn absent(name: &str) -> StoreError {
    StoreError::NotFound(format!("a public skill `{name}`"))
}
