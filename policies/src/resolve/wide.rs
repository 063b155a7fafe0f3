//! The wide scopes merged once, and one narrow scope laid over them per request.

use std::collections::btree_map::Entry as MapEntry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::list::{ScopeList, is_for, is_sealed};
use super::{Blocked, Cap, Catalog, Entry, OMITTED_NAMES};
use crate::name::SkillName;
use crate::scope::Scope;
use crate::skill::Summary;

/// Some scopes resolved against each other, in catalog order and without a cap.
///
/// It can be kept as long as the lists, the hidden names and the role that it was made from hold.
#[derive(Debug, Clone)]
pub struct WideView {
    /// Sealed entries first; then by rank and name.
    entries: Vec<Entry>,
    /// How many of `entries` are sealed.
    sealed: usize,
    /// By name, and of one name narrow to wide.
    blocked: Vec<Blocked>,
    /// Where in `entries` a name is.
    positions: HashMap<SkillName, usize>,
}

impl WideView {
    /// Resolves `wide`, narrow to wide, against each other; the first of them has rank `first_rank`.
    ///
    /// A scope that is listed twice counts once, at its first position.
    #[must_use]
    pub fn merge(
        wide: &[Arc<ScopeList>],
        first_rank: usize,
        hidden: &BTreeSet<SkillName>,
        role: Option<&str>,
    ) -> Self {
        let mut seen: Vec<&Scope> = Vec::with_capacity(wide.len());
        let mut names: BTreeMap<&SkillName, Contest<'_>> = BTreeMap::new();
        for list in wide {
            if seen.contains(&list.scope()) {
                continue;
            }
            let rank = first_rank + seen.len();
            seen.push(list.scope());
            for row in list.rows() {
                if !is_for(row, role) || is_hidden(row, hidden) {
                    continue;
                }
                match names.entry(&row.name) {
                    MapEntry::Vacant(slot) => {
                        slot.insert(Contest::new(row, rank));
                    }
                    MapEntry::Occupied(mut slot) => slot.get_mut().meet_wider(row, rank),
                }
            }
        }

        let mut blocked = Vec::new();
        let mut entries = Vec::with_capacity(names.len());
        for contest in names.into_values() {
            entries.push(contest.settle(&mut blocked));
        }
        // The sort is stable and the map gave the names in order.
        entries.sort_by_key(|entry| (!is_sealed(&entry.summary), entry.rank));
        let sealed = entries
            .iter()
            .take_while(|entry| is_sealed(&entry.summary))
            .count();
        let positions = entries
            .iter()
            .enumerate()
            .map(|(position, entry)| (entry.summary.name.clone(), position))
            .collect();
        Self {
            entries,
            sealed,
            blocked,
            positions,
        }
    }

    /// All entries, in catalog order: what a caller without a narrower scope would be offered without a cap.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }
}

fn is_hidden(row: &Summary, hidden: &BTreeSet<SkillName>) -> bool {
    row.scope == Scope::Global && !is_sealed(row) && hidden.contains(&row.name)
}

/// The skills of one name, met from narrow to wide.
struct Contest<'a> {
    winner: &'a Arc<Summary>,
    rank: usize,
    /// What the winner overrides, narrow to wide.
    shadows: Vec<Scope>,
    /// What lost to the winner although it is narrower, narrow to wide.
    beaten: Vec<Scope>,
}

impl<'a> Contest<'a> {
    fn new(winner: &'a Arc<Summary>, rank: usize) -> Self {
        Self {
            winner,
            rank,
            shadows: Vec::new(),
            beaten: Vec::new(),
        }
    }

    /// A wider one takes the name only if it is sealed, and then from everything narrower.
    fn meet_wider(&mut self, row: &'a Arc<Summary>, rank: usize) {
        if is_sealed(row) {
            self.beaten.push(self.winner.scope.clone());
            self.beaten.append(&mut self.shadows);
            self.winner = row;
            self.rank = rank;
        } else {
            self.shadows.push(row.scope.clone());
        }
    }

    fn settle(self, blocked: &mut Vec<Blocked>) -> Entry {
        blocked.extend(self.beaten.into_iter().map(|scope| Blocked {
            name: self.winner.name.clone(),
            scope,
            by: self.winner.scope.clone(),
        }));
        Entry {
            summary: Arc::clone(self.winner),
            rank: self.rank,
            shadows: self.shadows,
        }
    }
}

/// Lays one actor's scope, of rank 0, over a view of the wider ones that was merged for the same `role`.
///
/// Seals and hidden names are matters of shared scopes: those belong into the view.
///
/// Gives what [`resolve`](super::resolve()) gives for all of the scopes together, but looks only at
/// the narrow rows, as many wide entries as the catalog shows or names, and what the narrow rows override.
#[must_use]
pub fn overlay(
    narrow: Option<&ScopeList>,
    wide: &WideView,
    cap: Cap,
    role: Option<&str>,
) -> Catalog {
    let rows = narrow.map(ScopeList::rows).unwrap_or_default();
    let mut own = Vec::with_capacity(rows.len());
    // No position twice: names are unique on both sides.
    let mut overridden: Vec<usize> = Vec::with_capacity(rows.len());
    let mut blocked = Vec::new();
    for row in rows {
        if !is_for(row, role) {
            continue;
        }
        let position = wide.positions.get(&row.name).copied();
        let rival = position.and_then(|position| wide.entries.get(position));
        let mut shadows = Vec::new();
        if let (Some(position), Some(rival)) = (position, rival) {
            if is_sealed(&rival.summary) {
                blocked.push(Blocked {
                    name: row.name.clone(),
                    scope: row.scope.clone(),
                    by: rival.summary.scope.clone(),
                });
                continue;
            }
            overridden.push(position);
            shadows.reserve_exact(1 + rival.shadows.len());
            shadows.push(rival.summary.scope.clone());
            shadows.extend(rival.shadows.iter().cloned());
        }
        own.push(Entry {
            summary: Arc::clone(row),
            rank: 0,
            shadows,
        });
    }

    overridden.sort_unstable();

    let total = wide.entries.len() + own.len() - overridden.len();
    let shown = cap.get().max(wide.sealed).min(total);
    let (sealed, unsealed) = wide
        .entries
        .split_at_checked(wide.sealed)
        .unwrap_or_default();
    let rest = unsealed
        .iter()
        .zip(wide.sealed..)
        .filter(|(_, position)| overridden.binary_search(position).is_err())
        .map(|(entry, _)| entry);
    let mut in_order = sealed.iter().chain(&own).chain(rest);

    let mut entries = Vec::with_capacity(shown);
    entries.extend(in_order.by_ref().take(shown).cloned());
    let omitted = total - shown;
    let omitted_names = in_order
        .take(OMITTED_NAMES)
        .map(|entry| entry.summary.name.clone())
        .collect();
    Catalog {
        entries,
        omitted,
        omitted_names,
        blocked: join_blocked(blocked, &wide.blocked),
    }
}

/// Both are in order of names; of one name the narrow scope comes first.
fn join_blocked(narrow: Vec<Blocked>, wide: &[Blocked]) -> Vec<Blocked> {
    if narrow.is_empty() {
        return wide.to_vec();
    }
    let mut all = narrow;
    all.extend_from_slice(wide);
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}
