//! Design §2.2 read aloud: quadratic, and without any structure to be wrong about.

use std::cmp::Reverse;
use std::sync::Arc;

use vestry_policies::resolve::{Blocked, Catalog, Entry, Query};
use vestry_policies::{Mode, Scope, SkillName, Status, Summary};

/// What [`vestry_policies::resolve()`] should give.
pub(crate) fn resolve(skills: &[Arc<Summary>], query: &Query<'_>) -> Catalog {
    let mut scopes: Vec<Scope> = Vec::new();
    for scope in query.scopes {
        if !scopes.contains(scope) {
            scopes.push(scope.clone());
        }
    }
    let rank = |row: &Summary| scopes.iter().position(|scope| *scope == row.scope).unwrap();

    let visible = visible(skills, query);
    let mut names: Vec<SkillName> = Vec::new();
    for row in &visible {
        if !names.contains(&row.name) {
            names.push(row.name.clone());
        }
    }
    names.sort();

    let mut entries = Vec::new();
    let mut blocked = Vec::new();
    for name in &names {
        let of_name: Vec<&Arc<Summary>> = scopes
            .iter()
            .flat_map(|scope| {
                visible
                    .iter()
                    .find(|row| row.name == *name && row.scope == *scope)
            })
            .collect();
        let widest_sealed = of_name.iter().rposition(|row| has_seal(row));
        let winner = widest_sealed.unwrap_or(0);
        for loser in &of_name[..winner] {
            blocked.push(Blocked {
                name: name.clone(),
                scope: loser.scope.clone(),
                by: of_name[winner].scope.clone(),
            });
        }
        entries.push(Entry {
            summary: Arc::clone(of_name[winner]),
            rank: rank(of_name[winner]),
            shadows: of_name[winner + 1..]
                .iter()
                .map(|row| row.scope.clone())
                .collect(),
        });
    }
    entries.sort_by_key(|entry| {
        (
            !has_seal(&entry.summary),
            entry.rank,
            entry.summary.name.clone(),
        )
    });

    let sealed = entries
        .iter()
        .filter(|entry| has_seal(&entry.summary))
        .count();
    let shown = query.cap.get().max(sealed).min(entries.len());
    let rest = entries.split_off(shown);
    Catalog {
        entries,
        omitted: rest.len(),
        omitted_names: rest
            .iter()
            .take(50)
            .map(|entry| entry.summary.name.clone())
            .collect(),
        blocked,
    }
}

/// The rows that take part, one for each name at each scope.
pub(crate) fn visible(skills: &[Arc<Summary>], query: &Query<'_>) -> Vec<Arc<Summary>> {
    let active: Vec<_> = skills
        .iter()
        .filter(|row| query.scopes.contains(&row.scope))
        .filter(|row| row.mode == Mode::Triggered && row.status == Status::Active)
        .collect();
    let mut visible: Vec<Arc<Summary>> = Vec::new();
    for row in &active {
        let beaten = active.iter().any(|other| {
            other.name == row.name && other.scope == row.scope && order(other) < order(row)
        });
        let for_role =
            row.roles.is_empty() || row.roles.iter().any(|role| Some(&**role) == query.role);
        let hidden = row.scope == Scope::Global && !row.sealed && query.hidden.contains(&row.name);
        if !beaten && for_role && !hidden && !visible.contains(row) {
            visible.push(Arc::clone(row));
        }
    }
    visible
}

type Order<'a> = (
    u16,
    Reverse<u32>,
    [u8; 32],
    &'a str,
    bool,
    bool,
    &'a [Arc<str>],
);

fn order(row: &Summary) -> Order<'_> {
    (
        row.source,
        Reverse(row.revision),
        row.digest.0,
        &row.description,
        row.sealed,
        row.templated,
        &row.roles,
    )
}

pub(crate) fn has_seal(row: &Summary) -> bool {
    match row.scope {
        Scope::Actor { .. } => false,
        Scope::Tenant(_) | Scope::Global => row.sealed,
    }
}
