//! What a request of MCP is about, besides its message: who sends it, on which terms, with which context.

use std::sync::{Arc, Mutex, PoisonError};

use axum::http::request::Parts;
use rmcp::ErrorData;
use rmcp::service::{RequestContext, RoleServer};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use vestry_policies::resolve::Cap;

use super::fault::{as_error, from_store};
use super::{CONTEXT_KEY, TOOL_CALL_KEY};
use crate::http::api::turns::catalog::word;
use crate::http::api::turns::load::MAX_TOOL_CALL;
use crate::http::app::App;
use crate::http::extract::RequestId;
use crate::http::problem::{Fault, Problem};
use crate::identity::Caller;
use crate::store::catalog::{ListedWith, RunContext, StandingTerms, StandingTurn};
use crate::store::{BundledFile, RequestFacts, Reservation, StoreError};

/// What the URL of the endpoint may say, for hosts that let their users set nothing but that.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EndpointQuery {
    /// The agent's role.
    #[serde(default)]
    role: Option<String>,
    /// The most skills that are offered; 20 when left out.
    #[serde(default)]
    cap: Option<u32>,
}

/// Room in memory that is held for the answer to one message, until it is sent.
#[derive(Clone, Default)]
pub(super) struct Holding(Arc<Mutex<Option<Reservation>>>);

impl Holding {
    /// Holds the room of a file whose bytes are in the answer.
    pub(super) fn keep(&self, file: BundledFile) {
        let (_, reservation) = file.into_bytes();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = reservation;
    }

    /// What is held.
    pub(super) fn take(&self) -> Option<Reservation> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A request, and the registry that answers it.
pub(super) struct Asked<'a> {
    pub(super) app: &'a App,
    pub(super) caller: Caller,
    terms: StandingTerms,
    context: Option<Value>,
    tool_call: Option<String>,
    request_id: Option<String>,
    /// What is held for the answer.
    pub(super) holding: Holding,
}

impl<'a> Asked<'a> {
    /// Reads what the endpoint put beside the message, and the context in its `_meta`.
    pub(super) fn of(app: &'a App, context: &RequestContext<RoleServer>) -> Result<Self, Problem> {
        let parts = context.extensions.get::<Parts>();
        let caller = parts
            .and_then(|parts| parts.extensions.get::<Caller>())
            .cloned()
            .ok_or_else(|| Problem::internal("a message of MCP came without its caller"))?;
        let query = parts
            .and_then(|parts| parts.extensions.get::<EndpointQuery>())
            .cloned()
            .unwrap_or_default();
        let max_cap = app.store.max_cap(&caller);
        let cap = query.cap.map(|cap| {
            Cap::new(i64::from(cap), max_cap).map_err(|_| {
                Problem::InvalidCap(Fault::at(
                    "cap",
                    format!("Write a whole number from 1 to {max_cap} as `cap` in the URL, or leave it out."),
                ))
            })
        });
        let role = query.role.map(|role| word("role", role).map(Arc::from));
        let run = match context.meta.0.0.get(CONTEXT_KEY) {
            None | Some(Value::Null) => None,
            Some(Value::Object(fields)) => Some(Value::Object(fields.clone())),
            Some(_) => {
                return Err(Problem::InvalidContext(Fault::at(
                    CONTEXT_KEY,
                    "Send the context of the run as an object.",
                )));
            }
        };
        let tool_call = match context.meta.0.0.get(TOOL_CALL_KEY) {
            None | Some(Value::Null) => None,
            Some(Value::String(id)) if id.chars().count() <= MAX_TOOL_CALL => Some(id.clone()),
            Some(_) => {
                let detail =
                    format!("Send the id as a text of at most {MAX_TOOL_CALL} characters.");
                return Err(Problem::InvalidContent(Fault::at(TOOL_CALL_KEY, detail)));
            }
        };
        Ok(Self {
            app,
            caller,
            terms: StandingTerms {
                role: role.transpose()?,
                cap: cap.transpose()?,
            },
            context: run,
            tool_call,
            holding: parts
                .and_then(|parts| parts.extensions.get::<Holding>())
                .cloned()
                .unwrap_or_default(),
            request_id: parts
                .and_then(|parts| parts.extensions.get::<RequestId>())
                .map(|id| id.0.to_string()),
        })
    }

    /// What goes into the audit log beside an action.
    pub(super) fn facts(&self) -> RequestFacts {
        RequestFacts {
            request_id: self.request_id.clone(),
            idempotency: None,
        }
    }

    /// The id of the tool call that asks, when the host said it.
    pub(super) fn tool_call(&self) -> Option<&str> {
        self.tool_call.as_deref()
    }

    pub(super) fn terms(&self) -> &StandingTerms {
        &self.terms
    }

    /// Puts the caller into a turn with the catalog of now, and with the context of this request, or none.
    pub(super) async fn list_anew(&self) -> Result<Arc<StandingTurn>, StoreError> {
        let context = ListedWith::Exactly(self.context.as_ref());
        self.app
            .store
            .list_standing(&self.caller, &self.terms, context)
            .await
    }

    /// Puts the caller into a turn with the catalog of now. A request that brings no context leaves the one of the turn before:
    /// most that list are sent by those who know of none.
    pub(super) async fn list(&self) -> Result<Arc<StandingTurn>, StoreError> {
        let context = match &self.context {
            Some(context) => ListedWith::Exactly(Some(context)),
            None => ListedWith::AsBefore,
        };
        self.app
            .store
            .list_standing(&self.caller, &self.terms, context)
            .await
    }

    /// The turn that the caller is in.
    pub(super) async fn standing(&self) -> Result<Arc<StandingTurn>, StoreError> {
        self.app
            .store
            .standing(&self.caller, &self.terms, self.context.as_ref())
            .await
    }

    /// The same, as an error of the protocol.
    pub(super) async fn turn(&self) -> Result<Arc<StandingTurn>, ErrorData> {
        self.standing().await.map_err(from_store)
    }

    /// What templates are rendered with in a turn.
    pub(super) fn run_context(&self, turn: &StandingTurn) -> RunContext<'_> {
        if turn.has_context() {
            RunContext::Fixed(self.context.as_ref())
        } else {
            RunContext::Dynamic(self.context.as_ref())
        }
    }
}

/// Reads a request for a method of the protocol.
pub(super) fn asked<'a>(
    app: &'a App,
    context: &RequestContext<RoleServer>,
) -> Result<Asked<'a>, ErrorData> {
    Asked::of(app, context).map_err(|problem| as_error(&problem))
}
