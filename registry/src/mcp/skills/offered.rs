//! What of an offer a URI names.

use rmcp::ErrorData;
use vestry_policies::Scope;

use crate::content::{SkillUri, kind_of};
use crate::mcp::fault::{from_store, not_served};
use crate::mcp::request::Asked;
use crate::store::catalog::{Manifest, SnapshotEntry, StandingTurn};
use crate::store::{StoreError, StoreResult};

/// Why something of an offered skill cannot be served: as unknown where it has no such file, and otherwise in its own words.
pub(super) fn in_words(error: StoreError, name: &str, uri: &str) -> ErrorData {
    match error {
        StoreError::NotOffered(_) | StoreError::NoSuchFile { .. } => not_served(uri),
        StoreError::Recalled => from_store(StoreError::OfItem {
            name: name.to_owned(),
            error: Box::new(StoreError::Recalled),
        }),
        StoreError::Corrupt => from_store(StoreError::OfItem {
            name: name.to_owned(),
            error: Box::new(StoreError::Corrupt),
        }),
        error => from_store(error),
    }
}

/// The entry of the offer that a URI names, or is below; the offer alone says so.
pub(super) fn entry_at(turn: &StandingTurn, uri: &SkillUri) -> StoreResult<Option<SnapshotEntry>> {
    let Some(name) = &uri.name else {
        return Ok(None);
    };
    let mut snapshot = turn.offered.catalog.snapshot()?;
    let at = snapshot
        .entries
        .iter()
        .position(|entry| entry.name == name.as_str() && kind_of_text(&entry.scope) == uri.kind);
    Ok(at.map(|at| snapshot.entries.swap_remove(at)))
}

/// What an offered skill is made of.
pub(super) async fn manifest(
    asked: &Asked<'_>,
    turn: &StandingTurn,
    name: &str,
) -> StoreResult<Manifest> {
    asked
        .app
        .store
        .manifest(
            &asked.caller,
            &turn.offered.offer,
            name,
            asked.run_context(turn),
        )
        .await
}

/// What is said of what is not in the offer; that it was asked for is taken down.
pub(super) fn unoffered(asked: &Asked<'_>, turn: &StandingTurn, uri: &str) -> ErrorData {
    match asked
        .app
        .store
        .note_unoffered(&asked.caller, &turn.offered.offer)
    {
        Ok(()) => not_served(uri),
        Err(error) => from_store(error),
    }
}

/// The kind of a scope as it is written in an offer.
pub(in crate::mcp) fn kind_of_text(scope: &str) -> &'static str {
    Scope::parse(scope, None).map_or("", |scope| kind_of(&scope))
}
