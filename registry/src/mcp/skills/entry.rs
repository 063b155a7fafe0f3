//! An offered skill as an entry of `skills/list` and `skills/get`.

use rmcp::ErrorData;
use rmcp::model::{Skill, SkillFrontmatter, SkillResource, SkillResources};
use serde_json::{Value, json};

use crate::content::SkillUri;
use crate::http::problem::Problem;
use crate::mcp::fault::{as_error, document, meta};
use crate::store::catalog::{Manifest, SnapshotEntry};

/// The entry of a skill. `listed` is what the catalog says of it.
pub(super) fn entry(manifest: Manifest, listed: &SnapshotEntry) -> Result<Skill, ErrorData> {
    let root = SkillUri::skill(&manifest.scope, &manifest.name);
    let skill_md = root.skill_md().to_string();
    let resources = match &manifest.skill_md {
        None => SkillResources::Dynamic,
        Some(stated) => {
            let own = SkillResource::new(skill_md.clone(), stated.digest.clone(), stated.size);
            let files = manifest.files.iter().map(|file| {
                SkillResource::new(
                    root.below(&file.path).to_string(),
                    file.digest.to_string(),
                    file.size,
                )
            });
            SkillResources::Files(std::iter::once(own).chain(files).collect())
        }
    };
    let frontmatter: SkillFrontmatter = serde_json::from_value(Value::Object(manifest.frontmatter))
        .map_err(|error| as_error(&Problem::internal(error)))?;
    let mut entries = vec![
        ("scope", json!(listed.scope)),
        ("revision", json!(manifest.revision)),
        ("digest", json!(manifest.digest.to_string())),
        ("sealed", json!(listed.sealed)),
        ("templated", json!(manifest.templated)),
    ];
    if !listed.shadows.is_empty() {
        entries.push(("shadows", json!(listed.shadows)));
    }
    if let Some(author) = &manifest.author {
        entries.push(("author_kind", json!(author.kind)));
        if let Some(acts_for) = &author.acts_for {
            entries.push(("acts_for", json!(acts_for)));
        }
    }
    if let Some(failure) = manifest.failure {
        entries.push(("problem", document(&failure.into())));
    }
    Ok(Skill::new(skill_md, frontmatter, resources).with_meta(meta(entries)))
}
