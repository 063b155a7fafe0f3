//! Turns that their callers named: what they are found by, and how long they are kept.

use super::rows::tenant_key;
use crate::clock::Micros;
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
