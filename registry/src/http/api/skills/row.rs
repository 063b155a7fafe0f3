//! A skill as listings and reads show it.

use schemars::JsonSchema;
use serde::Serialize;

use crate::http::api::words::time;
use crate::store::catalog::SnapshotEntry;
use crate::store::queries::{Drift, ListedEntry, ListedSkill};

/// One skill of the resolved listing, as a catalog offers it.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Entry {
    /// The name.
    name: String,
    /// When to use it.
    description: String,
    /// Where it lives.
    scope: String,
    /// The number of the revision.
    revision: u32,
    /// Its digest.
    digest: String,
    /// The scopes that it overrides, narrow to wide; absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    shadows: Vec<String>,
    /// Whether narrower scopes cannot override it.
    sealed: bool,
    /// Whether its body is a template.
    templated: bool,
    /// What it overrides, where that has changed since it was written.
    #[serde(flatten)]
    drift: Drifted,
}

/// Whether what a skill overrides has changed since it was written; both left out when not. Publishing the skill again, also
/// with the same content, acknowledges the change.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub(in crate::http) struct Drifted {
    /// True when it has.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    upstream_changed: bool,
    /// What it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    upstream: Option<Upstream>,
}

/// A skill that another one overrides.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Upstream {
    /// Where it lives.
    scope: String,
    /// The number of its revision; 0 for one of a read-only source.
    revision: u32,
    /// Its digest.
    digest: String,
    /// The number of the revision that the narrower skill was written against; null when there was none.
    written_against: Option<u32>,
}

impl From<Option<Drift>> for Drifted {
    fn from(drift: Option<Drift>) -> Self {
        let upstream = drift.map(
            |Drift {
                 scope,
                 revision,
                 digest,
                 written_against,
             }| Upstream {
                scope,
                revision,
                digest,
                written_against,
            },
        );
        Self {
            upstream_changed: upstream.is_some(),
            upstream,
        }
    }
}

/// One skill at a scope.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Row {
    /// The name.
    pub(super) name: String,
    /// When to use it.
    pub(super) description: String,
    /// The scope.
    pub(super) scope: String,
    /// The number of the current revision.
    pub(super) revision: u32,
    /// Its digest.
    pub(super) digest: String,
    /// `active`, `disabled`, `quarantined`, `revoked` or `archived`.
    pub(super) status: &'static str,
    /// Whether narrower scopes cannot override it.
    pub(super) sealed: bool,
    /// Whether its body is a template.
    pub(super) templated: bool,
    /// `skill` or `role-instruction`.
    pub(super) kind: &'static str,
    /// `triggered`, in catalogs and loaded on demand, or `ambient`, rendered into every opening. An attachment to a role may
    /// say otherwise for that role.
    pub(super) mode: &'static str,
    /// The roles that it is attached to: it is offered to those only. Left out where it is for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) roles: Vec<String>,
    /// `human`, `agent` or `service`.
    pub(super) author_kind: &'static str,
    /// Who wrote the current revision.
    pub(super) author: String,
    /// When the skill changed last, RFC 3339.
    pub(super) updated_at: String,
    /// What it overrides, where that has changed since it was written.
    #[serde(flatten)]
    pub(super) drift: Drifted,
}

impl From<ListedEntry> for Entry {
    fn from(ListedEntry { entry, drift }: ListedEntry) -> Self {
        let SnapshotEntry {
            name,
            description,
            scope,
            revision,
            digest,
            shadows,
            sealed,
            templated,
        } = entry;
        Self {
            name,
            description,
            scope,
            revision,
            digest,
            shadows,
            sealed,
            templated,
            drift: drift.into(),
        }
    }
}

impl From<ListedSkill> for Row {
    fn from(listed: ListedSkill) -> Self {
        let ListedSkill {
            name,
            description,
            scope,
            revision,
            digest,
            status,
            sealed,
            templated,
            kind,
            mode,
            roles,
            author_kind,
            author,
            updated_at,
            drift,
        } = listed;
        Self {
            name,
            description,
            scope,
            revision,
            digest,
            status,
            sealed,
            templated,
            kind: kind.as_str(),
            mode: mode.as_str(),
            roles: roles.iter().map(ToString::to_string).collect(),
            author_kind,
            author,
            updated_at: time(updated_at),
            drift: drift.into(),
        }
    }
}
