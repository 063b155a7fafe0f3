//! Rendering the parts of an opening. All are rendered before any of them leaves.

use std::sync::Arc;
use std::time::{Duration, Instant};

use sea_orm::EntityTrait;
use vestry_policies::Scope;

use super::part::OpeningPart;
use super::pins::{Pin, Pins};
use super::record::TurnKey;
use crate::content::sha256_text;
use crate::identity::Caller;
use crate::store::Store;
use crate::store::body::CheckedContent;
use crate::store::catalog::{Snapshot, in_item};
use crate::store::entity::turn;
use crate::store::error::{StoreError, StoreResult};
use crate::store::housekeeping::TURN_DAYS;
use crate::store::rows::ScopeKey;
use crate::store::templates::Ready;
use crate::template::builder::{Context, SkillLine};
use crate::template::schema::{SKILLS_FIELD, Schema};
use crate::template::{Bounds, MOST_OUTPUT};

/// The most bytes of all parts together. What comes after is left out, whole and by name.
const MOST_OPENING: usize = 1 << 20;
/// How long all of it may take. What was accepted stays far below; a busy machine may not.
const PATIENCE: Duration = Duration::from_secs(10);
const DAY: i64 = 24 * 60 * 60;

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
        let loaded = self.load_parts(caller, &pins, schema).await?;
        if loaded.iter().any(Loaded::names_skills) {
            pins.skills = Some(self.skills_of(caller, turn, role).await?);
        }
        render(pins, loaded, context.clone()).await
    }

    /// Renders what was pinned before. It is the same text, or none.
    pub(super) async fn redraw(
        &self,
        caller: &Caller,
        pins: &Pins,
        schema: &Arc<Schema>,
        context: &Context,
    ) -> StoreResult<Drawn> {
        let loaded = self.load_parts(caller, pins, schema).await?;
        let drawn = render(pins.clone(), loaded, context.clone()).await?;
        for (then, now) in pins.parts.iter().zip(&drawn.pins.parts) {
            if then.rendered != now.rendered {
                return Err(StoreError::TemplateFailed(format!(
                    "`{}` at {}, revision {}, does not write any more what this turn was opened with. Open another turn.",
                    then.item, then.scope, then.revision
                )));
            }
        }
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

    /// What the run is offered: what its turn was, if it was taken before, or else what it would be now.
    async fn skills_of(
        &self,
        caller: &Caller,
        turn: Option<&TurnKey>,
        role: Option<&Arc<str>>,
    ) -> StoreResult<Vec<(String, String)>> {
        let taken = match turn {
            Some(key) => {
                let oldest = self.inner.clock.now().plus_seconds(-TURN_DAYS * DAY).0;
                turn::Entity::find_by_id(key.clone().parts())
                    .one(&self.inner.reader)
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

async fn render(pins: Pins, loaded: Vec<Loaded>, context: Context) -> StoreResult<Drawn> {
    let context = match &pins.skills {
        None => context,
        Some(skills) => context.with_skills(
            skills
                .iter()
                .map(|(name, description)| SkillLine { name, description }),
        ),
    };
    tokio::task::spawn_blocking(move || render_all(pins, loaded, &context))
        .await
        .map_err(|error| StoreError::Internal(error.to_string()))?
}

fn render_all(pins: Pins, loaded: Vec<Loaded>, context: &Context) -> StoreResult<Drawn> {
    let bounds = Bounds {
        bytes: MOST_OUTPUT,
        deadline: Instant::now().checked_add(PATIENCE),
    };
    let Pins {
        omitted, skills, ..
    } = pins;
    let mut drawn = Drawn {
        pins: Pins {
            parts: Vec::with_capacity(loaded.len()),
            omitted: Vec::new(),
            skills,
        },
        parts: Vec::new(),
    };
    let mut bytes = 0_usize;
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
                    let error =
                        StoreError::TemplateFailed(format!("The template failed, {failure}."));
                    in_item(error, &pin.item, pin.revision, &scope)
                })?;
                (rendered.text, rendered.cut)
            }
        };
        pin.rendered = None;
        if bytes.saturating_add(text.len()) > MOST_OPENING {
            // Nothing after it either, so that what is left out is the end.
            bytes = MOST_OPENING;
            drawn.pins.omitted.push(pin.item.to_string());
        } else if !text.trim().is_empty() {
            bytes += text.len();
            let rendered_digest = sha256_text(text.as_bytes());
            pin.rendered = Some(rendered_digest.clone());
            drawn.parts.push(OpeningPart {
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
        drawn.pins.parts.push(pin);
    }
    let late: Vec<String> = omitted
        .into_iter()
        .filter(|name| !drawn.pins.omitted.contains(name))
        .collect();
    drawn.pins.omitted.extend(late);
    Ok(drawn)
}
