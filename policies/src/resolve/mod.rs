//! How the skills of several scopes become one capped catalog.
//!
//! [`resolve()`] is the rule in its general form: any rows, any number of scopes. A server that
//! answers many turns keeps a [`ScopeList`] per scope and a [`WideView`] of what the scopes of a
//! tenant have in common, and calls [`overlay`] per turn; both ways give the same catalog.

mod budget;
mod cap;
mod impact;
mod list;
mod public;
mod tally;
mod wide;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::name::SkillName;
use crate::scope::Scope;
use crate::skill::Summary;

pub use budget::{BudgetReport, estimate_tokens, fit_budget};
pub use cap::{Cap, CapError, DEFAULT_CAP, MAX_CAP};
pub use impact::{Effect, Fallen, Side, Subject, effect};
pub use list::{ListedRow, ScopeList};
pub(crate) use list::{is_sealed, precedence, takes_part};
pub use public::is_public;
pub use tally::{Affected, NAMED, Tally};
pub use wide::{WideView, overlay};

/// How many of the omitted skills a catalog names.
pub const OMITTED_NAMES: usize = 50;

/// What a catalog is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// The caller's scopes, narrowest first. One that is listed twice counts once, at its first position.
    pub scopes: &'a [Scope],
    /// The most entries, not counting sealed ones beyond it.
    pub cap: Cap,
    /// The role that the agent is deployed as.
    pub role: Option<&'a str>,
    /// The global skills that the caller's tenant hides; sealed ones are offered nevertheless.
    pub hidden: &'a BTreeSet<SkillName>,
}

/// A skill that is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The skill.
    pub summary: Arc<Summary>,
    /// The position of its scope among the caller's.
    pub rank: usize,
    /// The scopes of the skills that it overrides, narrow to wide.
    pub shadows: Vec<Scope>,
}

impl Entry {
    /// Whether the skill is sealed in effect; a seal on an actor's skill has none.
    #[must_use]
    pub fn is_sealed(&self) -> bool {
        list::is_sealed(&self.summary)
    }
}

/// A skill that lost to a sealed one of a wider scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// The name of both.
    pub name: SkillName,
    /// Where the loser lives.
    pub scope: Scope,
    /// Where the sealed winner lives.
    pub by: Scope,
}

/// What resolution makes of the skills visible to a caller.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Catalog {
    /// What is offered: sealed entries first, then by rank and name.
    pub entries: Vec<Entry>,
    /// How many more there are.
    pub omitted: usize,
    /// The first [`OMITTED_NAMES`] of those, in the same order.
    pub omitted_names: Vec<SkillName>,
    /// The narrower skills that lost to sealed ones, by name and then narrow to wide.
    pub blocked: Vec<Blocked>,
}

/// Resolves `skills`, in any order, for one caller.
#[must_use]
pub fn resolve(skills: &[Arc<Summary>], query: &Query<'_>) -> Catalog {
    let mut by_scope: HashMap<&Scope, Vec<Arc<Summary>>> = query
        .scopes
        .iter()
        .map(|scope| (scope, Vec::new()))
        .collect();
    for skill in skills {
        if let Some(rows) = by_scope.get_mut(&skill.scope) {
            rows.push(Arc::clone(skill));
        }
    }
    // A scope that is listed twice is found at its first position only.
    let lists: Vec<Arc<ScopeList>> = query
        .scopes
        .iter()
        .filter_map(|scope| by_scope.remove(scope).map(|rows| (scope, rows)))
        .map(|(scope, rows)| Arc::new(ScopeList::new(scope.clone(), rows)))
        .collect();
    let view = WideView::merge(&lists, 0, query.hidden, query.role);
    overlay(None, &view, query.cap, query.role)
}
