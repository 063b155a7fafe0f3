//! A proposal in a list: everything but its content and what was said of it.

use vestry_policies::ProposalState;

use crate::clock::Micros;
use crate::store::entity::{proposal, skill};
use crate::store::error::StoreResult;
use crate::store::proposals::{ProposalBase, against, id_text, scope_of_row, state_of};
use crate::store::rows::{item_of, kind_text, unsigned};

/// A proposal, without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposalRow {
    /// The id.
    pub id: String,
    /// The scope that it is for.
    pub scope: String,
    /// The name that it is for.
    pub name: String,
    /// Its state now.
    pub state: ProposalState,
    /// The digest of its content.
    pub digest: String,
    /// The size of its SKILL.md in bytes.
    pub size: i64,
    /// How many files it has.
    pub files: i64,
    /// When to use the skill.
    pub description: String,
    /// What it is compared with; none when there was no such skill.
    pub base: Option<ProposalBase>,
    /// What kind of principal proposed it.
    pub author_kind: &'static str,
    /// Who proposed it.
    pub author: String,
    /// The actor that an agent acted for.
    pub acts_for: Option<String>,
    /// The rule that made a publication a proposal; none when it was proposed.
    pub origin: Option<String>,
    /// When it was proposed, in microseconds since the Unix epoch.
    pub created_at: i64,
    /// When it changed last.
    pub updated_at: i64,
    /// When it expires, or would have.
    pub expires_at: i64,
    /// When it ended.
    pub ended_at: Option<i64>,
    /// Who ended it.
    pub ended_by: Option<String>,
    /// The number of the revision that it was published as.
    pub published: Option<u32>,
}

impl ProposalRow {
    pub(super) fn of(
        row: &proposal::Model,
        current: Option<&skill::Model>,
        now: Micros,
    ) -> StoreResult<Self> {
        Ok(Self {
            id: id_text(&row.tenant, row.number),
            scope: scope_of_row(row)?.to_string(),
            name: item_of(row.kind, &row.name)?.to_string(),
            state: state_of(row, current, now)?,
            digest: row.digest.clone(),
            size: row.size,
            files: row.files,
            description: row.description.clone(),
            base: against(row)?,
            author_kind: kind_text(row.author_kind)?,
            author: row.author.clone(),
            acts_for: row.acts_for.clone(),
            origin: Some(row.origin.clone()).filter(|origin| !origin.is_empty()),
            created_at: row.created_at,
            updated_at: row.updated_at,
            expires_at: row.expires_at,
            ended_at: row.ended_at,
            ended_by: row.ended_by.clone(),
            published: row
                .published
                .map(|number| unsigned(number, "published"))
                .transpose()?,
        })
    }
}
