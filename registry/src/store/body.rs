//! Bodies: the only way to one leads through an offer or a granted read.
//!
//! This compiles, and gives nobody a body:
//!
//! ```
//! fn text(body: &vestry::store::Body) -> &str {
//!     body.text()
//! }
//! ```
//!
//! This does not, because a body cannot be made of a text:
//!
//! ```compile_fail,E0451
//! fn body(text: &str) -> vestry::store::Body {
//!     vestry::store::Body { skill_md: text.into(), offset: 0 }
//! }
//! ```

use std::sync::Arc;
use std::sync::atomic::Ordering;

use moka::sync::Cache;
use sea_orm::{ConnectionTrait, EntityTrait};
use vestry_policies::{Digest, Rule, Verdict};

use super::Inner;
use super::blobs::files_of;
use super::entity::{content, revision};
use super::error::{StoreError, StoreResult};
use crate::content::digest::{self, ManifestFile};
use crate::identity::Offer;

/// How many bytes of bodies are held in memory.
const HELD_BYTES: u64 = 64 << 20;

/// The instructions of a revision, with the SKILL.md that they are in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    skill_md: Arc<str>,
    offset: usize,
}

impl Body {
    /// The instructions: what is below the frontmatter.
    #[must_use]
    pub fn text(&self) -> &str {
        self.skill_md.get(self.offset..).unwrap_or_default()
    }

    /// The SKILL.md, byte for byte as it was published.
    #[must_use]
    pub fn skill_md(&self) -> &str {
        &self.skill_md
    }
}

/// A read of bodies that `decide` has allowed.
pub(super) struct BodyPermit(());

impl BodyPermit {
    /// A permit, or the rule that refuses one.
    pub(super) fn of(verdict: Verdict) -> Result<Self, Rule> {
        match verdict {
            Verdict::Allow(_) => Ok(Self(())),
            Verdict::Review(rule) | Verdict::Deny(rule) => Err(rule),
        }
    }

    /// What was offered to a caller may be read by it.
    pub(super) fn of_offer(_: &Offer) -> Self {
        Self(())
    }
}

/// A revision's content with the bytes checked against the digest.
#[derive(Debug, Clone)]
pub(super) struct CheckedContent {
    pub(super) body: Body,
    pub(super) description: Arc<str>,
    pub(super) templated: bool,
    /// The bundled files, by path.
    pub(super) files: Arc<[ManifestFile]>,
    /// The digest of the body as it is handed out.
    pub(super) rendered_digest: Arc<str>,
}

/// Bodies by tenant and digest of the revision, hashed when they were read.
pub(super) struct BodyCache(Cache<(String, Digest), Arc<CheckedContent>>);

impl BodyCache {
    pub(super) fn new() -> Self {
        Self(
            Cache::builder()
                .max_capacity(HELD_BYTES)
                .weigher(|_, content: &Arc<CheckedContent>| {
                    let files = content.files.iter().map(|file| file.path.len() + 64);
                    let texts = content.body.skill_md.len() + content.description.len();
                    u32::try_from(texts + files.sum::<usize>() + 256).unwrap_or(u32::MAX)
                })
                .build(),
        )
    }

    pub(super) fn get(&self, tenant: &str, digest: Digest) -> Option<Arc<CheckedContent>> {
        self.0.get(&(tenant.to_owned(), digest))
    }
}

impl Inner {
    /// Reads the content of a revision, and checks that its bytes are those that its digest names.
    pub(super) async fn content_of<C: ConnectionTrait>(
        &self,
        db: &C,
        row: &revision::Model,
    ) -> StoreResult<Arc<CheckedContent>> {
        let pinned = Digest::parse(&row.digest).ok_or(StoreError::Corrupt)?;
        self.counters
            .content_queries
            .fetch_add(1, Ordering::Relaxed);
        let bytes = content::Entity::find_by_id((row.tenant.clone(), row.content.clone()))
            .one(db)
            .await?
            .ok_or(StoreError::Corrupt)?
            .bytes;
        let files = files_of(db, row).await?;
        if digest::of_manifest(digest::of_bytes(&bytes), &files) != pinned {
            return Err(StoreError::Corrupt);
        }
        let offset = usize::try_from(row.body_offset).map_err(|_| StoreError::Corrupt)?;
        let skill_md = String::from_utf8(bytes).map_err(|_| StoreError::Corrupt)?;
        let text = skill_md.get(offset..).ok_or(StoreError::Corrupt)?;
        let checked = Arc::new(CheckedContent {
            rendered_digest: Arc::from(digest::sha256_text(text.as_bytes())),
            body: Body {
                skill_md: Arc::from(skill_md.as_str()),
                offset,
            },
            description: Arc::from(row.description.as_str()),
            templated: row.templated,
            files: Arc::from(files),
        });
        self.bodies
            .0
            .insert((row.tenant.clone(), pinned), Arc::clone(&checked));
        Ok(checked)
    }
}
