//! Reading a world from its directory, or the one that is built in.

use std::collections::BTreeMap;
use std::path::Path;

use include_dir::{Dir, include_dir};
use serde::Deserialize;

static ACME: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../examples/worlds/acme");

/// Why a world cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WorldError(pub(super) String);

/// A world.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct World {
    /// Who can log in.
    #[serde(rename = "user", default)]
    pub users: Vec<User>,
    /// The tenants.
    #[serde(rename = "tenant", default)]
    pub tenants: Vec<Tenant>,
    /// Who belongs to them.
    #[serde(rename = "member", default)]
    pub members: Vec<Member>,
    /// Their agent platforms.
    #[serde(rename = "service", default)]
    pub services: Vec<Service>,
    /// The agents of those.
    #[serde(rename = "agent", default)]
    pub agents: Vec<Agent>,
    /// The skills.
    #[serde(rename = "skill", default)]
    pub skills: Vec<Skill>,
    /// What tenants hide.
    #[serde(rename = "hide", default)]
    pub hides: Vec<Hide>,
}

/// A user.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct User {
    /// The username.
    pub username: String,
    /// What people call them.
    pub display_name: String,
    /// The password; an example's, never a real one.
    pub password: String,
    /// Whether they administer the installation.
    #[serde(default)]
    pub global_admin: bool,
}

/// A tenant.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tenant {
    /// The id.
    pub id: String,
    /// What people call it.
    pub name: String,
}

/// A member of a tenant.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Member {
    /// The tenant.
    pub tenant: String,
    /// The user.
    pub username: String,
    /// The role.
    pub role: String,
}

/// A service of a tenant.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Service {
    /// The tenant.
    pub tenant: String,
    /// The name.
    pub name: String,
}

/// An agent that a service runs.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    /// The tenant.
    pub tenant: String,
    /// The service's name.
    pub service: String,
    /// The actor that it acts for.
    pub actor: String,
    /// The agent.
    pub agent: String,
}

/// A skill.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skill {
    /// The scope, as written.
    pub scope: String,
    /// The tenant of an actor's scope.
    #[serde(default)]
    pub tenant: Option<String>,
    /// The name.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// The file of the body, below the world's directory; its text once the world is read.
    pub body: String,
    /// Whether it is sealed.
    #[serde(default)]
    pub sealed: bool,
    /// What changed.
    #[serde(default)]
    pub message: String,
}

/// A global skill that a tenant hides.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hide {
    /// The tenant.
    pub tenant: String,
    /// The skill.
    pub name: String,
    /// Why.
    #[serde(default)]
    pub reason: Option<String>,
}

impl World {
    /// The world that is built in: `examples/worlds/acme`.
    ///
    /// # Errors
    /// When its files do not fit each other, which a test rules out.
    pub fn acme() -> Result<Self, WorldError> {
        let text = |path: &str| {
            ACME.get_file(path)
                .and_then(include_dir::File::contents_utf8)
                .map(ToOwned::to_owned)
                .ok_or_else(|| WorldError(format!("the built-in world has no file {path}")))
        };
        Self::parse(&text("world.toml")?, text)
    }

    /// Reads a world from its directory.
    ///
    /// # Errors
    /// When a file cannot be read, or `world.toml` is not a world.
    pub fn read(directory: &Path) -> Result<Self, WorldError> {
        let text = |path: &str| {
            let path = directory.join(path);
            std::fs::read_to_string(&path)
                .map_err(|error| WorldError(format!("cannot read {}: {error}", path.display())))
        };
        Self::parse(&text("world.toml")?, text)
    }

    fn parse(
        toml: &str,
        text: impl Fn(&str) -> Result<String, WorldError>,
    ) -> Result<Self, WorldError> {
        let mut world: Self = toml::from_str(toml)
            .map_err(|error| WorldError(format!("world.toml is not a world: {error}")))?;
        for skill in &mut world.skills {
            skill.body = text(&skill.body)?;
        }
        Ok(world)
    }

    /// The password of each user.
    #[must_use]
    pub fn passwords(&self) -> BTreeMap<&str, &str> {
        self.users
            .iter()
            .map(|user| (user.username.as_str(), user.password.as_str()))
            .collect()
    }
}
