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

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use moka::sync::Cache;
use sea_orm::{ConnectionTrait, EntityTrait};
use serde_json::value::RawValue;
use vestry_policies::block::wrap_skill;
use vestry_policies::{Digest, Rule, Scope, SkillName, Verdict};

use super::Inner;
use super::blobs::{files_of, files_of_proposal};
use super::entity::{content, proposal, revision};
use super::error::{StoreError, StoreResult};
use super::public::PublicSkill;
use crate::content::PreparedSkill;
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

    /// What is above the instructions: the frontmatter with the lines that fence it.
    pub(super) fn frontmatter_and_fences(&self) -> &str {
        self.skill_md.get(..self.offset).unwrap_or_default()
    }

    /// The SKILL.md, byte for byte as it was published.
    #[must_use]
    pub fn skill_md(&self) -> &str {
        &self.skill_md
    }
}

/// A body as JSON texts, escaped once and answered often.
#[derive(Debug, Clone)]
pub struct ReadyBody {
    body: Arc<RawValue>,
    block: Arc<RawValue>,
}

impl ReadyBody {
    /// Of a text, and the place that it is for.
    pub(super) fn of(
        name: &SkillName,
        scope: &Scope,
        digest: Digest,
        text: &str,
    ) -> StoreResult<Self> {
        let raw = |text: &str| -> StoreResult<Arc<RawValue>> {
            Ok(Arc::from(RawValue::from_string(serde_json::to_string(
                text,
            )?)?))
        };
        Ok(Self {
            body: raw(text)?,
            block: raw(&wrap_skill(name, scope, &digest, text))?,
        })
    }

    /// The text wrapped for the conversation.
    ///
    /// # Errors
    /// None that can happen: it was written as JSON here.
    pub fn into_block(self) -> StoreResult<String> {
        Ok(serde_json::from_str(self.block.get())?)
    }

    /// The text, and the text wrapped for the conversation.
    #[must_use]
    pub fn into_texts(self) -> (Arc<RawValue>, Arc<RawValue>) {
        (self.body, self.block)
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

    /// What is public may be read by everybody.
    pub(super) fn of_public(_: &PublicSkill) -> Self {
        Self(())
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
    ready: OnceLock<(SkillName, Scope, ReadyBody)>,
}

impl CheckedContent {
    /// The content of a skill of a source, which was hashed when it was read.
    pub(super) fn of_source(content: PreparedSkill, files: Vec<ManifestFile>) -> StoreResult<Self> {
        let skill_md = String::from_utf8(content.skill_md).map_err(|_| StoreError::Corrupt)?;
        let text = skill_md
            .get(content.body_offset..)
            .ok_or(StoreError::Corrupt)?;
        Ok(Self {
            rendered_digest: Arc::from(digest::sha256_text(text.as_bytes())),
            description: Arc::from(content.description.as_str()),
            templated: content.templated,
            ready: OnceLock::new(),
            files: Arc::from(files),
            body: Body {
                offset: content.body_offset,
                skill_md: Arc::from(skill_md.as_str()),
            },
        })
    }

    /// The body as JSON texts. They are kept for the place that asks first: one content at two scopes is rare.
    pub(super) fn ready(
        &self,
        name: &SkillName,
        scope: &Scope,
        digest: Digest,
    ) -> StoreResult<ReadyBody> {
        if let Some((known_name, known_scope, ready)) = self.ready.get()
            && known_name == name
            && known_scope == scope
        {
            return Ok(ready.clone());
        }
        let ready = ReadyBody::of(name, scope, digest, self.body.text())?;
        let _ = self.ready.set((name.clone(), scope.clone(), ready.clone()));
        Ok(ready)
    }
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
                    // The SKILL.md, and its text twice as JSON.
                    let texts = content.body.skill_md.len() * 4 + content.description.len();
                    u32::try_from(texts + files.sum::<usize>() + 512).unwrap_or(u32::MAX)
                })
                .build(),
        )
    }

    pub(super) fn get(&self, tenant: &str, digest: Digest) -> Option<Arc<CheckedContent>> {
        self.0.get(&(tenant.to_owned(), digest))
    }
}

impl Inner {
    /// The content of a revision, kept in memory for the next who asks.
    pub(super) async fn content_of<C: ConnectionTrait>(
        &self,
        db: &C,
        row: &revision::Model,
    ) -> StoreResult<Arc<CheckedContent>> {
        let checked = self.read_content(db, row).await?;
        let pinned = Digest::parse(&row.digest).ok_or(StoreError::Corrupt)?;
        self.bodies
            .0
            .insert((row.tenant.clone(), pinned), Arc::clone(&checked));
        Ok(checked)
    }

    /// Reads the content of a revision, and checks that its bytes are those that its digest names.
    pub(super) async fn read_content<C: ConnectionTrait>(
        &self,
        db: &C,
        row: &revision::Model,
    ) -> StoreResult<Arc<CheckedContent>> {
        let kept = Kept {
            tenant: &row.tenant,
            digest: &row.digest,
            content: &row.content,
            body_offset: row.body_offset,
            description: &row.description,
            templated: row.templated,
        };
        let files = files_of(db, row).await?;
        self.check_content(db, kept, files).await.map(Arc::new)
    }

    /// Reads the content of a proposal, and checks the same.
    pub(super) async fn proposed_content<C: ConnectionTrait>(
        &self,
        db: &C,
        row: &proposal::Model,
    ) -> StoreResult<CheckedContent> {
        let kept = Kept {
            tenant: &row.tenant,
            digest: &row.digest,
            content: &row.content,
            body_offset: row.body_offset,
            description: &row.description,
            templated: row.templated,
        };
        let files = files_of_proposal(db, row).await?;
        self.check_content(db, kept, files).await
    }

    async fn check_content<C: ConnectionTrait>(
        &self,
        db: &C,
        kept: Kept<'_>,
        files: Vec<ManifestFile>,
    ) -> StoreResult<CheckedContent> {
        let pinned = Digest::parse(kept.digest).ok_or(StoreError::Corrupt)?;
        self.counters
            .content_queries
            .fetch_add(1, Ordering::Relaxed);
        let key = (kept.tenant.to_owned(), kept.content.to_owned());
        let bytes = content::Entity::find_by_id(key)
            .one(db)
            .await?
            .ok_or(StoreError::Corrupt)?
            .bytes;
        if digest::of_manifest(digest::of_bytes(&bytes), &files) != pinned {
            return Err(StoreError::Corrupt);
        }
        let offset = usize::try_from(kept.body_offset).map_err(|_| StoreError::Corrupt)?;
        let skill_md = String::from_utf8(bytes).map_err(|_| StoreError::Corrupt)?;
        let text = skill_md.get(offset..).ok_or(StoreError::Corrupt)?;
        Ok(CheckedContent {
            rendered_digest: Arc::from(digest::sha256_text(text.as_bytes())),
            body: Body {
                skill_md: Arc::from(skill_md.as_str()),
                offset,
            },
            description: Arc::from(kept.description),
            templated: kept.templated,
            ready: OnceLock::new(),
            files: Arc::from(files),
        })
    }
}

/// What a row says of content that is kept.
struct Kept<'a> {
    tenant: &'a str,
    digest: &'a str,
    content: &'a str,
    body_offset: i64,
    description: &'a str,
    templated: bool,
}
