//! The checker: proves by types, nullability and flow that a template cannot fail for any context of the schema.
//!
//! A template is checked once for each situation; what is wrong in some of them says in which.

mod block;
mod branch;
mod call;
mod collect;
mod compare;
mod condition;
mod node;
mod path;
mod structure;
mod suggest;

use std::collections::BTreeSet;
use std::sync::Arc;

use super::cost::{Cost, MOST_STEPS};
use super::diagnostics::{Diagnostics, Finding, Severity};
use super::limits;
use super::parse;
use super::places::{PlaceId, Places};
use super::planted::Fault;
use super::schema::types::{Known, Object, Situation};
use super::tree::Tree;
use super::types::Shape;
use branch::Branches;
use collect::Collected;

/// What a template is checked against.
#[derive(Debug, Clone, Copy)]
pub struct World<'a> {
    /// The context.
    pub root: &'a Object,
    /// The kinds of runs, at most 64.
    pub situations: &'a [Situation],
}

/// A template that cannot fail: made by the checker only.
#[derive(Debug, Clone)]
pub struct Checked {
    source: Arc<str>,
    tree: Tree,
    reads: BTreeSet<String>,
    warnings: Diagnostics,
    cost: Cost,
}

impl Checked {
    /// The text that was checked.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What it says.
    #[must_use]
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The paths that it reads in some situation, joined by full stops, with `*` for the items of a list or map, `people.*.name`, and `**` at the end
    /// where everything below is read: `task.**`.
    #[must_use]
    pub fn reads(&self) -> &BTreeSet<String> {
        &self.reads
    }

    /// What its author may not mean.
    #[must_use]
    pub fn warnings(&self) -> &Diagnostics {
        &self.warnings
    }

    /// What it costs at worst.
    #[must_use]
    pub fn cost(&self) -> Cost {
        self.cost
    }
}

/// Checks a template against a context and its situations.
///
/// # Errors
/// All that is wrong, warnings included.
pub fn check_in(source: &str, world: World<'_>) -> Result<Checked, Diagnostics> {
    checked(source, world, Fault::None)
}

/// Checks with a fault planted in the checker.
///
/// # Errors
/// As [`check_in`].
#[cfg(feature = "planted-faults")]
pub fn check_planted(source: &str, world: World<'_>, fault: Fault) -> Result<Checked, Diagnostics> {
    checked(source, world, fault)
}

fn checked(source: &str, world: World<'_>, fault: Fault) -> Result<Checked, Diagnostics> {
    let before = limits::before_parsing(source);
    if !before.is_empty() {
        return Err(Diagnostics::new(source, before));
    }
    let parsed = parse::parse(source);
    let mut findings = parsed.findings;
    if !parsed.sound {
        return Err(Diagnostics::new(source, findings));
    }
    let mut checker = Checker::new(source, world, &parsed.tree, fault);
    checker.structure(&parsed.tree.body);
    let cost = checker.run(&parsed.tree);
    if cost.steps > MOST_STEPS {
        checker.collected.everywhere(
            Finding::error(
                "too-costly",
                0..0,
                format!(
                    "This template may take {} steps, and at most {MOST_STEPS} are allowed.",
                    cost.steps
                ),
            )
            .suggest("nest fewer {{#each}} over long lists"),
        );
    }
    let reads = checker.places.all_read().collect();
    findings.extend(checker.collected.finish(world.situations));
    let refused = findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    let diagnostics = Diagnostics::new(source, findings);
    if refused {
        return Err(diagnostics);
    }
    Ok(Checked {
        source: source.into(),
        tree: parsed.tree,
        reads,
        warnings: diagnostics,
        cost,
    })
}

/// What a loop gives: to its own body and to `with` within it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loop {
    None,
    List,
    Map(usize),
}

/// What a block parameter names.
#[derive(Debug, Clone, Copy)]
enum Named {
    Place(Option<PlaceId>),
    Index,
    Key(usize),
}

/// A scope: what `this` is.
#[derive(Debug)]
struct Scope<'a> {
    /// `None` when its path was refused, so that nothing more is said about what is within.
    place: Option<PlaceId>,
    names: Vec<(&'a str, Named)>,
    each: Loop,
    /// Whether its value may be that of the scope around it, so that `../` means different things to different engines.
    ambiguous: bool,
}

struct Checker<'a> {
    source: &'a str,
    world: World<'a>,
    places: Places<'a>,
    scopes: Vec<Scope<'a>>,
    branches: Branches,
    collected: Collected,
    /// Steps of the value that is being checked.
    steps: u64,
    fault: Fault,
    /// Whether the value is a condition.
    condition: bool,
}

impl<'a> Checker<'a> {
    fn new(source: &'a str, world: World<'a>, tree: &Tree, fault: Fault) -> Checker<'a> {
        Checker {
            source,
            world,
            places: Places::new(world.root),
            scopes: Vec::new(),
            branches: Branches::new(tree.branches),
            collected: Collected::new(world.situations.len()),
            steps: 0,
            fault,
            condition: false,
        }
    }

    fn planted(&self, fault: Fault) -> bool {
        cfg!(feature = "planted-faults") && self.fault == fault
    }

    fn report(&mut self, finding: Finding) {
        self.collected.here(finding);
    }

    fn run(&mut self, tree: &'a Tree) -> Cost {
        let mut worst = Cost::default();
        let situations = self.world.situations;
        let none = [];
        let known = situations
            .iter()
            .map(|situation| situation.known.as_slice());
        let alone = situations.is_empty().then_some(none.as_slice());
        for (number, known) in known.chain(alone).enumerate() {
            self.collected.situation(number);
            self.places.reset();
            self.enter(known);
            self.scopes = vec![Scope {
                place: Some(Places::ROOT),
                names: Vec::new(),
                each: Loop::None,
                ambiguous: false,
            }];
            worst = worst.or(self.nodes(&tree.body).cost);
        }
        for finding in self.branches.dead() {
            self.collected.everywhere(finding);
        }
        worst
    }

    /// Takes what is known in a situation for true.
    fn enter(&mut self, known: &[(Vec<Arc<str>>, Known)]) {
        for (path, known) in known {
            let mut place = Places::ROOT;
            for step in path {
                let Shape::Object(object) = self.places.shape(place) else {
                    break;
                };
                let Some(field) = object.field(step) else {
                    break;
                };
                place = self.places.field(place, field);
            }
            let fact = compare::known(self.places.shape(place), known);
            self.places.assume(&vec![(place, fact)]);
        }
    }
}
