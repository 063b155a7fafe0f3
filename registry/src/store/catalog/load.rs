//! Loading an offered skill. The order is the boundary (invariant 11): the offer is verified, the name is looked for in
//! it, and only then is anything else asked.

use std::sync::Arc;

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use vestry_policies::{Action, ActorId, Digest, ItemName, Scope, SkillName};

use super::Weigh;
use super::pinned::{Pinned, in_item};
use crate::content::digest::ManifestFile;
use crate::content::sha256_text;
use crate::identity::jwt::has_ended;
use crate::identity::{Bind, Caller, Offer, OfferError, PinnedEntry};
use crate::store::Store;
use crate::store::body::{CheckedContent, ReadyBody};
use crate::store::error::{StoreError, StoreResult};
use crate::store::journal::Line;
use crate::store::templates::{Offered, RenderedText, render_ready};
use crate::template::schema::SKILLS_FIELD;

/// An offer that was verified for one caller.
pub(super) struct VerifiedOffer {
    offer: Offer,
    caller: Bind,
}

impl Weigh for VerifiedOffer {
    fn weight(&self) -> u64 {
        (self.offer.names().count() * 128 + 512) as u64
    }
}

impl VerifiedOffer {
    /// The offer.
    pub(super) fn offer(&self) -> &Offer {
        &self.offer
    }
}

/// A request to load an offered skill.
#[derive(Debug, Clone)]
pub struct LoadRequest {
    /// The signed offer.
    pub offer: String,
    /// The name, whatever text it is.
    pub name: String,
    /// The digests of bodies that the conversation has.
    pub have: Vec<String>,
    /// The tool call that asked; recorded only.
    pub tool_call: Option<String>,
    /// The data of the run that a template is rendered with; never kept.
    pub context: Option<Value>,
    /// Whether the source of a template is wanted, as it was written.
    pub template: bool,
}

/// A loaded skill.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The name.
    pub name: SkillName,
    /// When to use it.
    pub description: Arc<str>,
    /// Where it lives.
    pub scope: Scope,
    /// The pinned revision.
    pub revision: u32,
    /// Its digest.
    pub digest: Digest,
    /// The scopes that it overrides.
    pub shadows: Vec<Scope>,
    /// Whether its body is a template.
    pub templated: bool,
    /// The body, ready to be answered; none when the conversation has it.
    pub body: Option<ReadyBody>,
    /// The digest of the body as it is handed out.
    pub rendered_digest: Arc<str>,
    /// The bundled files, by path.
    pub files: Arc<[ManifestFile]>,
    /// Whether the end of what a template wrote was left out, because it is too long.
    pub cut: bool,
    /// Whether the conversation has another revision of this skill, and not this body.
    pub changed: bool,
}

impl Store {
    /// Loads a skill that was offered.
    ///
    /// # Errors
    /// In this order: the offer's own errors, [`StoreError::NotOffered`], [`StoreError::Recalled`],
    /// [`StoreError::Corrupt`].
    pub async fn load(&self, caller: &Caller, request: LoadRequest) -> StoreResult<Loaded> {
        self.decide_own(caller, Action::LoadSkill)?;
        let verified = self.verify_offer(caller, &request.offer)?;
        let offer = &verified.offer;
        let Pinned {
            pin,
            scope,
            content,
            source: _,
        } = self.pinned(caller, offer, &request.name).await?;
        let digest = pin.digest.to_string();
        let rendered = if content.templated && !request.template {
            // In a box: most skills are no templates, and their loads shall not be larger for it.
            let rendered =
                Box::pin(self.render_loaded(caller, offer, &content, request.context.as_ref()))
                    .await;
            let item = || ItemName::from(pin.name.clone());
            Some(rendered.map_err(|error| in_item(error, &item(), pin.revision, &scope))?)
        } else {
            None
        };
        // What was recalled while it was rendered is not handed out either.
        self.refuse_withdrawn(caller, offer, pin, &scope)?;
        let rendered_digest = match &rendered {
            Some(rendered) => Arc::from(sha256_text(rendered.text.as_bytes())),
            None => Arc::clone(&content.rendered_digest),
        };
        let already_loaded = request.have.iter().any(|have| **have == *rendered_digest)
            || (rendered.is_none() && !content.templated && request.have.contains(&digest));
        // In a box, and not asked by most loads: see above.
        let changed = !already_loaded
            && !request.have.is_empty()
            && Box::pin(self.has_another(pin, &scope, &request.have)).await?;
        let how = (request.tool_call.as_deref(), already_loaded);
        self.take_down_load(caller, offer, (pin, &scope), how)
            .await?;
        Ok(Loaded {
            name: pin.name.clone(),
            description: Arc::clone(&content.description),
            revision: pin.revision,
            digest: pin.digest,
            shadows: pin.places.shadows(caller.scopes()),
            templated: content.templated,
            body: match (already_loaded, &rendered) {
                (true, _) => None,
                (false, None) => Some(content.ready(&pin.name, &scope, pin.digest)?),
                (false, Some(rendered)) => Some(ReadyBody::of(
                    &pin.name,
                    &scope,
                    pin.digest,
                    &rendered.text,
                )?),
            },
            rendered_digest,
            cut: rendered.is_some_and(|rendered| rendered.cut),
            changed,
            files: Arc::clone(&content.files),
            scope,
        })
    }

    /// Writes into the journal that something offered was loaded, by which tool call, and whether the conversation had it.
    pub(super) async fn take_down_load(
        &self,
        caller: &Caller,
        offer: &Offer,
        (pin, scope): (&PinnedEntry, &Scope),
        (tool_call, already_loaded): (Option<&str>, bool),
    ) -> StoreResult<()> {
        let (offer_id, scope) = (offer.jti().to_string(), scope.to_string());
        let digest = pin.digest.to_string();
        let line = Line::Load {
            at: self.inner.clock.now().0,
            principal: caller.principal_text(),
            acts_for: caller.acts_for().map(ActorId::as_str),
            offer: &offer_id,
            turn: offer.turn().as_str(),
            name: pin.name.as_str(),
            scope: &scope,
            revision: pin.revision,
            digest: &digest,
            tool_call,
            already_loaded,
        };
        self.inner.journal.write(caller, &line, None).await
    }

    /// Renders a template with the context of the request, and with the skills of the offer where it names them.
    pub(super) async fn render_loaded(
        &self,
        caller: &Caller,
        offer: &Offer,
        content: &CheckedContent,
        context: Option<&Value>,
    ) -> StoreResult<RenderedText> {
        let source = content.body.text();
        let ready = self.ready_template(caller, source).await?;
        let names_skills = ready.reads(SKILLS_FIELD);
        let mut offered = Vec::new();
        if names_skills {
            for pin in offer.entries() {
                let scope = pin
                    .places
                    .scope(caller.scopes())
                    .cloned()
                    .ok_or(StoreError::OfferInvalid)?;
                let description = match self.pinned_source(pin, &scope) {
                    Ok(Some(skill)) => Arc::clone(&skill.content.description),
                    Ok(None) => Arc::clone(&self.pinned_content(pin, &scope).await?.description),
                    // What is gone from its source cannot be loaded, and is not named.
                    Err(StoreError::Recalled) => continue,
                    Err(error) => return Err(error),
                };
                offered.push(Offered {
                    name: pin.name.to_string(),
                    description: description.to_string(),
                });
            }
        }
        render_ready(ready, context, &offered).await
    }

    pub(super) fn verify_offer(
        &self,
        caller: &Caller,
        token: &str,
    ) -> StoreResult<Arc<VerifiedOffer>> {
        let now = self.inner.clock.now();
        // The caller's binding is part of what was verified; the epochs are not, they are asked below.
        let key: [u8; 32] = Sha256::digest(token).into();
        let known = self
            .inner
            .catalogs
            .offers
            .get(&key)
            .filter(|known| known.caller == caller.bind());
        let verified = match known {
            Some(known) if has_ended(known.offer.expires_at(), now) => {
                return Err(StoreError::OfferExpired);
            }
            Some(known) => known,
            None => {
                let offer =
                    self.inner.identity.verify_offer(token, caller).map_err(
                        |error| match error {
                            OfferError::Expired => StoreError::OfferExpired,
                            _ => StoreError::OfferInvalid,
                        },
                    )?;
                let verified = Arc::new(VerifiedOffer {
                    offer,
                    caller: caller.bind(),
                });
                self.inner
                    .catalogs
                    .offers
                    .insert(key, Arc::clone(&verified));
                verified
            }
        };
        // The authority that the offer was made under: an offer from before a removal does not come back with a new
        // membership. The caller's own epochs were compared with the live ones when it was authenticated.
        let stands = verified.offer.actor_epoch() == caller.actor_epoch()
            && verified.offer.service_epoch() == caller.service_epoch();
        if stands {
            Ok(verified)
        } else {
            Err(StoreError::AuthorityEnded)
        }
    }
}
