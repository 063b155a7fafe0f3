//! Read-only sources: folders of skills that the operator mounts at a scope, composed with the database.
//!
//! Per scope and name the earlier source wins: those that come before the database, the database, those that come after
//! it. A body always comes from the source that listed it: an offer pins the digest, and what a source lists no more
//! under that digest is withdrawn. A skill of a source has revision 0, because nobody numbered it.

mod read;
mod watch;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::{Map, Value};
use vestry_policies::{Digest, ItemName, Mode, Scope, SkillName, Status, Summary};

use super::body::CheckedContent;
use super::error::{StoreError, StoreResult};
use super::rows::ScopeKey;
use crate::content::digest::ManifestFile;

pub use watch::SOURCE_POLL;
pub(super) use watch::watch;

/// The revision of a skill that comes from a source.
pub(super) const FROM_SOURCE: u32 = 0;

/// Whether a source comes before the database, and so wins over it, or after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceOrder {
    /// What it lists wins over the database.
    Before,
    /// What the database has wins over it.
    After,
}

/// A folder of skills, mounted at a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSpec {
    /// The folder.
    pub directory: PathBuf,
    /// The scope, a shared one.
    pub scope: Scope,
    /// Where it stands.
    pub order: SourceOrder,
}

/// A skill of a source, read and checked.
#[derive(Debug)]
pub(super) struct SourceSkill {
    pub(super) name: SkillName,
    pub(super) description: Arc<str>,
    pub(super) digest: Digest,
    pub(super) templated: bool,
    pub(super) mode: Mode,
    pub(super) frontmatter: Map<String, Value>,
    pub(super) content: Arc<CheckedContent>,
    /// The bundled files, and where each is.
    pub(super) files: Vec<(ManifestFile, PathBuf)>,
    /// When its SKILL.md changed, in microseconds since the Unix epoch.
    pub(super) changed_at: i64,
}

impl SourceSkill {
    /// Where a bundled file is.
    pub(super) fn place_of(&self, path: &str) -> Option<PathBuf> {
        self.files
            .iter()
            .find(|(file, _)| file.path == path)
            .map(|(_, place)| place.clone())
    }
}

/// What a source listed when it was read last.
#[derive(Debug, Default)]
struct Listed {
    skills: BTreeMap<SkillName, Arc<SourceSkill>>,
    /// Of everything that was looked at: paths, sizes, times.
    fingerprint: Option<[u8; 32]>,
}

#[derive(Debug)]
struct Source {
    spec: SourceSpec,
    label: String,
    listed: RwLock<Arc<Listed>>,
}

/// The sources of a server.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// Those that come before the database first.
    sources: Vec<Source>,
    /// How many of them come before it.
    before: usize,
    /// For each scope that has one, how often one of its sources has changed.
    generations: HashMap<ScopeKey, AtomicU64>,
}

impl Sources {
    /// Sources that have not been read yet.
    pub(super) fn new(mut specs: Vec<SourceSpec>) -> Self {
        specs.sort_by_key(|spec| spec.order == SourceOrder::After);
        let before = specs
            .iter()
            .filter(|spec| spec.order == SourceOrder::Before)
            .count();
        let generations = specs
            .iter()
            .map(|spec| (ScopeKey::of(&spec.scope), AtomicU64::new(0)))
            .collect();
        let sources = specs
            .into_iter()
            .map(|spec| Source {
                label: spec.directory.file_name().map_or_else(
                    || "source".into(),
                    |name| name.to_string_lossy().into_owned(),
                ),
                spec,
                listed: RwLock::default(),
            })
            .collect();
        Self {
            sources,
            before,
            generations,
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// How often the sources of a scope have changed; 0 where there are none.
    pub(super) fn generation(&self, key: &ScopeKey) -> u64 {
        self.generations
            .get(key)
            .map_or(0, |generation| generation.load(Ordering::SeqCst))
    }

    /// The place of the database among the sources.
    pub(super) fn database(&self) -> u16 {
        u16::try_from(self.before).unwrap_or(u16::MAX)
    }

    /// Whether something comes after the database at this scope.
    pub(super) fn has_after(&self, scope: &Scope) -> bool {
        self.sources
            .iter()
            .skip(self.before)
            .any(|source| source.spec.scope == *scope)
    }

    /// What the sources list at a scope, with the place of each among the sources.
    pub(super) fn summaries(&self, scope: &Scope) -> Vec<Summary> {
        let mut summaries = Vec::new();
        for (position, source) in self.at(scope) {
            let place = if position < self.before {
                position
            } else {
                position.saturating_add(1)
            };
            for skill in source.listed().skills.values() {
                summaries.push(Summary {
                    name: skill.name.clone(),
                    scope: scope.clone(),
                    description: Arc::clone(&skill.description),
                    revision: FROM_SOURCE,
                    digest: skill.digest,
                    sealed: false,
                    templated: skill.templated,
                    mode: skill.mode,
                    status: Status::Active,
                    roles: Arc::from([]),
                    source: u16::try_from(place).unwrap_or(u16::MAX),
                });
            }
        }
        summaries
    }

    /// The skill that a source lists under this name with this digest: what an offer has pinned.
    pub(super) fn pinned(
        &self,
        scope: &Scope,
        name: &SkillName,
        digest: Digest,
    ) -> Option<Arc<SourceSkill>> {
        self.at(scope)
            .filter_map(|(_, source)| source.listed().skills.get(name).cloned())
            .find(|skill| skill.digest == digest)
    }

    /// The first skill of this name that comes before the database, or else after it, and the name of its source.
    pub(super) fn find(
        &self,
        scope: &Scope,
        name: &ItemName,
        order: SourceOrder,
    ) -> Option<(Arc<SourceSkill>, &str)> {
        let name = name.skill()?;
        self.at(scope)
            .filter(|(_, source)| source.spec.order == order)
            .find_map(|(_, source)| {
                let skill = source.listed().skills.get(name).cloned()?;
                Some((skill, source.label.as_str()))
            })
    }

    /// Whether a source lists a skill of this name.
    pub(super) fn lists(&self, scope: &Scope, name: &SkillName) -> bool {
        self.at(scope)
            .any(|(_, source)| source.listed().skills.contains_key(name))
    }

    /// Refuses a name whose publication would have no effect, because a source that comes before the database has it.
    pub(super) fn refuse_overridden(&self, scope: &Scope, name: &ItemName) -> StoreResult<()> {
        match self.find(scope, name, SourceOrder::Before) {
            None => Ok(()),
            Some((_, label)) => Err(StoreError::Conflict(format!(
                "The read-only source `{label}` has this skill and wins over what is published; change it there."
            ))),
        }
    }

    /// The first skill of this name that a source lists.
    pub(super) fn current(&self, scope: &Scope, name: &ItemName) -> Option<Arc<SourceSkill>> {
        self.find(scope, name, SourceOrder::Before)
            .or_else(|| self.find(scope, name, SourceOrder::After))
            .map(|(skill, _)| skill)
    }

    /// Everything that the sources list at a scope before or after the database, the later source first.
    pub(super) fn listed(
        &self,
        scope: &Scope,
        order: SourceOrder,
    ) -> Vec<(Arc<SourceSkill>, &str)> {
        let mut found: Vec<(Arc<SourceSkill>, &str)> = Vec::new();
        for (_, source) in self.at(scope) {
            if source.spec.order == order {
                let skills = source.listed();
                found.splice(
                    0..0,
                    skills
                        .skills
                        .values()
                        .map(|skill| (Arc::clone(skill), source.label.as_str())),
                );
            }
        }
        found
    }

    /// Every template that a source lists, at its scope.
    pub(super) fn templates(&self) -> Vec<(Scope, Arc<SourceSkill>)> {
        let mut found = Vec::new();
        for source in &self.sources {
            for skill in source.listed().skills.values() {
                if skill.templated {
                    found.push((source.spec.scope.clone(), Arc::clone(skill)));
                }
            }
        }
        found
    }

    fn at(&self, scope: &Scope) -> impl Iterator<Item = (usize, &Source)> {
        self.sources
            .iter()
            .enumerate()
            .filter(move |(_, source)| source.spec.scope == *scope)
    }
}

impl Source {
    fn listed(&self) -> Arc<Listed> {
        Arc::clone(&self.listed.read().unwrap_or_else(PoisonError::into_inner))
    }
}
