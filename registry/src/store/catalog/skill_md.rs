//! The SKILL.md of an offered skill as a host of MCP reads it: whole, with the frontmatter as it was published and, where it
//! is a template, with what that writes as the instructions.

use std::sync::Arc;

use serde_json::{Map, Value};
use vestry_policies::{Action, Digest, ItemName, Rule, Scope, SkillName};

use super::load::VerifiedOffer;
use super::pinned::{Pinned, in_item};
use crate::content::digest::ManifestFile;
use crate::content::{frontmatter, sha256_text};
use crate::identity::Caller;
use crate::store::Store;
use crate::store::actions::find_revision;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::kind_text;
use crate::store::tenant_set::TenantSet;
use crate::template::builder::BuildFault;

/// What templates are rendered with.
#[derive(Debug, Clone, Copy)]
pub enum RunContext<'a> {
    /// The turn was listed with a context: what templates write is fixed by it. With the one of the request, if it brought one.
    Fixed(Option<&'a Value>),
    /// It was not: what a template writes is whatever a read brings.
    Dynamic(Option<&'a Value>),
}

impl<'a> RunContext<'a> {
    /// The context of the request, where one is needed. What is no template is read with none.
    ///
    /// # Errors
    /// [`StoreError::InvalidContext`] when the turn was listed with one and the request brings none.
    pub fn given(self) -> StoreResult<Option<&'a Value>> {
        match self {
            Self::Fixed(None) => Err(context_is_missing()),
            Self::Fixed(given) | Self::Dynamic(given) => Ok(given),
        }
    }
}

fn context_is_missing() -> StoreError {
    StoreError::InvalidContext(vec![BuildFault {
        path: String::new(),
        detail: "The skills were listed with a context, and this one is a template. Send the same context with every request.".to_owned(),
    }])
}

/// The size and digest of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// `sha256:` and 64 hexadecimal digits.
    pub digest: String,
    /// How many bytes.
    pub size: u64,
}

impl Stated {
    fn of(bytes: &[u8]) -> Self {
        Self {
            digest: sha256_text(bytes),
            size: bytes.len() as u64,
        }
    }
}

/// What an offered skill is made of, without its body.
#[derive(Debug)]
pub struct Manifest {
    /// The name.
    pub name: SkillName,
    /// Where it lives.
    pub scope: Scope,
    /// The pinned revision.
    pub revision: u32,
    /// Its digest.
    pub digest: Digest,
    /// The scopes that it overrides, narrow to wide.
    pub shadows: Vec<Scope>,
    /// Whether its body is a template.
    pub templated: bool,
    /// The frontmatter of its SKILL.md, with `name` and `description`.
    pub frontmatter: Map<String, Value>,
    /// What a read of its SKILL.md gives; none when that depends on what the read brings, or when its template fails.
    pub skill_md: Option<Stated>,
    /// Why its template fails with the context of the turn: a read would fail too.
    pub failure: Option<StoreError>,
    /// The bundled files, by path.
    pub files: Arc<[ManifestFile]>,
    /// Who wrote the revision; none for a skill of a read-only source.
    pub author: Option<Author>,
}

/// Who wrote a revision, as far as readers of a catalog should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Author {
    /// `human`, `agent` or `system`.
    pub kind: &'static str,
    /// The actor that an agent acted for.
    pub acts_for: Option<String>,
}

/// The SKILL.md of a skill that was offered; made by reading one under an offer only.
#[derive(Debug, Clone)]
pub struct OfferedSkillMd {
    text: String,
}

impl OfferedSkillMd {
    /// The whole text.
    #[must_use]
    pub fn into_text(self) -> String {
        self.text
    }
}

impl Store {
    /// What an offered skill is made of.
    ///
    /// # Errors
    /// As [`Store::load`]; [`StoreError::InvalidContext`] also where the context of the listing is missing.
    pub async fn manifest(
        &self,
        caller: &Caller,
        offer: &str,
        name: &str,
        context: RunContext<'_>,
    ) -> StoreResult<Manifest> {
        self.decide_own(caller, Action::LoadSkill)?;
        let verified = self.verify_offer(caller, offer)?;
        let pinned = self.pinned(caller, verified.offer(), name).await?;
        let (skill_md, failure) = match context {
            RunContext::Dynamic(_) if pinned.content.templated => (None, None),
            RunContext::Fixed(None) if pinned.content.templated => {
                return Err(context_is_missing());
            }
            _ => {
                let rendered = self.skill_md_of(caller, &verified, &pinned, context).await;
                match rendered {
                    Ok(Some(text)) => (Some(Stated::of(text.as_bytes())), None),
                    Ok(None) => {
                        let bytes = pinned.content.body.skill_md().as_bytes();
                        (Some(Stated::of(bytes)), None)
                    }
                    // One template that fails takes no other skill out of a listing.
                    Err(
                        error @ (StoreError::InvalidContext(_) | StoreError::TemplateFailed(_)),
                    ) => (None, Some(error)),
                    Err(error) => return Err(error),
                }
            }
        };
        let author = match &pinned.source {
            Some(_) => None,
            None => Some(self.author_of(&pinned).await?),
        };
        Ok(Manifest {
            author,
            name: pinned.pin.name.clone(),
            revision: pinned.pin.revision,
            digest: pinned.pin.digest,
            shadows: pinned.pin.places.shadows(caller.scopes()),
            templated: pinned.content.templated,
            failure,
            frontmatter: frontmatter(pinned.content.body.skill_md())
                .map_err(|_| StoreError::Corrupt)?,
            skill_md,
            files: Arc::clone(&pinned.content.files),
            scope: pinned.scope,
        })
    }

    async fn author_of(&self, pinned: &Pinned<'_>) -> StoreResult<Author> {
        let item = ItemName::from(pinned.pin.name.clone());
        let tenants = TenantSet::of(pinned.scope.tenant());
        let row = find_revision(
            &self.inner.reader.statements(&tenants).await?,
            &pinned.scope,
            &item,
            pinned.pin.revision,
        )
        .await?
        .ok_or(StoreError::Corrupt)?;
        Ok(Author {
            kind: kind_text(row.author_kind)?,
            acts_for: row.acts_for,
        })
    }

    /// The SKILL.md of an offered skill: a load like any other.
    ///
    /// # Errors
    /// As [`Store::manifest`].
    pub async fn load_skill_md(
        &self,
        caller: &Caller,
        offer: &str,
        name: &str,
        context: RunContext<'_>,
    ) -> StoreResult<OfferedSkillMd> {
        self.decide_own(caller, Action::LoadSkill)?;
        let verified = self.verify_offer(caller, offer)?;
        let pinned = self.pinned(caller, verified.offer(), name).await?;
        let rendered = self
            .skill_md_of(caller, &verified, &pinned, context)
            .await?;
        let text = rendered.unwrap_or_else(|| pinned.content.body.skill_md().to_owned());
        let what = (pinned.pin, &pinned.scope);
        self.take_down_load(caller, verified.offer(), what, (None, false))
            .await?;
        Ok(OfferedSkillMd { text })
    }

    /// Takes down that something was asked for that the offer does not have. What it was is whatever text the caller sent.
    ///
    /// # Errors
    /// Those of the offer.
    pub fn note_unoffered(&self, caller: &Caller, offer: &str) -> StoreResult<()> {
        let verified = self.verify_offer(caller, offer)?;
        self.note_refused_load(caller, verified.offer(), Rule::NeedsOffer);
        Ok(())
    }

    /// The SKILL.md with what its template writes; none where it is no template, and is handed out as it was published.
    async fn skill_md_of(
        &self,
        caller: &Caller,
        verified: &VerifiedOffer,
        pinned: &Pinned<'_>,
        context: RunContext<'_>,
    ) -> StoreResult<Option<String>> {
        let content = &pinned.content;
        if !content.templated {
            return Ok(None);
        }
        let rendered = self
            .render_loaded(caller, verified.offer(), content, context.given()?)
            .await
            .map_err(|error| {
                let item = ItemName::from(pinned.pin.name.clone());
                in_item(error, &item, pinned.pin.revision, &pinned.scope)
            })?;
        // What was recalled while it was rendered is not handed out either.
        self.refuse_withdrawn(caller, verified.offer(), pinned.pin, &pinned.scope)?;
        Ok(Some(
            [content.body.frontmatter_and_fences(), &rendered.text].concat(),
        ))
    }
}
