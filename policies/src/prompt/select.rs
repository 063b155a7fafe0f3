//! Which of several templates applies: the unique most specific of those that match.

use std::collections::BTreeSet;
use std::fmt;

use super::{PromptRole, Repository};

/// The most characters of a workflow's name.
const MAX_WORKFLOW: usize = 128;

/// Why a text is no name of a workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a workflow's name has 1 to {MAX_WORKFLOW} characters on one line, without commas and without white space around it"
)]
pub struct WorkflowError;

/// The name of a workflow, compared as it is written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkflowName(String);

impl WorkflowName {
    /// Parses a name. A comma is refused: a text with one was meant as a list.
    ///
    /// # Errors
    /// When it is empty, too long, of several lines, or a list.
    pub fn parse(text: &str) -> Result<Self, WorkflowError> {
        let is_name = !text.is_empty()
            && text.trim() == text
            && text.chars().count() <= MAX_WORKFLOW
            && !text.chars().any(|c| c.is_control() || c == ',');
        if is_name {
            Ok(Self(text.to_owned()))
        } else {
            Err(WorkflowError)
        }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WorkflowName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a template is for. What is none is not restricted; an empty set is for nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selectors {
    /// The workflows; none is for every one.
    pub workflows: Option<BTreeSet<WorkflowName>>,
    /// The repositories; none is for every one, also where it is not known which it is.
    pub repositories: Option<BTreeSet<Repository>>,
    /// The roles; none is for the workflow's primary role.
    pub roles: Option<BTreeSet<PromptRole>>,
}

/// How specific a template is: for some repositories before for every one, and then with roles of its own before without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Specificity {
    /// Whether it is restricted to repositories.
    pub repository: bool,
    /// Whether it says which roles it is for.
    pub fields: bool,
}

/// What a prompt is wanted for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// The workflow.
    pub workflow: WorkflowName,
    /// The repository that it works on, where it is known.
    pub repository: Option<Repository>,
    /// The role.
    pub role: PromptRole,
    /// The workflow's primary role.
    pub primary: PromptRole,
}

/// Where a template stands among those of its caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// How wide it applies: 0 is the caller's own library, and then its scopes from narrow to wide.
    pub width: usize,
    /// Whether nothing narrower may take its place, under whatever name.
    pub sealed: bool,
}

/// What was selected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selected<T> {
    /// No template matches.
    None,
    /// This one is more specific than all others that match.
    One(T),
    /// These are equally specific, and nobody can tell which was meant; in the order in which they were given.
    Several(Vec<T>),
}

impl Selectors {
    /// How specific a template with these is.
    #[must_use]
    pub fn specificity(&self) -> Specificity {
        Specificity {
            repository: self.repositories.is_some(),
            fields: self.roles.is_some(),
        }
    }

    /// Whether a template with these is for what is wanted.
    #[must_use]
    pub fn matches(&self, wanted: &Wanted) -> bool {
        let Self {
            workflows,
            repositories,
            roles,
        } = self;
        let of_workflow = workflows
            .as_ref()
            .is_none_or(|workflows| workflows.contains(&wanted.workflow));
        let of_repository = repositories.as_ref().is_none_or(|repositories| {
            wanted
                .repository
                .as_ref()
                .is_some_and(|repository| repositories.contains(repository))
        });
        let of_role = match roles {
            Some(roles) => roles.contains(&wanted.role),
            None => wanted.role == wanted.primary,
        };
        of_workflow && of_repository && of_role
    }
}

/// Selects the unique most specific of the templates that match, in whatever order they come.
pub fn select<'a, T>(
    templates: impl IntoIterator<Item = (T, &'a Selectors)>,
    wanted: &Wanted,
) -> Selected<T> {
    let mut best: Option<(Specificity, Vec<T>)> = None;
    for (template, selectors) in templates {
        if !selectors.matches(wanted) {
            continue;
        }
        let specificity = selectors.specificity();
        match &mut best {
            Some((known, _)) if *known > specificity => {}
            Some((known, equal)) if *known == specificity => equal.push(template),
            _ => best = Some((specificity, vec![template])),
        }
    }
    match best.map(|(_, equal)| equal) {
        None => Selected::None,
        Some(mut equal) if equal.len() == 1 => equal.pop().map_or(Selected::None, Selected::One),
        Some(equal) => Selected::Several(equal),
    }
}

/// Selects as [`select`] does, of what is as wide as the widest sealed template that matches, or wider: what is narrower neither
/// takes the place of a sealed template, however specific it is, nor makes it ambiguous.
pub fn select_under_seals<'a, T>(
    templates: impl IntoIterator<Item = (T, Standing, &'a Selectors)>,
    wanted: &Wanted,
) -> Selected<T> {
    let matching: Vec<_> = templates
        .into_iter()
        .filter(|(_, _, selectors)| selectors.matches(wanted))
        .collect();
    let sealed = matching.iter().filter(|(_, standing, _)| standing.sealed);
    let narrowest = sealed.map(|(_, standing, _)| standing.width).max();
    let in_reach = matching
        .into_iter()
        .filter(|(_, standing, _)| Some(standing.width) >= narrowest)
        .map(|(template, _, selectors)| (template, selectors));
    select(in_reach, wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(repository: Option<&str>, role: &str) -> Wanted {
        Wanted {
            workflow: WorkflowName::parse("bugfix").unwrap(),
            repository: repository.map(|text| Repository::parse(text).unwrap()),
            role: PromptRole::parse(role).unwrap(),
            primary: PromptRole::parse("code").unwrap(),
        }
    }

    fn selectors(workflows: &[&str], repositories: &[&str], roles: &[&str]) -> Selectors {
        fn set<T: Ord>(texts: &[&str], parse: impl Fn(&str) -> T) -> Option<BTreeSet<T>> {
            (!texts.is_empty()).then(|| texts.iter().map(|text| parse(text)).collect())
        }
        Selectors {
            workflows: set(workflows, |text| WorkflowName::parse(text).unwrap()),
            repositories: set(repositories, |text| Repository::parse(text).unwrap()),
            roles: set(roles, |text| PromptRole::parse(text).unwrap()),
        }
    }

    const APP: &str = "github.com/acme/app";

    /// Issue 8, A.3, sentence by sentence.
    #[test]
    fn the_most_specific_that_matches_is_selected() {
        let plain = selectors(&[], &[], &[]);
        let roles = selectors(&[], &[], &["code", "fix"]);
        let repository = selectors(&[], &[APP], &[]);
        let both = selectors(
            &["bugfix"],
            &["git@GitHub.com:Acme/App.git"],
            &["codePromptTemplate"],
        );
        let other = selectors(&["release"], &[APP], &["code"]);
        let all = [
            ("plain", &plain),
            ("roles", &roles),
            ("repository", &repository),
            ("both", &both),
            ("other", &other),
        ];
        let of = |all: &[(&'static str, &Selectors)], repository, role| {
            select(all.iter().copied(), &wanted(repository, role))
        };
        // (restricted to the repository, has explicit fields), lexicographic.
        assert_eq!(of(&all, Some(APP), "code"), Selected::One("both"));
        assert_eq!(
            of(&all[..3], Some(APP), "code"),
            Selected::One("repository")
        );
        assert_eq!(of(&all[..2], Some(APP), "code"), Selected::One("roles"));
        assert_eq!(of(&all[..1], Some(APP), "code"), Selected::One("plain"));
        // Without fields it is for the primary role.
        assert_eq!(of(&all[..1], Some(APP), "fix"), Selected::None);
        assert_eq!(of(&all[..3], Some(APP), "fix"), Selected::One("roles"));
        // What is restricted is for nobody whose repository is not known.
        assert_eq!(of(&all, None, "code"), Selected::One("roles"));
        // The names of workflows are no degree of specificity: equally specific ones block.
        let named = selectors(&["bugfix"], &[], &[]);
        assert_eq!(
            of(&[("plain", &plain), ("named", &named)], None, "code"),
            Selected::Several(vec!["plain", "named"])
        );
        assert_eq!(of(&[("other", &other)], Some(APP), "code"), Selected::None);
    }

    /// A name of one's own is no way around a seal (issue 8: scopes and governance as for skills).
    #[test]
    fn nothing_narrower_takes_the_place_of_what_is_sealed() {
        let (plain, roles) = (selectors(&[], &[], &[]), selectors(&[], &[], &["code"]));
        let both = selectors(&[], &[APP], &["code"]);
        let release = selectors(&["release"], &[], &[]);
        let at = |width, sealed| Standing { width, sealed };
        let of = |all: &[(&'static str, Standing, &Selectors)]| {
            select_under_seals(all.iter().copied(), &wanted(Some(APP), "code"))
        };
        let sealed = ("sealed", at(2, true), &roles);
        for narrow in [0, 1] {
            for own in [&roles, &both] {
                let open = ("sealed", at(2, false), &roles);
                assert_ne!(
                    of(&[("own", at(narrow, false), own), open]),
                    Selected::One("sealed")
                );
                assert_eq!(
                    of(&[("own", at(narrow, false), own), sealed]),
                    Selected::One("sealed")
                );
                // A seal of a narrower scope is none against a wider one.
                assert_eq!(
                    of(&[("own", at(narrow, true), own), sealed]),
                    Selected::One("sealed")
                );
            }
        }
        // Those who write at its own scope, or at a wider one, are no way around it.
        for wide in [2, 3] {
            assert_eq!(
                of(&[("wide", at(wide, false), &both), sealed]),
                Selected::One("wide")
            );
            assert_eq!(
                of(&[("wide", at(wide, false), &plain), sealed]),
                Selected::One("sealed")
            );
        }
        // What is for something else holds nobody.
        let other = ("other", at(2, true), &release);
        assert_eq!(
            of(&[("own", at(0, false), &plain), other]),
            Selected::One("own")
        );
        assert_eq!(of(&[other]), Selected::None);
    }

    #[test]
    fn an_empty_set_is_for_nothing() {
        let nothing = Selectors {
            repositories: Some(BTreeSet::new()),
            ..Selectors::default()
        };
        let wanted = wanted(Some(APP), "code");
        assert_eq!(select([((), &nothing)], &wanted), Selected::None);
    }

    #[test]
    fn names_of_workflows_are_lines() {
        for text in ["bugfix", "Bug fix", "release/2"] {
            assert_eq!(WorkflowName::parse(text).unwrap().as_str(), text);
        }
        let long = "x".repeat(MAX_WORKFLOW + 1);
        for text in ["", " a", "a ", "a, b", "a\nb", &long] {
            assert_eq!(WorkflowName::parse(text), Err(WorkflowError), "{text:?}");
        }
    }
}
