//! Pages of what a turn was offered. A cursor names the turn that the first page was of, so that all pages are of one catalog;
//! a turn is found by its caller, so that a cursor is nobody else's.

use rmcp::ErrorData;

use crate::http::problem::Problem;
use crate::identity::TurnName;
use crate::mcp::fault::{as_error, from_store};
use crate::mcp::request::Asked;
use crate::store::StoreError;
use crate::store::catalog::{Offered, SnapshotEntry};

/// How many skills are on a page.
const PAGE: usize = 50;

/// A page.
pub(super) struct Page {
    pub(super) entries: Vec<SnapshotEntry>,
    /// The cursor of the next one.
    pub(super) next: Option<String>,
}

/// Reads a cursor: the turn, and how many entries came before.
pub(super) async fn resume(asked: &Asked<'_>, cursor: &str) -> Result<(Offered, usize), ErrorData> {
    let invalid = || as_error(&Problem::InvalidCursor);
    let (before, turn) = cursor.split_once('.').ok_or_else(invalid)?;
    let before: usize = before.parse().map_err(|_| invalid())?;
    let turn = TurnName::parse(turn).map_err(|_| invalid())?;
    let resumed = asked
        .app
        .store
        .resume_listing(&asked.caller, asked.terms(), turn)
        .await;
    match resumed {
        Ok(Some(offered)) => Ok((offered, before)),
        Ok(None) | Err(StoreError::TurnConflict) => Err(invalid()),
        Err(error) => Err(from_store(error)),
    }
}

/// The page that begins after so many entries.
pub(super) fn page(offered: &Offered, before: usize) -> Result<Page, ErrorData> {
    let mut entries = offered.catalog.snapshot().map_err(from_store)?.entries;
    if before > 0 && before >= entries.len() {
        return Err(as_error(&Problem::InvalidCursor));
    }
    entries.drain(..before);
    let next =
        (entries.len() > PAGE).then(|| format!("{}.{}", before.saturating_add(PAGE), offered.turn));
    entries.truncate(PAGE);
    Ok(Page { entries, next })
}
