//! The content of an offer: what is stored once per digest, answered, and signed.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use vestry_policies::resolve::{BudgetReport, Catalog, Entry};
use vestry_policies::{Digest, Mode, Scope, SkillName, Status, Summary, TenantId};

use crate::store::error::{StoreError, StoreResult};

/// The content of an offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// The caller's scopes as written, narrowest first.
    pub scopes: Vec<String>,
    /// What is offered, in order.
    pub entries: Vec<SnapshotEntry>,
    /// How many names are visible beyond the entries.
    pub omitted: usize,
    /// Up to fifty of them.
    pub omitted_names: Vec<String>,
    /// Narrower skills that lost to a sealed one.
    pub blocked: Vec<BlockedSkill>,
    /// What a token budget cut, when one was given.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub report: Option<BudgetNote>,
}

/// One offered skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnapshotEntry {
    /// The name.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// The scope as written.
    pub scope: String,
    /// The number of the pinned revision.
    pub revision: u32,
    /// Its digest.
    pub digest: String,
    /// The scopes that it overrides, narrow to wide; absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub shadows: Vec<String>,
    /// Whether narrower scopes cannot override it.
    pub sealed: bool,
    /// Whether its body is a template.
    pub templated: bool,
}

/// A narrower skill that lost to a sealed one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockedSkill {
    /// The name.
    pub name: String,
    /// Where the loser lives.
    pub scope: String,
    /// The scope of the sealed one.
    pub by: String,
}

/// What a token budget cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BudgetNote {
    /// The budget, in tokens.
    pub token_budget: usize,
    /// The estimate for the block that was kept, in tokens.
    pub estimated_tokens: usize,
    /// How many entries were kept.
    pub kept: usize,
    /// The names that were cut.
    pub cut: Vec<String>,
    /// Why.
    pub reason: String,
}

impl Snapshot {
    /// The snapshot of a catalog.
    pub(super) fn of(scopes: &[Scope], catalog: &Catalog, report: Option<BudgetReport>) -> Self {
        Self {
            scopes: scopes.iter().map(ToString::to_string).collect(),
            entries: catalog.entries.iter().map(SnapshotEntry::of).collect(),
            omitted: catalog.omitted,
            omitted_names: catalog
                .omitted_names
                .iter()
                .map(ToString::to_string)
                .collect(),
            blocked: catalog
                .blocked
                .iter()
                .map(|blocked| BlockedSkill {
                    name: blocked.name.to_string(),
                    scope: blocked.scope.to_string(),
                    by: blocked.by.to_string(),
                })
                .collect(),
            report: report.map(|report| BudgetNote {
                token_budget: report.budget,
                estimated_tokens: report.estimated_tokens,
                kept: report.kept,
                cut: report.cut.iter().map(ToString::to_string).collect(),
                reason: report.reason.to_owned(),
            }),
        }
    }

    /// The scopes as values.
    pub(super) fn scopes(&self, tenant: Option<&TenantId>) -> StoreResult<Vec<Scope>> {
        self.scopes
            .iter()
            .map(|text| Scope::parse(text, tenant).map_err(|_| unreadable()))
            .collect()
    }

    /// The entries as resolution gave them: what the block and the offer are made of.
    pub(super) fn entries(&self, tenant: Option<&TenantId>) -> StoreResult<Vec<Entry>> {
        self.entries
            .iter()
            .map(|entry| {
                let rank = self
                    .scopes
                    .iter()
                    .position(|scope| *scope == entry.scope)
                    .ok_or_else(unreadable)?;
                let scope = |text: &String| Scope::parse(text, tenant).map_err(|_| unreadable());
                Ok(Entry {
                    summary: Arc::new(Summary {
                        name: SkillName::parse(&entry.name).map_err(|_| unreadable())?,
                        scope: scope(&entry.scope)?,
                        description: Arc::from(entry.description.as_str()),
                        revision: entry.revision,
                        digest: Digest::parse(&entry.digest).ok_or_else(unreadable)?,
                        sealed: entry.sealed,
                        templated: entry.templated,
                        mode: Mode::Triggered,
                        status: Status::Active,
                        roles: Arc::from([]),
                        source: 0,
                    }),
                    rank,
                    shadows: entry
                        .shadows
                        .iter()
                        .map(scope)
                        .collect::<StoreResult<_>>()?,
                })
            })
            .collect()
    }
}

impl SnapshotEntry {
    /// One entry of a catalog.
    pub(in crate::store) fn of(entry: &Entry) -> Self {
        Self {
            name: entry.summary.name.to_string(),
            description: entry.summary.description.to_string(),
            scope: entry.summary.scope.to_string(),
            revision: entry.summary.revision,
            digest: entry.summary.digest.to_string(),
            shadows: entry.shadows.iter().map(ToString::to_string).collect(),
            sealed: entry.is_sealed(),
            templated: entry.summary.templated,
        }
    }
}

fn unreadable() -> StoreError {
    StoreError::Internal("a stored snapshot is unreadable".to_owned())
}
