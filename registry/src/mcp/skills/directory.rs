//! `resources/directory/read`: what is directly in a skill, in a directory of one, or at a kind of scope.

use std::collections::BTreeMap;

use rmcp::ErrorData;
use rmcp::model::{CacheScope, ReadResourceDirectoryResult, Resource};
use vestry_policies::SkillName;

use super::media::{DIRECTORY, media_type};
use super::offered::{entry_at, in_words, kind_of_text, unoffered};
use crate::content::{SKILL_MD, SkillUri, kind_of};
use crate::http::problem::Problem;
use crate::mcp::fault::{as_error, from_store};
use crate::mcp::request::Asked;
use crate::store::catalog::{Manifest, RunContext, StandingTurn};

pub(in crate::mcp) async fn handle(
    asked: &Asked<'_>,
    text: &str,
    cursor: Option<&str>,
) -> Result<ReadResourceDirectoryResult, ErrorData> {
    if cursor.is_some() {
        // A skill has at most 512 files: there is one page.
        return Err(as_error(&Problem::InvalidCursor));
    }
    let turn = asked.turn().await?;
    let uri = SkillUri::parse(text).ok_or_else(|| unoffered(asked, &turn, text))?;
    let resources = if uri.name.is_none() {
        skills_at(asked, &turn, &uri, text)?
    } else {
        let listed = entry_at(&turn, &uri)
            .map_err(from_store)?
            .ok_or_else(|| unoffered(asked, &turn, text))?;
        // What a template writes is no matter of which files there are.
        let context = RunContext::Dynamic(None);
        let manifest = asked
            .app
            .store
            .manifest(&asked.caller, &turn.offered.offer, &listed.name, context)
            .await
            .map_err(|error| in_words(error, &listed.name, text))?;
        children(&manifest, &uri).ok_or_else(|| unoffered(asked, &turn, text))?
    };
    Ok(ReadResourceDirectoryResult::with_all_items(resources)
        .with_ttl_ms(0)
        .with_cache_scope(CacheScope::Private))
}

/// The offered skills at a kind of scope that the caller has.
fn skills_at(
    asked: &Asked<'_>,
    turn: &StandingTurn,
    uri: &SkillUri,
    text: &str,
) -> Result<Vec<Resource>, ErrorData> {
    if !asked
        .caller
        .scopes()
        .iter()
        .any(|scope| kind_of(scope) == uri.kind)
    {
        return Err(unoffered(asked, turn, text));
    }
    let snapshot = turn.offered.catalog.snapshot().map_err(from_store)?;
    Ok(snapshot
        .entries
        .iter()
        .filter(|entry| kind_of_text(&entry.scope) == uri.kind)
        .filter_map(|entry| SkillName::parse(&entry.name).ok())
        .map(|name| {
            let skill = SkillUri {
                name: Some(name.clone()),
                ..uri.clone()
            };
            Resource::new(skill.to_string(), name.as_str()).with_mime_type(DIRECTORY)
        })
        .collect())
}

/// What is directly in a directory of a skill; none when there is no such directory.
fn children(manifest: &Manifest, directory: &SkillUri) -> Option<Vec<Resource>> {
    let skill_md = manifest.skill_md.as_ref().map(|stated| stated.size);
    let files = manifest
        .files
        .iter()
        .map(|file| (file.path.as_str(), Some(file.size)));
    let mut found = BTreeMap::new();
    for (path, size) in std::iter::once((SKILL_MD, skill_md)).chain(files) {
        let below = if directory.path.is_empty() {
            Some(path)
        } else {
            path.strip_prefix(&directory.path)
                .and_then(|rest| rest.strip_prefix('/'))
        };
        let Some(below) = below else { continue };
        let (name, is_directory) = match below.split_once('/') {
            Some((name, _)) => (name, true),
            None => (below, false),
        };
        found.entry(name).or_insert_with(|| {
            let path = if directory.path.is_empty() {
                name.to_owned()
            } else {
                format!("{}/{name}", directory.path)
            };
            let resource = Resource::new(directory.below(&path).to_string(), name);
            if is_directory {
                return resource.with_mime_type(DIRECTORY);
            }
            let resource = resource.with_mime_type(media_type(name));
            match size {
                Some(size) => resource.with_size(size),
                None => resource,
            }
        });
    }
    (!found.is_empty()).then(|| found.into_values().collect())
}
