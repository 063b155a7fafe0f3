//! Why a verdict is what it is: its conditions in their order, and which of them hold.
//!
//! Nothing here knows a rule of its own. The conditions are found by asking [`decide()`] again with facts that differ in
//! one thing: a condition is one that the verdict looks at when taking it away makes `decide` refuse by its rule, and the
//! one that is asked first is the one that refuses when two are missing.

mod catalog;
mod facts;
mod words;

use crate::action::{Action, Target};
use crate::decide::decide;
use crate::facts::Facts;
use crate::verdict::{Rule, Verdict};
use facts::{breaks, repair};

pub use catalog::{Explained, Place, explain_catalog};

/// A condition of a verdict: what its rule refuses for the want of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Condition {
    /// The rule that refuses where it does not hold.
    pub rule: Rule,
    /// Whether it holds.
    pub holds: bool,
}

impl Condition {
    /// What holds or does not, in words.
    #[must_use]
    pub fn text(&self) -> &'static str {
        words::condition(self.rule)
    }
}

/// A verdict, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The verdict.
    pub verdict: Verdict,
    /// Its conditions, in the order in which they are asked. Those after the first that does not hold are told of whoever
    /// would fulfil the ones before.
    pub conditions: Vec<Condition>,
    /// Whether the action would be allowed if all of them held.
    pub reachable: bool,
}

impl Explanation {
    /// What would be needed, in a sentence; none where nothing is.
    #[must_use]
    pub fn needed(&self) -> Option<String> {
        let missing: Vec<&str> = self
            .conditions
            .iter()
            .filter(|condition| !condition.holds)
            .map(|condition| words::needed(condition.rule))
            .collect();
        match (missing.is_empty(), self.reachable) {
            (true, _) => None,
            (false, true) => Some(format!("It needs {}.", missing.join("; and "))),
            (false, false) => Some(format!(
                "It cannot be: it needs {}.",
                missing.join("; and ")
            )),
        }
    }
}

/// More conditions than any verdict has.
const MOST: usize = 32;

/// Explains the verdict on `action`.
#[must_use]
pub fn explain(action: Action, target: &Target, facts: &Facts) -> Explanation {
    let ask = |facts: &Facts| decide(action, target, facts);
    let verdict = ask(facts);

    // What is missing, one after the other, until nothing is or nothing helps.
    let mut whole = facts.clone();
    let mut missing: Vec<Rule> = Vec::new();
    let mut reachable = false;
    for _ in 0..MOST {
        match ask(&whole) {
            Verdict::Allow(_) => {
                reachable = true;
                break;
            }
            Verdict::Review(rule) | Verdict::Deny(rule) => {
                let is_new = !missing.contains(&rule);
                if is_new {
                    missing.push(rule);
                }
                if !is_new || !repair(rule, target, &mut whole) {
                    break;
                }
            }
        }
    }

    // What is there, and is asked for.
    let mut held: Vec<(Rule, Facts)> = Vec::new();
    for &rule in Rule::ALL {
        if missing.contains(&rule) {
            continue;
        }
        let without = breaks(rule, &whole)
            .into_iter()
            .find(|without| refuses_by(ask(without), rule));
        if let Some(without) = without {
            held.push((rule, without));
        }
    }

    // The order in which they are asked: each of what is there goes before the first that it is asked before.
    let mut order: Vec<Condition> = missing
        .iter()
        .map(|&rule| Condition { rule, holds: false })
        .collect();
    for (rule, without) in held {
        let comes_first = |other: &Condition| {
            let both = breaks(other.rule, &without);
            // What no facts can break is asked after whatever refuses now.
            both.is_empty() || both.iter().any(|both| refuses_by(ask(both), rule))
        };
        let at = order.iter().position(comes_first).unwrap_or(order.len());
        order.insert(at, Condition { rule, holds: true });
    }
    Explanation {
        verdict,
        conditions: order,
        reachable,
    }
}

fn refuses_by(verdict: Verdict, rule: Rule) -> bool {
    match verdict {
        Verdict::Allow(_) => false,
        Verdict::Review(by) | Verdict::Deny(by) => by == rule,
    }
}
