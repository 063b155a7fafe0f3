//! Whether a conversation has another revision of a skill than the one that is loaded: then the model is told that what it has
//! read before is replaced.
//!
//! Asked for an offered skill only, and only when the conversation has something, but not this. What a template once wrote
//! for somebody is kept nowhere: of templates other revisions are known by their own digests alone.

use std::sync::atomic::Ordering;

use moka::sync::Cache;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use vestry_policies::{Digest, ItemName, Scope};

use crate::content::digest::of_bytes;
use crate::identity::PinnedEntry;
use crate::store::Store;
use crate::store::actions::skill_key;
use crate::store::entity::{content, revision};
use crate::store::error::StoreResult;
use crate::store::rows::tenant_key;
use crate::store::sources::FROM_SOURCE;
use crate::store::tenant_set::TenantSet;

/// The most other revisions of a skill that are looked at, newest first.
const LOOK_BACK: u64 = 200;
/// Of how many of these the digest of the text is known as well.
const TEXTS: usize = 8;
/// How many digests of texts are held in memory.
const HELD: u64 = 65_536;

/// The digests of the texts of revisions, by tenant and digest of the revision: neither ever changes.
pub(super) struct TextDigests(Cache<(String, String), Digest>);

impl TextDigests {
    pub(super) fn new() -> Self {
        Self(Cache::new(HELD))
    }
}

/// What is read of another revision.
struct Other {
    digest: String,
    content: String,
    body_offset: i64,
}

impl Store {
    /// Whether one of these digests names another revision of the skill that is pinned: the revision itself, or the text of
    /// one of the newest.
    pub(super) async fn has_another(
        &self,
        pin: &PinnedEntry,
        scope: &Scope,
        have: &[String],
    ) -> StoreResult<bool> {
        if pin.revision == FROM_SOURCE {
            return Ok(false);
        }
        let tenants = TenantSet::of(scope.tenant());
        let reading = self.inner.reader.statements(&tenants).await?;
        let item = ItemName::from(pin.name.clone());
        let (tenant, scope_kind, scope_id, kind, name) = skill_key(scope, &item);
        let others: Vec<(String, String, i64)> = revision::Entity::find()
            .select_only()
            .column(revision::Column::Digest)
            .column(revision::Column::Content)
            .column(revision::Column::BodyOffset)
            .filter(revision::Column::Tenant.eq(tenant))
            .filter(revision::Column::ScopeKind.eq(scope_kind))
            .filter(revision::Column::ScopeId.eq(scope_id))
            .filter(revision::Column::Kind.eq(kind))
            .filter(revision::Column::Name.eq(name))
            .filter(revision::Column::Number.ne(i64::from(pin.revision)))
            .order_by_desc(revision::Column::Number)
            .limit(LOOK_BACK)
            .into_tuple()
            .all(&reading)
            .await?;
        if others.iter().any(|(digest, ..)| have.contains(digest)) {
            return Ok(true);
        }
        for (digest, content, body_offset) in others.into_iter().take(TEXTS) {
            let other = Other {
                digest,
                content,
                body_offset,
            };
            if let Some(text) = self.text_digest(&reading, scope, other).await?
                && have.contains(&text.to_string())
            {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The digest of the text of a revision; none where what is kept of it is damaged, which is told when it is loaded.
    async fn text_digest<C: sea_orm::ConnectionTrait>(
        &self,
        db: &C,
        scope: &Scope,
        other: Other,
    ) -> StoreResult<Option<Digest>> {
        let tenant = tenant_key(scope.tenant());
        let known = &self.inner.catalogs.text_digests.0;
        let key = (tenant.clone(), other.digest);
        if let Some(text) = known.get(&key) {
            return Ok(Some(text));
        }
        self.inner
            .counters
            .content_queries
            .fetch_add(1, Ordering::Relaxed);
        let found = content::Entity::find_by_id((tenant, other.content))
            .one(db)
            .await?;
        let offset = usize::try_from(other.body_offset).unwrap_or(usize::MAX);
        let text = found
            .as_ref()
            .and_then(|content| content.bytes.get(offset..))
            .map(of_bytes);
        if let Some(text) = text {
            known.insert(key, text);
        }
        Ok(text)
    }
}
