//! What is published under a name at a scope: a skill, or the instruction of an agent's role.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::name::{NameError, SkillName};

/// What stands before the name of a role where items of both kinds are named. No skill's name has a colon.
pub const ROLE_PREFIX: &str = "role:";

/// What kind of content a name is for. Names are unique per scope and kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A skill.
    Skill,
    /// The instruction of an agent's role.
    RoleInstruction,
}

/// The name of a skill, `refunds`, or of a role's instruction, `role:support`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ItemName {
    kind: Kind,
    name: SkillName,
}

impl ItemName {
    /// The name of this kind.
    #[must_use]
    pub fn new(kind: Kind, name: SkillName) -> Self {
        Self { kind, name }
    }

    /// The instruction of a role.
    #[must_use]
    pub fn role(name: SkillName) -> Self {
        Self::new(Kind::RoleInstruction, name)
    }

    /// Parses `refunds` or `role:support`.
    ///
    /// # Errors
    /// A [`NameError`] that says what is wrong with the name.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        match text.strip_prefix(ROLE_PREFIX) {
            Some(role) => SkillName::parse(role).map(Self::role),
            None => SkillName::parse(text).map(Self::from),
        }
    }

    /// What kind of content it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The name without its kind.
    #[must_use]
    pub fn name(&self) -> &SkillName {
        &self.name
    }

    /// The name, when it is a skill's.
    #[must_use]
    pub fn skill(&self) -> Option<&SkillName> {
        (self.kind == Kind::Skill).then_some(&self.name)
    }
}

impl From<SkillName> for ItemName {
    fn from(name: SkillName) -> Self {
        Self::new(Kind::Skill, name)
    }
}

impl fmt::Display for ItemName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Skill => self.name.fmt(f),
            Kind::RoleInstruction => write!(f, "{ROLE_PREFIX}{}", self.name),
        }
    }
}

impl FromStr for ItemName {
    type Err = NameError;
    fn from_str(text: &str) -> Result<Self, NameError> {
        Self::parse(text)
    }
}

impl Serialize for ItemName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ItemName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(serde::de::Error::custom)
    }
}
