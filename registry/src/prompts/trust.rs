//! Whether templates of the repository are taken: whoever can commit to it writes them.

/// The variables that switch them off, each by itself.
const VARIABLES: [&str; 2] = ["VESTRY_REPO_TEMPLATES", "CODING_AGENT_REPO_TEMPLATES"];

/// Whether templates of the repository are taken, by the variables of the environment: `VESTRY_REPO_TEMPLATES` (or
/// `CODING_AGENT_REPO_TEMPLATES`) set to `0`, `false`, `no`, `off` or nothing, in any case, switches them off.
pub fn takes_repository_templates(variable: impl Fn(&str) -> Option<String>) -> bool {
    VARIABLES.into_iter().filter_map(variable).all(|value| {
        let value = value.trim().to_ascii_lowercase();
        !matches!(value.as_str(), "" | "0" | "false" | "no" | "off")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Issue 8, A.4.
    #[test]
    fn either_variable_switches_them_off() {
        let takes = |ours: Option<&str>, other: Option<&str>| {
            takes_repository_templates(|name| {
                let value = if name == "VESTRY_REPO_TEMPLATES" {
                    ours
                } else {
                    other
                };
                value.map(str::to_owned)
            })
        };
        assert!(takes(None, None));
        for off in ["0", "false", "no", "off", "", " ", "FALSE", "Off", " no "] {
            assert!(!takes(Some(off), None), "{off:?}");
            assert!(!takes(None, Some(off)), "{off:?}");
            assert!(!takes(Some("1"), Some(off)), "{off:?}");
            assert!(!takes(Some(off), Some("1")), "{off:?}");
        }
        for on in ["1", "true", "yes", "on", "anything"] {
            assert!(takes(Some(on), None), "{on}");
            assert!(takes(None, Some(on)), "{on}");
        }
    }
}
