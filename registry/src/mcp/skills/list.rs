//! `skills/list`: what the caller is offered. The first page makes the offer that everything else is bound to.

use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{CacheScope, ListSkillsResult};

use super::entry::entry;
use super::offered::{in_words, manifest};
use super::page::{page, resume};
use crate::mcp::fault::from_store;
use crate::mcp::request::Asked;
use crate::store::StoreError;
use crate::store::catalog::StandingTurn;

pub(in crate::mcp) async fn handle(
    asked: &Asked<'_>,
    cursor: Option<String>,
) -> Result<ListSkillsResult, ErrorData> {
    let (turn, before) = match cursor {
        None => (asked.list_anew().await.map_err(from_store)?, 0),
        Some(cursor) => {
            let (offered, before) = resume(asked, &cursor).await?;
            // The terms of rendering are those of the turn that the caller is in.
            let standing = asked.turn().await?;
            (
                Arc::new(StandingTurn::with_offer(&standing, offered)),
                before,
            )
        }
    };
    let page = page(&turn.offered, before)?;
    let mut skills = Vec::with_capacity(page.entries.len());
    for listed in &page.entries {
        match manifest(asked, &turn, &listed.name).await {
            Ok(manifest) => skills.push(entry(manifest, listed)?),
            // What was recalled since the catalog was made is offered no more, and what is damaged takes nothing else with it.
            Err(error @ (StoreError::Recalled | StoreError::Corrupt)) => {
                if matches!(error, StoreError::Corrupt) {
                    tracing::error!(skill = %listed.name, scope = %listed.scope, "a skill is not listed: its content is damaged");
                }
            }
            Err(error) => return Err(in_words(error, &listed.name, &listed.name)),
        }
    }
    let mut result = ListSkillsResult::with_all_items(skills)
        .with_ttl_ms(0)
        .with_cache_scope(CacheScope::Private);
    result.next_cursor = page.next;
    Ok(result)
}
