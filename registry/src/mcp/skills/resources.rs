//! `resources/list`: the SKILL.md of every offered skill, for hosts that know resources and no skills.

use rmcp::ErrorData;
use rmcp::model::{CacheScope, ListResourcesResult, Resource};
use vestry_policies::SkillName;

use super::media::media_type;
use super::offered::kind_of_text;
use super::page::{page, resume};
use crate::content::{SKILL_MD, SkillUri};
use crate::mcp::fault::from_store;
use crate::mcp::request::Asked;
use crate::store::StoreError;
use crate::store::catalog::SnapshotEntry;

pub(in crate::mcp) async fn handle(
    asked: &Asked<'_>,
    cursor: Option<String>,
) -> Result<ListResourcesResult, ErrorData> {
    let page = match cursor {
        None => page(&asked.list().await.map_err(from_store)?.offered, 0)?,
        Some(cursor) => {
            let (offered, before) = resume(asked, &cursor).await?;
            page(&offered, before)?
        }
    };
    let resources = page
        .entries
        .iter()
        .map(resource)
        .collect::<Result<_, _>>()?;
    let mut result = ListResourcesResult::with_all_items(resources)
        .with_ttl_ms(0)
        .with_cache_scope(CacheScope::Private);
    result.next_cursor = page.next;
    Ok(result)
}

fn resource(entry: &SnapshotEntry) -> Result<Resource, ErrorData> {
    let name = SkillName::parse(&entry.name)
        .map_err(|error| from_store(StoreError::Internal(error.to_string())))?;
    let uri = SkillUri {
        kind: kind_of_text(&entry.scope),
        name: Some(name),
        path: SKILL_MD.to_owned(),
    };
    Ok(Resource::new(uri.to_string(), entry.name.as_str())
        .with_description(entry.description.as_str())
        .with_mime_type(media_type(SKILL_MD)))
}
