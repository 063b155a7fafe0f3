//! `skills/get`: the entry of one offered skill.

use rmcp::ErrorData;
use rmcp::model::{CacheScope, GetSkillResult};

use super::entry::entry;
use super::offered::{entry_at, in_words, manifest, unoffered};
use crate::content::{SKILL_MD, SkillUri};
use crate::mcp::fault::from_store;
use crate::mcp::request::Asked;

pub(in crate::mcp) async fn handle(
    asked: &Asked<'_>,
    text: &str,
) -> Result<GetSkillResult, ErrorData> {
    let turn = asked.turn().await?;
    let uri = SkillUri::parse(text)
        .filter(|uri| uri.path == SKILL_MD)
        .ok_or_else(|| unoffered(asked, &turn, text))?;
    let listed = entry_at(&turn, &uri)
        .map_err(from_store)?
        .ok_or_else(|| unoffered(asked, &turn, text))?;
    let manifest = manifest(asked, &turn, &listed.name)
        .await
        .map_err(|error| in_words(error, &listed.name, text))?;
    Ok(GetSkillResult::new(entry(manifest, &listed)?)
        .with_ttl_ms(0)
        .with_cache_scope(CacheScope::Private))
}
