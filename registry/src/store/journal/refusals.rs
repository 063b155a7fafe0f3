//! Counting refusals: the first of a kind in a minute is recorded at once, its repeats together when the minute is over.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::clock::{Micros, SECOND};
use crate::store::audit::Draft;

/// How many kinds are told apart at a time and tenant; beyond it a refusal counts under its principal alone. The bound
/// is each tenant's own, so that what one does changes nothing in another's log (invariant 17).
const MAX_KINDS: usize = 10_000;
const MINUTE: i64 = 60 * SECOND;

/// What makes two refusals repeats of each other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) tenant: String,
    pub(super) principal: String,
    pub(super) acts_for: Option<String>,
    pub(super) action: &'static str,
    pub(super) target: String,
    pub(super) rule: &'static str,
    /// The offer that was to be loaded from.
    pub(super) offer: Option<String>,
}

#[derive(Debug)]
struct Count {
    minute: i64,
    recorded: bool,
    repeats: u64,
}

#[derive(Debug, Default)]
pub(super) struct Refusals(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    counts: HashMap<Key, Count>,
    /// How many of `counts` each tenant has.
    kinds: HashMap<String, usize>,
    /// Repeats of minutes that are over.
    due: Vec<(Key, u64)>,
}

impl Refusals {
    pub(super) fn count(&self, mut key: Key, now: Micros) {
        let minute = now.0.div_euclid(MINUTE);
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kinds = state.kinds.get(&key.tenant).copied().unwrap_or(0);
        if kinds >= MAX_KINDS && !state.counts.contains_key(&key) {
            "(many)".clone_into(&mut key.target);
            key.offer = None;
        }
        let State { counts, kinds, due } = &mut *state;
        if !counts.contains_key(&key) {
            *kinds.entry(key.tenant.clone()).or_default() += 1;
        }
        let count = counts.entry(key.clone()).or_insert(Count {
            minute,
            recorded: false,
            repeats: 0,
        });
        if count.minute != minute {
            if count.repeats > 0 {
                due.push((key, count.repeats));
            }
            *count = Count {
                minute,
                recorded: false,
                repeats: 1,
            };
        } else {
            count.repeats += 1;
        }
    }

    /// Takes what is to be recorded now: new kinds, and repeats of minutes that are over; all repeats when `last`.
    pub(super) fn take(&self, now: Micros, last: bool) -> Vec<(String, Draft)> {
        let minute = now.0.div_euclid(MINUTE);
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let State { counts, kinds, due } = &mut *state;
        let mut taken: Vec<(String, Draft)> = due
            .drain(..)
            .map(|(key, count)| draft(&key, count))
            .collect();
        counts.retain(|key, count| {
            let is_over = last || count.minute != minute;
            if !count.recorded || (is_over && count.repeats > 0) {
                taken.push(draft(key, count.repeats));
                count.recorded = true;
                count.repeats = 0;
            }
            if is_over && let Some(count) = kinds.get_mut(&key.tenant) {
                *count = count.saturating_sub(1);
            }
            !is_over
        });
        kinds.retain(|_, count| *count > 0);
        // A map has no order; the chain shall not depend on it.
        taken.sort_by(|(_, a), (_, b)| {
            let order = |draft: &Draft| {
                (
                    draft.principal.clone(),
                    draft.acts_for.clone(),
                    draft.action.clone(),
                    draft.target.clone(),
                    draft.rule.clone(),
                    draft.offer.clone(),
                )
            };
            order(a).cmp(&order(b))
        });
        taken
    }

    pub(super) fn is_empty(&self) -> bool {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.counts.is_empty() && state.due.is_empty()
    }
}

fn draft(key: &Key, count: u64) -> (String, Draft) {
    let Key {
        tenant,
        principal,
        acts_for,
        action,
        target,
        rule,
        offer,
    } = key.clone();
    let mut detail = serde_json::Map::new();
    detail.insert("count".to_owned(), count.into());
    (
        tenant,
        Draft {
            principal,
            acts_for,
            action: action.to_owned(),
            target,
            denied: true,
            rule: Some(rule.to_owned()),
            offer,
            detail,
            ..Draft::default()
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(tenant: &str, target: String) -> Key {
        Key {
            tenant: tenant.to_owned(),
            principal: "human:u".to_owned(),
            acts_for: None,
            action: "publish-skill",
            target,
            rule: "not-in-scope",
            offer: None,
        }
    }

    #[test]
    fn a_busy_tenant_takes_nothing_from_the_log_of_another() {
        let refusals = Refusals::default();
        for number in 0..=MAX_KINDS {
            refusals.count(key("busy", format!("tenant:t{number}")), Micros(0));
        }
        refusals.count(key("quiet", "tenant:x".to_owned()), Micros(0));
        let taken = refusals.take(Micros(0), false);
        let targets = |tenant: &str| {
            let of_tenant = taken.iter().filter(|(of, _)| of == tenant);
            of_tenant
                .map(|(_, draft)| draft.target.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(targets("quiet"), ["tenant:x"]);
        assert_eq!(targets("busy").len(), MAX_KINDS + 1);
        assert!(targets("busy").contains(&"(many)".to_owned()));
        // The minute over, everything is forgotten, and the bound is free again.
        refusals.take(Micros(MINUTE), false);
        assert!(refusals.is_empty());
        refusals.count(key("busy", "tenant:again".to_owned()), Micros(MINUTE));
        assert_eq!(
            refusals.take(Micros(MINUTE), false)[0].1.target,
            "tenant:again"
        );
    }
}
