//! `resources/read`: a file of an offered skill. Reading its SKILL.md is a load.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::ErrorData;
use rmcp::model::{CacheScope, ReadResourceResult, ResourceContents};

use super::media::media_type;
use super::offered::{entry_at, in_words, unoffered};
use crate::content::{SKILL_MD, SkillUri};
use crate::mcp::fault::from_store;
use crate::mcp::request::Asked;
use crate::store::BundledFile;
use crate::store::catalog::LoadFileRequest;

pub(in crate::mcp) async fn handle(
    asked: &Asked<'_>,
    text: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let turn = asked.turn().await?;
    let uri = SkillUri::parse(text)
        .filter(|uri| !uri.path.is_empty())
        .ok_or_else(|| unoffered(asked, &turn, text))?;
    let listed = entry_at(&turn, &uri)
        .map_err(from_store)?
        .ok_or_else(|| unoffered(asked, &turn, text))?;
    let (store, offer) = (&asked.app.store, &turn.offered.offer);
    let contents = if uri.path == SKILL_MD {
        let context = asked.run_context(&turn);
        let skill_md = store
            .load_skill_md(&asked.caller, offer, &listed.name, context)
            .await
            .map_err(|error| in_words(error, &listed.name, text))?;
        ResourceContents::text(skill_md.into_text(), text).with_mime_type(media_type(SKILL_MD))
    } else {
        let request = LoadFileRequest {
            offer: offer.clone(),
            name: listed.name.clone(),
            path: uri.path,
        };
        let file = store
            .load_file(&asked.caller, request)
            .await
            .map_err(|error| in_words(error, &listed.name, text))?;
        let contents = contents_of(text, &file);
        asked.holding.keep(file);
        contents
    };
    Ok(ReadResourceResult::new(vec![contents])
        .with_ttl_ms(0)
        .with_cache_scope(CacheScope::Private))
}

/// A file as text where all of it shows, else as its bytes.
pub(in crate::mcp) fn contents_of(uri: &str, file: &BundledFile) -> ResourceContents {
    match file.text() {
        Some(text) => ResourceContents::text(text, uri),
        None => ResourceContents::blob(STANDARD.encode(file.bytes()), uri),
    }
    .with_mime_type(media_type(file.path()))
}
