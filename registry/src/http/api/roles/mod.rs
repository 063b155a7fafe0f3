//! Roles of agents: their instructions, which are governed like skills, and the skills that are attached to them.

pub(in crate::http) mod attachments;
pub(in crate::http) mod instruction;

use vestry_policies::{ItemName, SkillName};

use crate::http::extract::PathPart;
use crate::http::problem::Problem;

/// The name of a role in a path; where skills and roles are named together it is `role:support`.
#[derive(Debug, Clone)]
pub(in crate::http) struct RoleName(pub(in crate::http) SkillName);

impl PathPart for RoleName {
    fn parse(text: &str) -> Result<Self, Problem> {
        <SkillName as PathPart>::parse(text).map(Self)
    }
}

impl From<RoleName> for ItemName {
    fn from(RoleName(name): RoleName) -> Self {
        Self::role(name)
    }
}
