//! How a skill is named on the command line: `tenant:acme/refunds`.

use std::fmt;

use vestry_policies::SkillName;

use crate::client::path;

/// A scope and a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Reference {
    /// The scope, as the server reads it.
    pub(in crate::cli) scope: String,
    /// The name.
    pub(in crate::cli) name: SkillName,
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
        let name = SkillName::parse(name).map_err(|error| error.to_string())?;
        Ok(Self {
            scope: scope.to_owned(),
            name,
        })
    }

    /// The path of the skill, and of what is below it.
    pub(in crate::cli) fn path(&self, below: &[&str]) -> String {
        let mut segments = vec!["v1", "skills", &self.scope, self.name.as_str()];
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
        for refused in [
            "refunds",
            "/refunds",
            "global/",
            "global/..",
            "global/Refunds",
        ] {
            assert!(Reference::parse(refused).is_err(), "{refused}");
        }
    }
}
