//! The wide scopes merged once, and one narrow scope laid over them per request.

use std::cmp::Ordering;
use std::collections::btree_map::Entry as MapEntry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::list::{Row, ScopeList};
use super::{Blocked, Cap, Catalog, Entry, OMITTED_NAMES};
use crate::name::SkillName;
use crate::scope::Scope;

/// Some scopes resolved against each other, in catalog order and without a cap.
///
/// It can be kept as long as the lists, the hidden names and the role that it was made from hold. It
/// shares the lists, and keeps of a skill only where it is.
#[derive(Debug, Clone)]
pub struct WideView {
    /// Narrow to wide.
    lists: Vec<Arc<ScopeList>>,
    /// The rank of the first of them.
    first_rank: usize,
    /// Sealed ones first; then by rank and name.
    places: Vec<Place>,
    /// How many of `places` are of sealed skills.
    sealed: usize,
    /// Positions in `places`, by the names of what is there.
    by_name: Vec<usize>,
    /// By name, and of one name narrow to wide.
    blocked: Vec<Blocked>,
}

/// Where a skill of a view is.
#[derive(Debug, Clone)]
pub(super) struct Place {
    list: usize,
    row: usize,
    /// What it overrides, narrow to wide.
    shadows: Box<[Scope]>,
}

impl Place {
    /// Which of the view's scopes it is from.
    pub(super) fn list(&self) -> usize {
        self.list
    }

    /// What it overrides, narrow to wide.
    pub(super) fn shadows(&self) -> &[Scope] {
        &self.shadows
    }
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
        let mut lists: Vec<Arc<ScopeList>> = Vec::with_capacity(wide.len());
        let mut names: BTreeMap<&str, Contest<'_>> = BTreeMap::new();
        for list in wide {
            if lists.iter().any(|seen| seen.scope() == list.scope()) {
                continue;
            }
            let at = lists.len();
            lists.push(Arc::clone(list));
            for row in list.rows() {
                if !row.is_for(role) || is_hidden(row, hidden) {
                    continue;
                }
                match names.entry(row.name) {
                    MapEntry::Vacant(slot) => {
                        slot.insert(Contest::new(row, at));
                    }
                    MapEntry::Occupied(mut slot) => slot.get_mut().meet_wider(row, at),
                }
            }
        }

        let mut blocked = Vec::new();
        // With its position in the order of names, and whether it is sealed.
        let mut settled: Vec<(usize, bool, Place)> = Vec::with_capacity(names.len());
        for (at, contest) in names.into_values().enumerate() {
            let is_sealed = contest.winner.is_sealed();
            settled.push((at, is_sealed, contest.settle(&mut blocked)));
        }
        // The sort is stable and the map gave the names in order.
        settled.sort_by_key(|(_, is_sealed, place)| (!is_sealed, place.list));
        let sealed = settled.iter().take_while(|(_, sealed, _)| *sealed).count();
        let mut by_name = vec![0; settled.len()];
        for (position, (at, ..)) in settled.iter().enumerate() {
            if let Some(slot) = by_name.get_mut(*at) {
                *slot = position;
            }
        }
        Self {
            lists,
            first_rank,
            places: settled.into_iter().map(|(.., place)| place).collect(),
            sealed,
            by_name,
            blocked,
        }
    }

    /// About how many bytes of memory it takes beside its lists.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of::<Self>()
            + self.places.len() * (size_of::<Place>() + size_of::<usize>())
            + self.blocked.len() * size_of::<Blocked>()
    }

    /// How many names there are.
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// How many of them are sealed: those come first.
    pub(super) fn sealed(&self) -> usize {
        self.sealed
    }

    /// Whether what is at this position is sealed.
    pub(super) fn is_sealed_at(&self, position: usize) -> bool {
        position < self.sealed
    }

    /// The scope of this list.
    pub(super) fn scope_of(&self, list: usize) -> Option<&Scope> {
        self.lists.get(list).map(|list| list.scope())
    }

    /// What lost this name to a sealed skill, narrow to wide.
    pub(super) fn blocked_of<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a Blocked> {
        let first = self
            .blocked
            .partition_point(|lost| lost.name.as_str() < name);
        let end = self
            .blocked
            .partition_point(|lost| lost.name.as_str() <= name);
        self.blocked.get(first..end).into_iter().flatten()
    }

    /// What is at this position in catalog order.
    pub(super) fn row(&self, position: usize) -> Option<(&Place, Row<'_>)> {
        let place = self.places.get(position)?;
        let row = self.lists.get(place.list)?.row(place.row)?;
        Some((place, row))
    }

    /// Where in `places` a name is.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let found = self.by_name.binary_search_by(|position| {
            self.row(*position)
                .map_or(Ordering::Less, |(_, row)| row.name.cmp(name))
        });
        self.by_name.get(found.ok()?).copied()
    }
}

fn is_hidden(row: Row<'_>, hidden: &BTreeSet<SkillName>) -> bool {
    *row.scope() == Scope::Global && !row.is_sealed() && hidden.contains(row.name)
}

/// The skills of one name, met from narrow to wide.
struct Contest<'a> {
    winner: Row<'a>,
    /// Which list it is from.
    list: usize,
    /// What the winner overrides, narrow to wide.
    shadows: Vec<Scope>,
    /// What lost to the winner although it is narrower, narrow to wide.
    beaten: Vec<Scope>,
}

impl<'a> Contest<'a> {
    fn new(winner: Row<'a>, list: usize) -> Self {
        Self {
            winner,
            list,
            shadows: Vec::new(),
            beaten: Vec::new(),
        }
    }

    /// A wider one takes the name only if it is sealed, and then from everything narrower.
    fn meet_wider(&mut self, row: Row<'a>, list: usize) {
        if row.is_sealed() {
            self.beaten.push(self.winner.scope().clone());
            self.beaten.append(&mut self.shadows);
            self.winner = row;
            self.list = list;
        } else {
            self.shadows.push(row.scope().clone());
        }
    }

    fn settle(self, blocked: &mut Vec<Blocked>) -> Place {
        blocked.extend(self.beaten.into_iter().map(|scope| Blocked {
            name: self.winner.skill_name(),
            scope,
            by: self.winner.scope().clone(),
        }));
        Place {
            list: self.list,
            row: self.winner.at,
            shadows: self.shadows.into_boxed_slice(),
        }
    }
}

/// What a catalog offers, before it is known whether it shows it.
#[derive(Clone, Copy)]
enum Offer<'a> {
    /// A narrow row, and what it overrides.
    Own(Row<'a>, Option<(&'a Place, Row<'a>)>),
    /// A wide one, and its rank.
    Wide(&'a Place, Row<'a>, usize),
}

impl Offer<'_> {
    fn name(self) -> SkillName {
        match self {
            Self::Own(row, _) | Self::Wide(_, row, _) => row.skill_name(),
        }
    }

    fn entry(self) -> Entry {
        match self {
            Self::Own(row, overridden) => Entry {
                summary: row.summary(),
                rank: 0,
                shadows: overridden.map_or_else(Vec::new, |(place, rival)| {
                    let mut shadows = Vec::with_capacity(1 + place.shadows.len());
                    shadows.push(rival.scope().clone());
                    shadows.extend(place.shadows.iter().cloned());
                    shadows
                }),
            },
            Self::Wide(place, row, rank) => Entry {
                summary: row.summary(),
                rank,
                shadows: place.shadows.to_vec(),
            },
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
    let count = narrow.map_or(0, ScopeList::len);
    let mut own = Vec::with_capacity(count);
    // No position twice: names are unique on both sides.
    let mut overridden: Vec<usize> = Vec::new();
    let mut blocked = Vec::new();
    for row in narrow.into_iter().flat_map(ScopeList::rows) {
        if !row.is_for(role) {
            continue;
        }
        let position = wide.find(row.name);
        let rival = position.and_then(|position| wide.row(position));
        if let (Some(position), Some((_, rival))) = (position, rival) {
            if rival.is_sealed() {
                blocked.push(Blocked {
                    name: row.skill_name(),
                    scope: row.scope().clone(),
                    by: rival.scope().clone(),
                });
                continue;
            }
            overridden.push(position);
        }
        own.push(Offer::Own(row, rival));
    }
    overridden.sort_unstable();

    let total = wide.places.len() + own.len() - overridden.len();
    let shown = cap.get().max(wide.sealed).min(total);
    let offer = |position: usize| {
        let (place, row) = wide.row(position)?;
        Some(Offer::Wide(place, row, wide.first_rank + place.list))
    };
    let sealed = (0..wide.sealed).filter_map(offer);
    let rest = (wide.sealed..wide.places.len())
        .filter(|position| overridden.binary_search(position).is_err())
        .filter_map(offer);
    let mut in_order = sealed.chain(own.iter().copied()).chain(rest);

    let mut entries = Vec::with_capacity(shown);
    entries.extend(in_order.by_ref().take(shown).map(Offer::entry));
    let omitted = total - shown;
    let omitted_names = in_order.take(OMITTED_NAMES).map(Offer::name).collect();
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
