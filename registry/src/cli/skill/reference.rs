//! How a skill is named on the command line: `tenant:acme/refunds`.

use std::fmt;

use vestry_policies::ItemName;

use crate::client::path;

/// A scope and a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Reference {
    /// The scope, as the server reads it.
    pub(in crate::cli) scope: String,
    /// The name; `role:support` is the instruction of a role.
    pub(in crate::cli) name: ItemName,
}

impl Reference {
    /// Reads `SCOPE/NAME`.
    ///
    /// # Errors
    /// A sentence that says what to write.
    pub(in crate::cli) fn parse(text: &str) -> Result<Self, String> {
        let (scope, name) = text
            .rsplit_once('/')
            .filter(|(scope, _)| !scope.is_empty())
            .ok_or("write it as SCOPE/NAME, such as tenant:acme/refunds or global/refunds")?;
        let name = ItemName::parse(name).map_err(|error| error.to_string())?;
        Ok(Self {
            scope: scope.to_owned(),
            name,
        })
    }

    /// The path of the skill, and of what is below it.
    pub(in crate::cli) fn path(&self, below: &[&str]) -> String {
        let name = self.name.to_string();
        let mut segments = vec!["v1", "skills", &self.scope, &name];
        segments.extend_from_slice(below);
        path(&segments)
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.scope, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::Reference;

    #[test]
    fn a_reference_is_a_scope_and_a_name() {
        let reference = Reference::parse("actor:a@b/refunds").unwrap();
        assert_eq!(
            reference.path(&["diff"]),
            "/v1/skills/actor:a@b/refunds/diff"
        );
        assert_eq!(reference.to_string(), "actor:a@b/refunds");
        let role = Reference::parse("tenant:acme/role:support").unwrap();
        assert_eq!(role.path(&[]), "/v1/skills/tenant:acme/role:support");
        assert_eq!(role.to_string(), "tenant:acme/role:support");
        for refused in [
            "refunds",
            "/refunds",
            "global/",
            "global/..",
            "global/Refunds",
            "global/role:",
            "global/roles:x",
        ] {
            assert!(Reference::parse(refused).is_err(), "{refused}");
        }
    }
}
