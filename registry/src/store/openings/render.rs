//! Rendering the parts of an opening. All are rendered before any of them leaves.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sea_orm::EntityTrait;
use vestry_policies::Scope;

use super::part::OpeningPart;
use super::pins::{Pin, Pins};
use crate::content::sha256_text;
use crate::identity::Caller;
use crate::store::Store;
use crate::store::body::CheckedContent;
use crate::store::catalog::{Snapshot, in_item};
use crate::store::entity::turn;
use crate::store::error::{StoreError, StoreResult};
use crate::store::rows::ScopeKey;
use crate::store::templates::Ready;
use crate::store::tenant_set::TenantSet;
use crate::store::turns::{TurnKey, outlived};
use crate::template::builder::{Context, SkillLine};
use crate::template::schema::{SKILLS_FIELD, Schema};
use crate::template::{Bounds, MOST_OUTPUT};

/// The most bytes of all parts together. What is more is left out, whole and by name.
const MOST_OPENING: usize = 1 << 20;
/// The most steps of all templates together, in the worst case that each was checked for; what is more is left out, whole and
/// by name.
const MOST_STEPS: usize = 2_000_000;
/// How long all of it may take. What was accepted stays far below; a busy machine may not.
const PATIENCE: Duration = Duration::from_secs(10);

/// An opening that was rendered, and what it is made of.
pub(super) struct Drawn {
    pub(super) pins: Pins,
    pub(super) parts: Vec<OpeningPart>,
}

/// A pinned revision, ready to be rendered.
struct Loaded {
    pin: Pin,
    scope: Scope,
    content: Arc<CheckedContent>,
    /// Where it is a template.
    ready: Option<Arc<Ready>>,
}

impl Store {
    /// Renders what was pinned just now; pins what templates see of the catalog, where one looks.
    pub(super) async fn draw(
        &self,
        caller: &Caller,
        mut pins: Pins,
        (turn, role): (Option<&TurnKey>, Option<&Arc<str>>),
        schema: &Arc<Schema>,
        context: &Context,
    ) -> StoreResult<Drawn> {
        let mut loaded = self.load_parts(caller, &pins, schema).await?;
        let steps: HashMap<String, usize> = loaded
            .iter()
            .map(|part| (part.pin.item.to_string(), part.steps()))
            .collect();
        pins.keep(MOST_STEPS, |pin| {
            steps.get(&pin.item.to_string()).copied().unwrap_or(0)
        });
        loaded.retain(|part| pins.parts.contains(&part.pin));
        if loaded.iter().any(Loaded::names_skills) {
            pins.skills = Some(self.skills_of(caller, turn, role).await?);
        }
        self.render(caller, pins, loaded, context.clone()).await
    }

    /// Renders what was pinned before. It is the same text, or none.
    pub(super) async fn redraw(
        &self,
        caller: &Caller,
        pins: &Pins,
        schema: &Arc<Schema>,
        context: &Context,
    ) -> StoreResult<Drawn> {
        // What wrote nothing then, writes nothing now: whatever has become of it is no matter of this turn's.
        let mut pins = pins.clone();
        pins.parts.retain(|pin| pin.rendered.is_some());
        let then = pins.clone();
        let loaded = self.load_parts(caller, &pins, schema).await?;
        let mut drawn = self.render(caller, pins, loaded, context.clone()).await?;
        for (at, then) in then.parts.iter().enumerate() {
            let now = drawn.pins.parts.get(at);
            if now.is_none_or(|now| now != then) {
                return Err(StoreError::TemplateFailed(format!(
                    "`{}` at {}, revision {}, does not write any more what this turn was opened with. Open another turn.",
                    then.item, then.scope, then.revision
                )));
            }
        }
        drawn.pins.omitted = then.omitted;
        Ok(drawn)
    }

    async fn load_parts(
        &self,
        caller: &Caller,
        pins: &Pins,
        schema: &Arc<Schema>,
    ) -> StoreResult<Vec<Loaded>> {
        let mut loaded = Vec::with_capacity(pins.parts.len());
        for pin in &pins.parts {
            let scope = pin.scope(caller)?;
            self.refuse_recalled_part(caller, pin)?;
            let content = self
                .content_at(&scope, &pin.item, pin.revision, pin.digest()?)
                .await
                .map_err(|error| of_item(pin, error))?;
            let ready = if content.templated {
                let text = content.body.text();
                let ready = self.ready_under(caller, text, Arc::clone(schema)).await;
                Some(ready.map_err(|error| in_item(error, &pin.item, pin.revision, &scope))?)
            } else {
                None
            };
            loaded.push(Loaded {
                pin: pin.clone(),
                scope,
                content,
                ready,
            });
        }
        Ok(loaded)
    }

    /// Refuses a part that has been recalled.
    pub(super) fn refuse_recalled_part(&self, caller: &Caller, pin: &Pin) -> StoreResult<()> {
        let scope = pin.scope(caller)?;
        let key = (ScopeKey::of(&scope), pin.item.to_string(), pin.revision);
        if self.inner.live.is_recalled(&key) {
            return Err(of_item(pin, StoreError::Recalled));
        }
        Ok(())
    }

    /// Renders all parts, in a turn of the caller's at what takes a processor.
    async fn render(
        &self,
        caller: &Caller,
        pins: Pins,
        loaded: Vec<Loaded>,
        context: Context,
    ) -> StoreResult<Drawn> {
        let context = match &pins.skills {
            None => context,
            Some(skills) => context.with_skills(
                skills
                    .iter()
                    .map(|(name, description)| SkillLine { name, description }),
            ),
        };
        let slot = self.inner.scanning.take(caller).await?;
        slot.run(move || render_all(pins, loaded, &context)).await?
    }

    /// What the run is offered: what its turn was, if it was taken before, or else what it would be now.
    async fn skills_of(
        &self,
        caller: &Caller,
        turn: Option<&TurnKey>,
        role: Option<&Arc<str>>,
    ) -> StoreResult<Vec<(String, String)>> {
        let taken = match turn {
            Some(key) => {
                let oldest = outlived(self.inner.clock.now()).0;
                let tenants = TenantSet::of(caller.tenant());
                turn::Entity::find_by_id(key.clone())
                    .one(&self.inner.reader.statements(&tenants).await?)
                    .await?
                    .filter(|row| row.created_at > oldest)
            }
            None => None,
        };
        let catalog = match taken {
            Some(row) if row.role != role.map(|role| &**role).unwrap_or_default() => {
                return Err(StoreError::TurnConflict);
            }
            Some(row) => self.stored_catalog(caller.tenant(), &row.snapshot).await?,
            None => self.default_catalog(caller, role).await?,
        };
        let snapshot: Snapshot = serde_json::from_slice(catalog.content())?;
        Ok(snapshot
            .entries
            .into_iter()
            .map(|entry| (entry.name, entry.description))
            .collect())
    }
}

impl Loaded {
    /// The most steps that rendering it takes.
    fn steps(&self) -> usize {
        self.ready.as_ref().map_or(0, |ready| {
            usize::try_from(ready.checked.cost().steps).unwrap_or(usize::MAX)
        })
    }

    fn names_skills(&self) -> bool {
        self.ready
            .as_ref()
            .is_some_and(|ready| ready.reads(SKILLS_FIELD))
    }
}

/// Says of which part an error is.
fn of_item(pin: &Pin, error: StoreError) -> StoreError {
    StoreError::OfItem {
        name: pin.item.to_string(),
        error: Box::new(error),
    }
}

fn render_all(mut pins: Pins, loaded: Vec<Loaded>, context: &Context) -> StoreResult<Drawn> {
    let bounds = Bounds {
        bytes: MOST_OUTPUT,
        deadline: Instant::now().checked_add(PATIENCE),
    };
    let mut parts = Vec::new();
    for Loaded {
        mut pin,
        scope,
        content,
        ready,
    } in loaded
    {
        let (text, cut) = match &ready {
            None => (content.body.text().to_owned(), false),
            Some(ready) => {
                let rendered = ready.compiled.render(context, bounds).map_err(|failure| {
                    if bounds
                        .deadline
                        .is_some_and(|deadline| Instant::now() >= deadline)
                    {
                        // The machine is too busy, and nothing is wrong with the template.
                        return StoreError::Busy;
                    }
                    let error =
                        StoreError::TemplateFailed(format!("The template failed, {failure}."));
                    in_item(error, &pin.item, pin.revision, &scope)
                })?;
                (rendered.text, rendered.cut)
            }
        };
        pin.rendered = None;
        if !text.trim().is_empty() {
            let rendered_digest = sha256_text(text.as_bytes());
            pin.rendered = Some(rendered_digest.clone());
            parts.push(OpeningPart {
                item: pin.item.clone(),
                digest: pin.digest()?,
                revision: pin.revision,
                shadows: pin.shadows.clone(),
                templated: content.templated,
                rendered_digest,
                scope,
                cut,
                text,
            });
        }
        if let Some(kept) = pins.parts.iter_mut().find(|one| one.item == pin.item) {
            *kept = pin;
        }
    }
    let bytes: HashMap<String, usize> = parts
        .iter()
        .map(|part| (part.item.to_string(), part.text.len()))
        .collect();
    pins.keep(MOST_OPENING, |pin| {
        bytes.get(&pin.item.to_string()).copied().unwrap_or(0)
    });
    parts.retain(|part| pins.parts.iter().any(|pin| pin.item == part.item));
    Ok(Drawn { pins, parts })
}
