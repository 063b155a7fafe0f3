//! What a publication gives: a revision, or a proposal for one.

use serde::{Deserialize, Serialize};

use super::skill_rows::SkillChange;
use crate::store::proposals::ProposalChange;

/// What became of a publication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Written {
    /// It is published.
    Published(SkillChange),
    /// It waits for a review.
    Proposed(ProposalChange),
}
