//! What is published under a name at a scope: a skill, the instruction of an agent's role, or a workflow's prompt template.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::name::{NameError, SkillName};

/// What stands before the name of a role where items of all kinds are named. No skill's name has a colon.
pub const ROLE_PREFIX: &str = "role:";
/// The same for a prompt template.
pub const PROMPT_PREFIX: &str = "prompt:";

/// What kind of content a name is for. Names are unique per scope and kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A skill.
    Skill,
    /// The instruction of an agent's role.
    RoleInstruction,
    /// A prompt template for roles of workflows.
    Prompt,
}

impl Kind {
    /// The word for it: `skill`, `role-instruction` or `prompt`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Skill => "skill",
            Self::RoleInstruction => "role-instruction",
            Self::Prompt => "prompt",
        }
    }

    /// What stands before a name of this kind where items of all kinds are named; nothing before a skill's.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Skill => "",
            Self::RoleInstruction => ROLE_PREFIX,
            Self::Prompt => PROMPT_PREFIX,
        }
    }
}

/// The name of a skill, `refunds`, of a role's instruction, `role:support`, or of a prompt template, `prompt:review`.
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

    /// A prompt template.
    #[must_use]
    pub fn prompt(name: SkillName) -> Self {
        Self::new(Kind::Prompt, name)
    }

    /// Parses `refunds`, `role:support` or `prompt:review`.
    ///
    /// # Errors
    /// A [`NameError`] that says what is wrong with the name.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let prefixed = [Kind::RoleInstruction, Kind::Prompt]
            .into_iter()
            .find_map(|kind| Some((kind, text.strip_prefix(kind.prefix())?)));
        let (kind, name) = prefixed.unwrap_or((Kind::Skill, text));
        SkillName::parse(name).map(|name| Self::new(kind, name))
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
        write!(f, "{}{}", self.kind.prefix(), self.name)
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
