//! Turns that their callers named: what they are found by, and how long they are kept.

use std::collections::BTreeMap;

use serde_json::Value;

use super::error::StoreResult;
use super::rows::tenant_key;
use crate::clock::Micros;
use crate::content::sha256_text;
use crate::identity::{Caller, TurnName};

/// How many days a named turn can be resumed.
const DAYS: i64 = 30;

/// Tenant, actor, agent and turn, as rows have them. The agent is empty when a human takes the turn itself.
pub(super) type TurnKey = (String, String, String, String);

/// What a turn of the caller's is found by.
pub(super) fn turn_key(caller: &Caller, turn: &TurnName) -> TurnKey {
    (
        tenant_key(caller.tenant()),
        caller
            .actor()
            .map_or_else(|| caller.principal_text().to_owned(), ToString::to_string),
        caller.agent().map(ToString::to_string).unwrap_or_default(),
        turn.to_string(),
    )
}

/// Turns that were taken then or before have outlived their time.
pub(super) fn outlived(now: Micros) -> Micros {
    now.plus_seconds(-DAYS * 24 * 60 * 60)
}

/// The digest of the context of a run, which is all that is kept of it. The order of its fields makes no difference.
pub(super) fn context_digest(context: &Value) -> StoreResult<String> {
    fn sorted(value: &Value) -> Value {
        match value {
            Value::Object(fields) => fields
                .iter()
                .map(|(name, value)| (name.clone(), sorted(value)))
                .collect::<BTreeMap<_, _>>()
                .into_iter()
                .collect(),
            Value::Array(items) => items.iter().map(sorted).collect(),
            other => other.clone(),
        }
    }
    Ok(sha256_text(&serde_json::to_vec(&sorted(context))?))
}
