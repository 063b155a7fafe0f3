//! Why each skill is in a catalog, or is not.

use std::collections::HashMap;
use std::sync::Arc;

use crate::name::SkillName;
use crate::resolve::{Cap, Query, is_sealed, precedence, resolve, takes_part};
use crate::scope::Scope;
use crate::skill::{Mode, Status, Summary};

/// Where a skill is, or why it is not in the catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In the catalog, at this position from 1.
    Offered(usize),
    /// It would be at this position, which the cap leaves out.
    Omitted(usize),
    /// A narrower skill of the name overrides it.
    Shadowed(Scope),
    /// A sealed skill of the name, of a wider scope, keeps it out.
    Blocked(Scope),
    /// The tenant hides it.
    Hidden,
    /// It is attached to other roles than the one that was asked for.
    OtherRole,
    /// It belongs into openings.
    Ambient,
    /// Another source of the same scope has the name, and comes first.
    OtherSource,
    /// It takes no part in this state.
    Inactive(Status),
}

/// A skill, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// The skill.
    pub summary: Arc<Summary>,
    /// The position of its scope among the caller's.
    pub rank: usize,
    /// Where it is.
    pub place: Place,
}

/// Says of every skill at one of the query's scopes where it is, by name and then narrow to wide.
///
/// What is offered, omitted, shadowed and blocked is read off what [`resolve()`] gives for the same query.
#[must_use]
pub fn explain_catalog(skills: &[Arc<Summary>], query: &Query<'_>) -> Vec<Explained> {
    let catalog = resolve(skills, query);
    let shown = catalog.entries.len();
    let whole = resolve(
        skills,
        &Query {
            cap: Cap::UNLIMITED,
            ..*query
        },
    );
    let winners: HashMap<&SkillName, (usize, &Scope)> = whole
        .entries
        .iter()
        .enumerate()
        .map(|(at, entry)| (&entry.summary.name, (at + 1, &entry.summary.scope)))
        .collect();
    let blocked: HashMap<(&SkillName, &Scope), &Scope> = whole
        .blocked
        .iter()
        .map(|blocked| ((&blocked.name, &blocked.scope), &blocked.by))
        .collect();
    let first = first_of_each(skills);

    let mut explained: Vec<Explained> = Vec::new();
    for (at, summary) in skills.iter().enumerate() {
        let Some(rank) = query.scopes.iter().position(|one| *one == summary.scope) else {
            continue;
        };
        let key = (&summary.name, &summary.scope);
        let place = if summary.status != Status::Active {
            Place::Inactive(summary.status)
        } else if summary.mode == Mode::Ambient {
            Place::Ambient
        } else if first.get(&key).is_some_and(|first| *first != at) {
            Place::OtherSource
        } else if let Some(by) = blocked.get(&key) {
            Place::Blocked((*by).clone())
        } else {
            match winners.get(&summary.name) {
                _ if !is_for(summary, query.role) => Place::OtherRole,
                _ if is_hidden(summary, query) => Place::Hidden,
                Some((position, scope)) if **scope == summary.scope => {
                    if *position <= shown {
                        Place::Offered(*position)
                    } else {
                        Place::Omitted(*position)
                    }
                }
                Some((_, scope)) => Place::Shadowed((*scope).clone()),
                // What takes part is offered, or lost to something that is.
                None => Place::Hidden,
            }
        };
        explained.push(Explained {
            summary: Arc::clone(summary),
            rank,
            place,
        });
    }
    explained.sort_by(|a, b| {
        (&a.summary.name, a.rank)
            .cmp(&(&b.summary.name, b.rank))
            .then_with(|| precedence(&a.summary, &b.summary))
    });
    explained
}

/// Of each name at each scope, which of the rows that take part counts.
fn first_of_each(skills: &[Arc<Summary>]) -> HashMap<(&SkillName, &Scope), usize> {
    let mut first: HashMap<(&SkillName, &Scope), usize> = HashMap::new();
    for (at, summary) in skills.iter().enumerate() {
        if !takes_part(summary) {
            continue;
        }
        let known = first.entry((&summary.name, &summary.scope)).or_insert(at);
        if let Some(other) = skills.get(*known)
            && precedence(summary, other).is_lt()
        {
            *known = at;
        }
    }
    first
}

fn is_for(summary: &Summary, role: Option<&str>) -> bool {
    summary.roles.is_empty()
        || role.is_some_and(|role| summary.roles.iter().any(|one| &**one == role))
}

fn is_hidden(summary: &Summary, query: &Query<'_>) -> bool {
    summary.scope == Scope::Global && !is_sealed(summary) && query.hidden.contains(&summary.name)
}
