//! Reading a source: the skills of a folder, each with its digest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;

use sha2::{Digest as _, Sha256};
use vestry_policies::SkillName;

use super::SourceSkill;
use crate::bundle::{self, Bundle, LocalSkill};
use crate::content::digest::ManifestFile;
use crate::content::paths::{FilePath, check_distinct};
use crate::content::{PreparedSkill, digest};
use crate::store::body::CheckedContent;

type Skills = BTreeMap<SkillName, Arc<SourceSkill>>;

/// A digest of the paths, sizes and times of everything that a source would read.
pub(super) fn fingerprint(directory: &Path) -> Result<[u8; 32], String> {
    let found = bundle::find(directory).map_err(|error| error.to_string())?;
    let mut hash = Sha256::new();
    for skill in &found.skills {
        let files = skill.files.iter().map(|(_, place)| place);
        for path in std::iter::once(&skill.skill_md).chain(files) {
            let (size, changed) = match std::fs::metadata(path) {
                Ok(metadata) => (metadata.len(), microseconds(&metadata)),
                // It went away between the two looks; the next one sees that.
                Err(_) => (0, 0),
            };
            hash.update(path.as_os_str().as_encoded_bytes());
            hash.update([0]);
            hash.update(size.to_le_bytes());
            hash.update(changed.to_le_bytes());
        }
    }
    Ok(hash.finalize().into())
}

/// The skills of a folder by name, and what is left out with the reason. Of two of one name none is taken.
pub(super) fn read(directory: &Path) -> Result<(Skills, Vec<(PathBuf, String)>), String> {
    let found = bundle::find(directory).map_err(|error| error.to_string())?;
    let mut skills: BTreeMap<SkillName, (PathBuf, Arc<SourceSkill>)> = BTreeMap::new();
    let mut refused = Vec::new();
    let mut twice = Vec::new();
    for local in &found.skills {
        match read_one(local) {
            Ok(skill) => {
                let name = skill.name.clone();
                if let Some((other, _)) =
                    skills.insert(name.clone(), (local.place().to_owned(), Arc::new(skill)))
                {
                    refused.push((other, format!("`{name}` is there twice")));
                    twice.push(name);
                }
            }
            Err(why) => refused.push((local.place().to_owned(), why)),
        }
    }
    for name in twice {
        if let Some((place, _)) = skills.remove(&name) {
            refused.push((place, format!("`{name}` is there twice")));
        }
    }
    let skills = skills
        .into_iter()
        .map(|(name, (_, skill))| (name, skill))
        .collect();
    Ok((skills, refused))
}

fn read_one(local: &LocalSkill) -> Result<SourceSkill, String> {
    let name = SkillName::parse(&local.name).map_err(|error| error.to_string())?;
    let bundle = Bundle::read(local).map_err(|error| error.to_string())?;
    let prepared = PreparedSkill::from_skill_md(&name, bundle.skill_md, String::new())
        .map_err(|error| error.to_string())?;
    let mut files = Vec::new();
    let mut paths = Vec::new();
    for (file, (_, place)) in bundle.files.into_iter().flatten().zip(&local.files) {
        paths.push(FilePath::parse(&file.path).map_err(|error| error.to_string())?);
        let manifest = ManifestFile {
            path: file.path,
            size: file.bytes.len() as u64,
            digest: file.digest,
        };
        files.push((manifest, place.clone()));
    }
    check_distinct(&paths).map_err(|(_, error)| error.to_string())?;
    let manifest: Vec<ManifestFile> = files.iter().map(|(file, _)| file.clone()).collect();
    let digest = digest::of_manifest(prepared.content_digest, &manifest);
    let changed_at =
        std::fs::metadata(&local.skill_md).map_or(0, |metadata| microseconds(&metadata));
    Ok(SourceSkill {
        description: Arc::from(prepared.description.as_str()),
        templated: prepared.templated,
        mode: prepared.mode(),
        frontmatter: prepared.frontmatter.clone(),
        content: Arc::new(
            CheckedContent::of_source(prepared, manifest).map_err(|error| error.to_string())?,
        ),
        digest,
        files,
        changed_at,
        name,
    })
}

fn microseconds(metadata: &std::fs::Metadata) -> i64 {
    metadata
        .modified()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .and_then(|since| i64::try_from(since.as_micros()).ok())
        .unwrap_or(0)
}
