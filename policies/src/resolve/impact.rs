//! What a change of one skill does to the catalog of an actor.
//!
//! Only names and places matter for that, so that nothing is copied of the skills: one actor costs about as much as
//! finding its own names in the merged wider scopes, twice.

use super::Cap;
use super::list::Row;
use super::wide::WideView;
use crate::name::SkillName;
use crate::scope::Scope;

/// The skill that changes: its content, its seal, or whether it takes part at all.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// Its name.
    pub name: &'a SkillName,
    /// Where it lives.
    pub scope: &'a Scope,
    /// Whether its content is another one afterwards.
    pub has_other_content: bool,
}

/// What an actor's catalog is made of, before or after the change.
///
/// Both sides of a comparison are of the same scopes and of the same role.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The names of the actor's own skills that take part, in order.
    pub own: &'a [&'a str],
    /// Its wider scopes, merged.
    pub wide: &'a WideView,
}

/// An entry that is not offered any more because others come before it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fallen {
    /// Its name.
    pub name: SkillName,
    /// Where it lives; none at the actor itself.
    pub scope: Option<Scope>,
}

/// What a change does to the catalog of one actor.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Effect {
    /// The skill is offered, and was not.
    pub gains: bool,
    /// The skill was offered, and is not even among the omitted any more.
    pub loses: bool,
    /// The skill is offered as before, with other content.
    pub changes: bool,
    /// A skill of this name is overridden by a narrower one, and was not.
    pub shadowed: bool,
    /// A skill of this name loses to a sealed one of a wider scope, and did not.
    pub blocked: bool,
    /// The skill takes part, but comes after the cap, and was not offered before either.
    pub omitted: bool,
    /// What was offered, is visible still, and comes after the cap now.
    pub fallen: Vec<Fallen>,
}

impl Effect {
    /// Whether the actor would notice.
    #[must_use]
    pub fn is_any(&self) -> bool {
        *self != Self::default()
    }
}

/// Compares an actor's catalog before and after a change of `subject`.
///
/// It says what [`resolve`](super::resolve()) says of both: a law holds it to a model that resolves twice and compares.
#[must_use]
pub fn effect(subject: &Subject<'_>, before: Side<'_>, after: Side<'_>, cap: Cap) -> Effect {
    let was = Outline::of(subject, before, cap);
    let is = Outline::of(subject, after, cap);
    let fallen = was
        .shown
        .iter()
        .filter(|one| !is.shown.contains(one))
        // Of all names only the subject's can have another winner, or none.
        .filter(|one| one.name != subject.name.as_str() || is.winner == Some(one.place))
        .map(|one| Fallen {
            name: SkillName::known(one.name),
            scope: match one.place {
                Place::Own => None,
                Place::Wide(list) => before.wide.scope_of(list).cloned(),
            },
        })
        .collect();
    let offered = |side: &Outline<'_>| side.standing == Standing::Offered;
    Effect {
        gains: offered(&is) && !offered(&was),
        loses: offered(&was) && is.standing == Standing::Absent,
        changes: offered(&was) && offered(&is) && subject.has_other_content,
        shadowed: is.shadows.iter().any(|scope| !was.shadows.contains(scope)),
        blocked: is.blocked.iter().any(|lost| !was.blocked.contains(lost)),
        omitted: is.standing == Standing::Omitted && was.standing == Standing::Absent,
        fallen,
    }
}

/// Which of an actor's scopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Own,
    /// By its position in the view.
    Wide(usize),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shown<'a> {
    name: &'a str,
    place: Place,
}

/// What has become of the subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It takes no part, or lost to another one of its name.
    Absent,
    Offered,
    /// It comes after the cap.
    Omitted,
}

/// A catalog without its content, and what it says of the subject's name.
struct Outline<'a> {
    /// In order.
    shown: Vec<Shown<'a>>,
    standing: Standing,
    /// Where the skill lives that won the subject's name.
    winner: Option<Place>,
    /// The scopes of what the winner of the subject's name overrides; none for the actor's own, which is the narrowest.
    shadows: Vec<&'a Scope>,
    /// What lost to the winner although it is narrower, and to which scope; none for the actor's own.
    blocked: Vec<(Option<&'a Scope>, &'a Scope)>,
}

impl<'a> Outline<'a> {
    fn of(subject: &Subject<'_>, side: Side<'a>, cap: Cap) -> Self {
        let Side { own, wide } = side;
        let name = subject.name.as_str();
        let mut offered: Vec<&'a str> = Vec::with_capacity(own.len());
        let mut overridden: Vec<usize> = Vec::new();
        for one in own {
            match wide.find(one) {
                Some(position) if wide.is_sealed_at(position) => {}
                Some(position) => {
                    overridden.push(position);
                    offered.push(one);
                }
                None => offered.push(one),
            }
        }
        overridden.sort_unstable();

        let total = wide.len() + offered.len() - overridden.len();
        let count = cap.get().max(wide.sealed()).min(total);
        let shown = Self::shown(wide, &offered, &overridden, count);

        let position = wide.find(name);
        let has_own = own.binary_search(&name).is_ok();
        let rival = position.and_then(|position| wide.row(position));
        let wins_own = has_own && !position.is_some_and(|position| wide.is_sealed_at(position));
        let winner = if wins_own {
            Some(Place::Own)
        } else {
            rival.map(|(place, _)| Place::Wide(place.list()))
        };
        let mut shadows: Vec<&'a Scope> = Vec::new();
        let mut blocked = Vec::new();
        if let Some((place, row)) = rival {
            if wins_own {
                shadows.push(row.scope());
            } else if has_own {
                blocked.push((None, row.scope()));
            }
            shadows.extend(place.shadows());
        }
        blocked.extend(
            wide.blocked_of(name)
                .map(|lost| (Some(&lost.scope), &lost.by)),
        );

        let is_winner = winner.is_some_and(|place| match place {
            Place::Own => !subject.scope.is_shared(),
            Place::Wide(list) => wide.scope_of(list) == Some(subject.scope),
        });
        let standing = match (is_winner, winner) {
            (true, Some(place)) if shown.contains(&Shown { name, place }) => Standing::Offered,
            (true, _) => Standing::Omitted,
            (false, _) => Standing::Absent,
        };
        Self {
            shown,
            standing,
            winner,
            shadows,
            blocked,
        }
    }

    /// The first `count`: sealed ones, the actor's own, then the wider ones that it does not override.
    fn shown(
        wide: &'a WideView,
        own: &[&'a str],
        overridden: &[usize],
        count: usize,
    ) -> Vec<Shown<'a>> {
        let at = |position: usize| {
            let (place, row): (_, Row<'a>) = wide.row(position)?;
            Some(Shown {
                name: row.name,
                place: Place::Wide(place.list()),
            })
        };
        let mine = own.iter().map(|name| Shown {
            name,
            place: Place::Own,
        });
        let rest = (wide.sealed()..wide.len())
            .filter(|position| overridden.binary_search(position).is_err());
        (0..wide.sealed())
            .filter_map(at)
            .chain(mine)
            .chain(rest.filter_map(at))
            .take(count)
            .collect()
    }
}
