//! Issue 8, A: selection does not depend on order, and substitution is one pass, against models that are written naively.

use std::collections::BTreeSet;

use proptest::prelude::*;
use vestry_policies::prompt::{
    ContextKey, PromptRole, Repository, Selected, Selectors, Standing, Wanted, WorkflowName,
    is_blank, render, select, select_under_seals,
};

use crate::support::config;

const WORKFLOWS: [&str; 3] = ["bugfix", "release", "Bugfix"];
const REPOSITORIES: [&str; 3] = [
    "github.com/acme/app",
    "github.com/acme/web",
    "gitlab.com/acme/app",
];
const FORMS: [fn(&str) -> String; 4] = [
    |path| format!("https://{path}.git"),
    |path| path.to_uppercase(),
    |path| format!("git@{}", path.replacen('/', ":", 1)),
    |path| format!("ssh://me@{}", path.replacen('/', ":22/", 1)),
];
const ROLES: [&str; 3] = ["review", "plan", "code"];

/// A template, by positions in the tables above.
#[derive(Debug, Clone)]
struct Template {
    workflows: Option<Vec<usize>>,
    repositories: Option<Vec<(usize, usize)>>,
    roles: Option<Vec<usize>>,
}

fn template() -> impl Strategy<Value = Template> {
    let some = || prop::option::of(prop::collection::vec(0_usize..3, 1..3));
    let repositories = prop::option::of(prop::collection::vec((0_usize..3, 0_usize..4), 1..3));
    (some(), repositories, some()).prop_map(|(workflows, repositories, roles)| Template {
        workflows,
        repositories,
        roles,
    })
}

fn selectors(template: &Template) -> Selectors {
    let workflow = |at: &usize| WorkflowName::parse(WORKFLOWS[*at]).unwrap();
    let repository =
        |(at, form): &(usize, usize)| Repository::parse(&FORMS[*form](REPOSITORIES[*at])).unwrap();
    let role = |at: &usize| PromptRole::parse(ROLES[*at]).unwrap();
    Selectors {
        workflows: template
            .workflows
            .as_ref()
            .map(|all| all.iter().map(workflow).collect()),
        repositories: template
            .repositories
            .as_ref()
            .map(|all| all.iter().map(repository).collect()),
        roles: template
            .roles
            .as_ref()
            .map(|all| all.iter().map(role).collect::<BTreeSet<_>>()),
    }
}

/// What is selected, by the words of the issue: of those that match, the most specific, if there is one.
fn naive(
    templates: &[Template],
    workflow: usize,
    repository: Option<usize>,
    role: usize,
    primary: usize,
) -> Vec<usize> {
    let mut found: Vec<(usize, u8)> = Vec::new();
    for (number, template) in templates.iter().enumerate() {
        let matches_workflow = match &template.workflows {
            None => true,
            Some(all) => all.contains(&workflow),
        };
        let matches_repository = match (&template.repositories, repository) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(all), Some(at)) => all.iter().any(|(one, _)| *one == at),
        };
        let matches_role = match &template.roles {
            None => role == primary,
            Some(all) => all.contains(&role),
        };
        if matches_workflow && matches_repository && matches_role {
            let points =
                2 * u8::from(template.repositories.is_some()) + u8::from(template.roles.is_some());
            found.push((number, points));
        }
    }
    let most = found.iter().map(|(_, points)| *points).max();
    let best = found
        .into_iter()
        .filter(|(_, points)| Some(*points) == most);
    best.map(|(number, _)| number).collect()
}

/// A piece of a template, and what it becomes.
#[derive(Debug, Clone)]
enum Piece {
    Text(String),
    Key(usize),
    Unknown,
    Spaced(usize),
}

const KEYS: [&str; 4] = ["a", "b_2", "feedback", "x.y-z"];

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        "[a-z }\n]{0,6}".prop_map(Piece::Text),
        (0_usize..4).prop_map(Piece::Key),
        Just(Piece::Unknown),
        (0_usize..4).prop_map(Piece::Spaced),
    ]
}

/// Values that look like placeholders, or complete one that they stand beside.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ \t\n]{0,2}",
        "[a-z{}]{1,8}",
        (0_usize..4).prop_map(|at| format!("{{{{{}}}}}", KEYS[at])),
        Just("{{".to_owned()),
        Just("{{unknown}}".to_owned()),
    ]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_unique_most_specific_is_selected_in_any_order(
        templates in prop::collection::vec(template(), 0..7),
        order in any::<prop::sample::Index>(),
        workflow in 0_usize..3,
        repository in prop::option::of(0_usize..3),
        form in 0_usize..4,
        role in 0_usize..3,
        primary in 0_usize..3,
    ) {
        let wanted = Wanted {
            workflow: WorkflowName::parse(WORKFLOWS[workflow]).unwrap(),
            repository: repository.map(|at| Repository::parse(&FORMS[form](REPOSITORIES[at])).unwrap()),
            role: PromptRole::parse(ROLES[role]).unwrap(),
            primary: PromptRole::parse(ROLES[primary]).unwrap(),
        };
        let mut all: Vec<(usize, Selectors)> = templates.iter().map(selectors).enumerate().collect();
        let expected = naive(&templates, workflow, repository, role, primary);
        let turns = if all.is_empty() { 1 } else { 2 };
        for turn in 0..turns {
            let selected = select(all.iter().map(|(number, selectors)| (*number, selectors)), &wanted);
            let mut found = match selected {
                Selected::None => Vec::new(),
                Selected::One(number) => vec![number],
                Selected::Several(numbers) => {
                    prop_assert!(numbers.len() > 1);
                    numbers
                }
            };
            found.sort_unstable();
            prop_assert_eq!(&found, &expected);
            if turn == 0 && !all.is_empty() {
                let at = order.index(all.len());
                all.rotate_left(at);
                all.reverse();
            }
        }
    }

    /// Whoever takes every template away that is narrower than the widest sealed one is left with what is selected.
    #[test]
    fn what_is_narrower_than_a_seal_might_as_well_not_be_there(
        templates in prop::collection::vec((template(), 0_usize..4, prop::bool::weighted(0.3)), 0..7),
        workflow in 0_usize..3,
        repository in prop::option::of(0_usize..3),
        role in 0_usize..3,
    ) {
        let wanted = Wanted {
            workflow: WorkflowName::parse(WORKFLOWS[workflow]).unwrap(),
            repository: repository.map(|at| Repository::parse(REPOSITORIES[at]).unwrap()),
            role: PromptRole::parse(ROLES[role]).unwrap(),
            primary: PromptRole::parse(ROLES[role]).unwrap(),
        };
        let all: Vec<(usize, Standing, Selectors)> = templates
            .iter()
            .enumerate()
            .map(|(number, (template, width, sealed))| {
                (number, Standing { width: *width, sealed: *sealed }, selectors(template))
            })
            .collect();
        let mut left = all.clone();
        for (_, standing, of_sealed) in &all {
            if standing.sealed && of_sealed.matches(&wanted) {
                left.retain(|(_, other, _)| other.width >= standing.width);
            }
        }
        let expected = select(left.iter().map(|(number, _, selectors)| (*number, selectors)), &wanted);
        let selected = select_under_seals(
            all.iter().map(|(number, standing, selectors)| (*number, *standing, selectors)),
            &wanted,
        );
        prop_assert_eq!(selected, expected);
    }

    #[test]
    fn substitution_is_one_pass(
        pieces in prop::collection::vec(piece(), 0..10),
        values in prop::collection::vec(value(), 4),
    ) {
        let context: Vec<(ContextKey, String)> = KEYS
            .iter()
            .zip(&values)
            .map(|(key, value)| (ContextKey::parse(key).unwrap(), value.clone()))
            .collect();
        let (mut template, mut expected, mut used) = (String::new(), String::new(), BTreeSet::new());
        let mut has_unknown = false;
        for piece in &pieces {
            match piece {
                Piece::Text(text) => {
                    template.push_str(text);
                    expected.push_str(text);
                }
                Piece::Key(at) => {
                    template.push_str(&format!("{{{{{}}}}}", KEYS[*at]));
                    if !is_blank(&values[*at]) {
                        expected.push_str(&values[*at]);
                    }
                    used.insert(*at);
                }
                Piece::Unknown => {
                    template.push_str("{{unknown}}");
                    expected.push_str("{{unknown}}");
                    has_unknown = true;
                }
                Piece::Spaced(at) => {
                    let text = format!("{{{{ {} }}}}", KEYS[*at]);
                    template.push_str(&text);
                    expected.push_str(&text);
                }
            }
        }
        let left: Vec<usize> = (0..4).filter(|at| !used.contains(at) && !is_blank(&values[*at])).collect();
        let rendered = render(&template, &context, None).unwrap();
        if !left.is_empty() {
            let mut text = expected.trim_end_matches([' ', '\t', '\r', '\n']).to_owned();
            if !text.is_empty() {
                text.push_str("\n\n");
            }
            text.push_str("## Context");
            for at in &left {
                let value = values[*at].trim_end_matches([' ', '\t', '\r', '\n']);
                text.push_str(&format!("\n\n### {}\n\n{value}", KEYS[*at]));
            }
            text.push('\n');
            expected = text;
        }
        prop_assert_eq!(&rendered.text, &expected);
        prop_assert_eq!(rendered.unknown, if has_unknown { vec!["unknown".to_owned()] } else { Vec::new() });
        let names: Vec<&str> = left.iter().map(|at| KEYS[*at]).collect();
        prop_assert_eq!(rendered.appended, names);
    }

    #[test]
    fn any_text_is_rendered(template in "[{}a-c .\n]{0,40}", value in ".{0,12}") {
        let context = [(ContextKey::parse("a").unwrap(), value)];
        let rendered = render(&template, &context, Some("inline")).unwrap();
        prop_assert!(rendered.text.len() <= template.len() * 48 + 64);
        let _ = Repository::parse(&template);
    }
}
