//! Conditions: whether they may be true or false, and what they say in either case.

use super::Checker;
use crate::template::facts::{self, May, Outcome};
use crate::template::places::Places;
use crate::template::planted::Fault;
use crate::template::tree::{Call, Expr, ExprKind};

impl<'a> Checker<'a> {
    pub(super) fn outcome(&mut self, expr: &'a Expr) -> Outcome {
        if let ExprKind::Call(call) = &expr.kind {
            match call.name.as_str() {
                "eq" | "ne" | "and" | "or" | "not" => return self.logic(call, &expr.span),
                _ => {}
            }
        }
        let Some(value) = self.value(expr) else {
            return Outcome::unknown();
        };
        let mut outcome = Outcome {
            can_be_true: value.may.can_be_true(),
            can_be_false: value.may.can_be_false(),
            when_true: Vec::new(),
            when_false: Vec::new(),
        };
        if let Some(place) = value.place.filter(|place| *place != Places::ROOT) {
            outcome.when_true = vec![(place, May::TRUTHY)];
            outcome.when_false = vec![(
                place,
                if self.planted(Fault::FalsyMeansNull) {
                    May::NULL
                } else {
                    May::FALSY
                },
            )];
        }
        if self.planted(Fault::NullableNeverNull) && value.may.truthy && !value.may.falsy {
            outcome.can_be_false = false;
        }
        outcome
    }

    /// `eq`, `ne`, `and`, `or` and `not`: the helpers that say something about their arguments.
    pub(super) fn logic(&mut self, call: &'a Call, span: &crate::template::span::Span) -> Outcome {
        self.steps = self.steps.saturating_add(1);
        match (call.name.as_str(), call.arguments.as_slice()) {
            ("not", [argument]) => {
                let outcome = self.outcome(argument);
                if self.planted(Fault::NotKeepsFacts) {
                    return Outcome {
                        can_be_true: outcome.can_be_false,
                        can_be_false: outcome.can_be_true,
                        ..outcome
                    };
                }
                outcome.not()
            }
            ("eq", [one, other]) => self.equal(one, other, span),
            ("ne", [one, other]) => {
                let equal = self.equal(one, other, span);
                if self.planted(Fault::NeNotSwapped) {
                    equal
                } else {
                    equal.not()
                }
            }
            ("and", arguments) => {
                let outcomes = self.arguments(arguments);
                all(outcomes, self.planted(Fault::AndFalseTakesAll))
            }
            ("or", arguments) => {
                let outcomes = self
                    .arguments(arguments)
                    .into_iter()
                    .map(Outcome::not)
                    .collect();
                all(outcomes, self.planted(Fault::OrTrueTakesAll)).not()
            }
            _ => Outcome::unknown(),
        }
    }

    /// Each argument in the state before the helper: `and` guards nothing within itself.
    fn arguments(&mut self, arguments: &'a [Expr]) -> Vec<Outcome> {
        let mark = self.places.mark();
        let mut outcomes = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let outcome = self.outcome(argument);
            if self.planted(Fault::AndGuardsItself) {
                self.places.assume(&outcome.when_true);
            }
            outcomes.push(outcome);
        }
        self.places.undo(mark);
        outcomes
    }
}

/// True when all are: then all facts of all hold; when false, those that hold whichever is false.
fn all(outcomes: Vec<Outcome>, take_all: bool) -> Outcome {
    let can_be_true = outcomes.iter().all(|outcome| outcome.can_be_true);
    let can_be_false = outcomes.iter().any(|outcome| outcome.can_be_false);
    let mut when_true = Vec::new();
    let mut when_false: Option<facts::Facts> = None;
    for outcome in outcomes {
        when_true = facts::both(when_true, outcome.when_true);
        if outcome.can_be_false {
            when_false = Some(match when_false {
                None => outcome.when_false,
                Some(known) if take_all => facts::both(known, outcome.when_false),
                Some(known) => facts::either(known, &outcome.when_false),
            });
        }
    }
    Outcome {
        can_be_true,
        can_be_false,
        when_true,
        when_false: when_false.unwrap_or_default(),
    }
}
