//! Counting what a change does to many actors.

use std::collections::BTreeSet;

use super::impact::{Effect, Fallen};
use crate::id::ActorId;

/// How many actors, and how many fallen entries, are named.
pub const NAMED: usize = 20;

/// Some actors, counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Affected {
    /// How many.
    pub actors: u64,
    /// How many tenants they are of.
    pub tenants: u64,
    /// The first [`NAMED`] of them, in the order of ids; of several tenants none is named.
    pub named: Vec<ActorId>,
    /// Whether one of the tenant that is counted now is among them.
    in_tenant: bool,
}

impl Affected {
    fn add(&mut self, who: &[ActorId], actors: u64) {
        if actors == 0 {
            return;
        }
        self.actors += actors;
        if !std::mem::replace(&mut self.in_tenant, true) {
            self.tenants += 1;
        }
        self.named.extend(who.iter().take(NAMED).cloned());
        self.named.sort_unstable();
        self.named.truncate(NAMED);
    }
}

/// What a change does to those actors that were counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// Those to whom anything happens.
    pub affected: Affected,
    /// Those who are offered the skill, and were not.
    pub gains: Affected,
    /// Those who are not offered it any more.
    pub loses: Affected,
    /// Those who are offered it with other content.
    pub changes: Affected,
    /// Those for whom a skill of this name is newly overridden.
    pub shadowed: Affected,
    /// Those for whom a skill of this name newly loses to a sealed one.
    pub blocked: Affected,
    /// Those for whom it comes after the cap.
    pub omitted: Affected,
    /// Those who see something fall past the cap.
    pub past_cap: Affected,
    /// The first [`NAMED`] entries that fall, in order, each with one actor for whom it does when it is that actor's own.
    pub fallen: BTreeSet<(Fallen, Option<ActorId>)>,
}

impl Tally {
    /// Counts an effect for `actors` of one tenant, of whom `who` are the first in the order of ids: all of them, or at
    /// least [`NAMED`].
    pub fn add(&mut self, effect: &Effect, who: &[ActorId], actors: u64) {
        let past_cap = !effect.fallen.is_empty();
        for (is_so, group) in [
            (effect.is_any(), &mut self.affected),
            (effect.gains, &mut self.gains),
            (effect.loses, &mut self.loses),
            (effect.changes, &mut self.changes),
            (effect.shadowed, &mut self.shadowed),
            (effect.blocked, &mut self.blocked),
            (effect.omitted, &mut self.omitted),
            (past_cap, &mut self.past_cap),
        ] {
            if is_so {
                group.add(who, actors);
            }
        }
        if actors > 0 {
            for fallen in &effect.fallen {
                let own = if fallen.scope.is_none() {
                    who.first().cloned()
                } else {
                    None
                };
                self.fallen.insert((fallen.clone(), own));
            }
            while self.fallen.len() > NAMED {
                self.fallen.pop_last();
            }
        }
    }

    /// Says that the actors of one tenant have all been counted: the next ones are of another.
    pub fn end_of_tenant(&mut self) {
        for group in [
            &mut self.affected,
            &mut self.gains,
            &mut self.loses,
            &mut self.changes,
            &mut self.shadowed,
            &mut self.blocked,
            &mut self.omitted,
            &mut self.past_cap,
        ] {
            group.in_tenant = false;
        }
    }
}
