//! What is pinned, read again: by an offer or by an opening, and refused once it has been recalled.

use std::sync::Arc;

use vestry_policies::{Digest, ItemName, Rule, Scope};

use crate::identity::{Caller, Offer, PinnedEntry};
use crate::store::Store;
use crate::store::actions::find_revision;
use crate::store::body::CheckedContent;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::{ScopeKey, tenant_key};
use crate::store::sources::{FROM_SOURCE, SourceSkill};
use crate::store::tenant_set::TenantSet;

/// What an offer pins under a name.
pub(super) struct Pinned<'a> {
    pub(super) pin: &'a PinnedEntry,
    pub(super) scope: Scope,
    pub(super) content: Arc<CheckedContent>,
    /// The skill of a source, where it is one.
    pub(super) source: Option<Arc<SourceSkill>>,
}

impl Store {
    /// The content that an offer pins under a name, in the order that the module names.
    pub(super) async fn pinned<'a>(
        &self,
        caller: &Caller,
        offer: &'a Offer,
        name: &str,
    ) -> StoreResult<Pinned<'a>> {
        let Some(pin) = offer.find(name) else {
            self.note_refused_load(caller, offer, Rule::NeedsOffer);
            return Err(StoreError::NotOffered(
                offer.names().map(ToString::to_string).collect(),
            ));
        };
        let scope = pin
            .places
            .scope(caller.scopes())
            .cloned()
            .ok_or(StoreError::OfferInvalid)?;
        self.refuse_withdrawn(caller, offer, pin, &scope)?;
        let source = self.pinned_source(pin, &scope)?;
        let content = match &source {
            Some(skill) => Arc::clone(&skill.content),
            None => self.pinned_content(pin, &scope).await?,
        };
        // A recall that was acknowledged while the content was read is in force for this load too.
        self.refuse_withdrawn(caller, offer, pin, &scope)?;
        Ok(Pinned {
            pin,
            scope,
            content,
            source,
        })
    }

    pub(super) async fn pinned_content(
        &self,
        pin: &PinnedEntry,
        scope: &Scope,
    ) -> StoreResult<Arc<CheckedContent>> {
        let tenant = tenant_key(scope.tenant());
        match self.inner.bodies.get(&tenant, pin.digest) {
            Some(content) => Ok(content),
            // In a box: hardly any load comes this way, and its future shall not be larger for it.
            None => {
                let item = ItemName::from(pin.name.clone());
                Box::pin(self.read_pinned(scope, &item, pin.revision, pin.digest)).await
            }
        }
    }

    async fn read_pinned(
        &self,
        scope: &Scope,
        item: &ItemName,
        revision: u32,
        digest: Digest,
    ) -> StoreResult<Arc<CheckedContent>> {
        let tenants = TenantSet::of(scope.tenant());
        let reading = self.inner.reader.statements(&tenants).await?;
        let row = find_revision(&reading, scope, item, revision)
            .await?
            .filter(|row| row.digest == digest.to_string())
            .ok_or(StoreError::Corrupt)?;
        self.inner.content_of(&reading, &row).await
    }

    /// The content of a revision that an opening pins.
    pub(in crate::store) async fn content_at(
        &self,
        scope: &Scope,
        item: &ItemName,
        revision: u32,
        digest: Digest,
    ) -> StoreResult<Arc<CheckedContent>> {
        if let (FROM_SOURCE, Some(name)) = (revision, item.skill()) {
            let skill = self.inner.sources.pinned(scope, name, digest);
            return skill
                .map(|skill| Arc::clone(&skill.content))
                .ok_or(StoreError::Recalled);
        }
        let tenant = tenant_key(scope.tenant());
        match self.inner.bodies.get(&tenant, digest) {
            Some(content) => Ok(content),
            None => self.read_pinned(scope, item, revision, digest).await,
        }
    }

    /// The skill of a source that is pinned, if it is one of a source: a body comes from the source that listed it, or not at
    /// all.
    pub(super) fn pinned_source(
        &self,
        pin: &PinnedEntry,
        scope: &Scope,
    ) -> StoreResult<Option<Arc<SourceSkill>>> {
        if pin.revision != FROM_SOURCE {
            return Ok(None);
        }
        let skill = self.inner.sources.pinned(scope, &pin.name, pin.digest);
        skill.map(Some).ok_or(StoreError::Recalled)
    }

    /// Refuses a pinned revision that has been recalled.
    pub(super) fn refuse_withdrawn(
        &self,
        caller: &Caller,
        offer: &Offer,
        pin: &PinnedEntry,
        scope: &Scope,
    ) -> StoreResult<()> {
        let key = (ScopeKey::of(scope), pin.name.to_string(), pin.revision);
        if self.inner.live.is_recalled(&key) {
            self.note_refused_load(caller, offer, Rule::Recalled);
            return Err(StoreError::Recalled);
        }
        Ok(())
    }

    /// Takes down that a load was refused, without the name: it is whatever text the caller sent.
    pub(super) fn note_refused_load(&self, caller: &Caller, offer: &Offer, rule: Rule) {
        let offer = offer.jti().to_string();
        self.inner.journal.refused_load(caller, offer, rule);
    }
}

/// Says which skill, or instruction of a role, it was that failed.
pub(in crate::store) fn in_item(
    error: StoreError,
    item: &ItemName,
    revision: u32,
    scope: &Scope,
) -> StoreError {
    let of = || format!("`{item}` at {scope}, revision {revision}");
    match error {
        StoreError::TemplateFailed(detail) => {
            StoreError::TemplateFailed(format!("Skill {}: {detail}", of()))
        }
        StoreError::TemplateRefused(diagnostics) => {
            let first = diagnostics.iter().next();
            let why = first.map_or_else(String::new, |first| {
                format!(" Line {}: {}", first.line, first.message)
            });
            StoreError::TemplateFailed(format!(
                "Skill {} is no template of the context schema that is active now.{why}",
                of()
            ))
        }
        error => error,
    }
}
