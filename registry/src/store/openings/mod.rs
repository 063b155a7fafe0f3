//! Openings: what a run begins with. The instruction of its role comes first, then every ambient skill, rendered with the data
//! of the run.
//!
//! What an opening is made of is pinned: a turn that its caller named gets the same again, or nothing at all when one of its
//! parts has been recalled, or would read differently by now (design §4.1).

mod part;
mod pins;
mod record;
mod render;

use std::sync::Arc;

use serde_json::Value;
use vestry_policies::{Action, ActorId};

use super::Store;
use super::error::{StoreError, StoreResult};
use super::journal::Line;
use super::turns::{context_digest, turn_key};
use crate::identity::{Caller, TurnName};
use crate::template::builder::{BuildFault, Context, Needs, build};
use crate::template::schema::Schema;
use record::{Beside, Recorded};
use render::Drawn;

pub use part::OpeningPart;
pub(super) use pins::{summary, winners};

/// The field of the context that says what kind of opening it is.
const OPENING_FIELD: &str = "opening";
/// How often an opening is put together again when something came in between.
const ATTEMPTS: usize = 8;

/// A request for what a run begins with.
#[derive(Debug, Clone)]
pub struct OpeningRequest {
    /// The turn's name; the server names it when there is none.
    pub turn: Option<TurnName>,
    /// The agent's role.
    pub role: Option<Arc<str>>,
    /// The conversation; recorded only.
    pub session: Option<String>,
    /// The data of the run. It is not kept; of a named turn its digest is.
    pub context: Value,
    /// The id of the request, for the audit log.
    pub request_id: Option<String>,
}

/// What a run begins with.
#[derive(Debug, Clone)]
pub struct Opening {
    /// The turn.
    pub turn: TurnName,
    /// The situation that the context is of, where the schema tells them apart.
    pub situation: Option<Arc<str>>,
    /// Its parts, those that wrote nothing but white space left out.
    pub parts: Vec<OpeningPart>,
    /// The names of ambient skills that are left out, because there are too many or they say too much.
    pub omitted: Vec<String>,
}

/// What a turn may not ask for differently.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Terms {
    role: String,
    /// The digest of the context, as it was given.
    context: String,
}

impl Store {
    /// Renders what a run begins with. A named turn gets again what it got first.
    ///
    /// # Errors
    /// [`StoreError::InvalidContext`] for a context that is not of the schema or of no opening, [`StoreError::TurnConflict`] when
    /// the turn was opened with another role or context, [`StoreError::OfItem`] for a part that was recalled or is damaged,
    /// [`StoreError::TemplateFailed`] for one that fails.
    pub async fn open_run(&self, caller: &Caller, request: OpeningRequest) -> StoreResult<Opening> {
        let rule = self.decide_own(caller, Action::OpenRun)?;
        let OpeningRequest {
            turn,
            role,
            session,
            context,
            request_id,
        } = request;
        let terms = Terms {
            role: role.as_deref().unwrap_or_default().to_owned(),
            context: context_digest(&context)?,
        };
        // One schema for the whole of it: what a part is checked against, the context is built by.
        let schema = self.schema();
        let context = context_of(&schema, &context)?;
        let key = turn.as_ref().map(|turn| turn_key(caller, turn));
        let turn = match turn {
            Some(turn) => turn,
            None => TurnName::parse(&self.inner.entropy.id("t-")?)
                .map_err(|error| StoreError::Internal(error.to_string()))?,
        };
        for _ in 0..ATTEMPTS {
            let known = match &key {
                Some(key) => self.recorded_opening(key, &terms).await?,
                None => None,
            };
            let drawn = match &known {
                Some(pins) => self.redraw(caller, pins, &schema, &context).await?,
                None => {
                    let pins = self.pin(caller, role.as_deref()).await?;
                    match self
                        .draw(
                            caller,
                            pins,
                            (key.as_ref(), role.as_ref()),
                            &schema,
                            &context,
                        )
                        .await
                    {
                        // It was recalled since it was pinned: whoever has got nothing yet gets what is there now.
                        Err(error) if is_recalled(&error) => continue,
                        drawn => drawn?,
                    }
                }
            };
            if let (Some(key), None) = (&key, &known) {
                let recorded = self
                    .record_opening(
                        caller,
                        key,
                        &terms,
                        &drawn.pins,
                        Beside {
                            session: session.clone(),
                            request_id: request_id.clone(),
                            rule,
                        },
                    )
                    .await?;
                match recorded {
                    Recorded::First => {}
                    // Another request of this turn was first: what that got is what this one gets.
                    Recorded::Taken => continue,
                }
            }
            self.take_down(caller, &turn, session.as_deref(), &drawn)
                .await?;
            if key.is_some() {
                // What it begins with is durable before it begins, as a turn is.
                self.inner.journal.flush_for(caller).await?;
            }
            // What was recalled while it was rendered is not handed out either.
            for pin in drawn.pins.parts.iter().filter(|pin| pin.rendered.is_some()) {
                self.refuse_recalled_part(caller, pin)?;
            }
            let situation = match context.situations() {
                [only] => Some(Arc::clone(only)),
                _ => None,
            };
            return Ok(Opening {
                turn,
                situation,
                parts: drawn.parts,
                omitted: drawn.pins.omitted,
            });
        }
        Err(StoreError::Busy)
    }

    /// Writes a line of the journal for each part: what reports on recalls read.
    async fn take_down(
        &self,
        caller: &Caller,
        turn: &TurnName,
        session: Option<&str>,
        drawn: &Drawn,
    ) -> StoreResult<()> {
        let now = self.inner.clock.now();
        for part in &drawn.parts {
            let (item, scope) = (part.item.to_string(), part.scope.to_string());
            let digest = part.digest.to_string();
            let line = Line::Open {
                at: now.0,
                principal: caller.principal_text(),
                acts_for: caller.acts_for().map(ActorId::as_str),
                turn: turn.as_str(),
                session,
                name: &item,
                scope: &scope,
                revision: part.revision,
                digest: &digest,
            };
            self.inner.journal.write(caller, &line, None).await?;
        }
        Ok(())
    }
}

/// Builds the whole context: of an opening everything is known.
fn context_of(schema: &Schema, given: &Value) -> StoreResult<Context> {
    let context = build(schema, given, &Needs::all()).map_err(StoreError::InvalidContext)?;
    let is_of_none = context
        .value()
        .get(OPENING_FIELD)
        .is_some_and(Value::is_null);
    if is_of_none {
        return Err(StoreError::InvalidContext(vec![BuildFault {
            path: OPENING_FIELD.to_owned(),
            detail: "Say in `opening` what kind of opening it is, and what happened before."
                .to_owned(),
        }]));
    }
    Ok(context)
}

fn is_recalled(error: &StoreError) -> bool {
    matches!(error, StoreError::OfItem { error, .. } if matches!(**error, StoreError::Recalled))
}
