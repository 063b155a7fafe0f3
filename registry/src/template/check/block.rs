//! Blocks: what their branches may take for true, and what is in scope within them.

use super::node::Flow;
use super::{Checker, Loop, Named, Scope};
use crate::template::cost::Cost;
use crate::template::diagnostics::Finding;
use crate::template::facts::{Facts, May, Outcome};
use crate::template::places::{PlaceId, Places};
use crate::template::planted::Fault;
use crate::template::tree::{Block, BlockKind, Else};
use crate::template::types::{Shape, Value};

impl<'a> Checker<'a> {
    pub(super) fn block(&mut self, block: &'a Block) -> Flow {
        self.steps = 0;
        match block.kind {
            BlockKind::If | BlockKind::Unless => self.choice(block),
            BlockKind::With | BlockKind::Each => self.scoped(block),
        }
    }

    fn choice(&mut self, block: &'a Block) -> Flow {
        self.condition = true;
        let outcome = self.outcome(&block.argument);
        self.condition = false;
        let outcome = if block.kind == BlockKind::Unless && !self.planted(Fault::UnlessNotSwapped) {
            outcome.not()
        } else {
            outcome
        };
        let own = Cost {
            steps: self.steps.saturating_add(1),
            bytes: 0,
        };
        let body = self.body(block, &outcome, None);
        let otherwise = self.otherwise(block.otherwise.as_ref(), &outcome);
        Flow {
            cost: own.then(body.cost.or(otherwise.cost)),
            numeric: body.numeric || otherwise.numeric,
        }
    }

    /// The body, within a scope of its own if there is one.
    fn body(&mut self, block: &'a Block, outcome: &Outcome, scope: Option<Scope<'a>>) -> Flow {
        self.branches.consider(block.branch, &block.span);
        if !outcome.can_be_true {
            return Flow::default();
        }
        let mark = self.places.mark();
        let mut flow = Flow::default();
        if self.places.assume(&outcome.when_true) {
            self.branches.reach(block.branch);
            let scoped = scope.is_some();
            self.scopes.extend(scope);
            flow = self.nodes(&block.body);
            if scoped {
                self.scopes.pop();
            }
        }
        if !self.planted(Fault::FactsOutliveBranch) {
            self.places.undo(mark);
        }
        flow
    }

    fn otherwise(&mut self, otherwise: Option<&'a Else>, outcome: &Outcome) -> Flow {
        let Some(otherwise) = otherwise else {
            return Flow::default();
        };
        self.branches.consider(otherwise.branch, &otherwise.span);
        let never = self.planted(Fault::ElseNeverReached) && outcome.can_be_true;
        if !outcome.can_be_false || never {
            return Flow::default();
        }
        let facts = if self.planted(Fault::ElseBelievesCondition) {
            &outcome.when_true
        } else {
            &outcome.when_false
        };
        let mark = self.places.mark();
        let mut flow = Flow::default();
        if self.places.assume(facts) {
            self.branches.reach(otherwise.branch);
            flow = self.nodes(&otherwise.body);
        }
        self.places.undo(mark);
        if self.planted(Fault::ElseCostsNothing) {
            flow.cost = Cost::default();
        }
        flow
    }

    fn scoped(&mut self, block: &'a Block) -> Flow {
        let own = Cost::NODE;
        let each = block.kind == BlockKind::Each;
        let name = block.kind.name();
        if block.argument.as_path().is_none() {
            self.report(
                Finding::error(
                    "block-argument",
                    block.argument.span.clone(),
                    format!("`{name}` takes a field of the context, and this is none."),
                )
                .suggest(format!("write such as {{{{#{name} task}}}}")),
            );
            return self.lost(block, own);
        }
        let Some(value) = self.value(&block.argument) else {
            return self.lost(block, own);
        };
        let Some(place) = value.place else {
            let written = self.written(&block.argument);
            self.report(Finding::error(
                "block-argument",
                block.argument.span.clone(),
                format!("`{name}` takes a field of the context, and `{written}` is none."),
            ));
            return self.lost(block, own);
        };
        if each {
            self.each(block, &value, place)
        } else {
            self.with(block, &value, place)
        }
    }

    /// A block whose value was refused: nothing is said about what depends on it.
    fn lost(&mut self, block: &'a Block, own: Cost) -> Flow {
        let names = block
            .params
            .iter()
            .map(|param| (param.name.as_str(), Named::Place(None)))
            .collect();
        let scope = Scope {
            place: None,
            names,
            each: Loop::Map(0),
            ambiguous: false,
        };
        let body = self.body(block, &Outcome::unknown(), Some(scope));
        let otherwise = self.otherwise(block.otherwise.as_ref(), &Outcome::unknown());
        Flow {
            cost: own.then(body.cost.or(otherwise.cost)),
            numeric: false,
        }
    }

    fn with(&mut self, block: &'a Block, value: &Value<'a>, place: PlaceId) -> Flow {
        // As handlebars.js: `with` takes 0, and takes an empty text, an empty list and false for nothing.
        let taken = if matches!(value.shape, Shape::Int) {
            May::NON_NULL
        } else {
            May::TRUTHY
        };
        let left = if matches!(value.shape, Shape::Int) {
            May::NULL
        } else {
            May::FALSY
        };
        let outcome = decided(place, value.may, taken, left);
        let names = block
            .params
            .iter()
            .map(|param| (param.name.as_str(), Named::Place(Some(place))))
            .collect();
        let scope = Scope {
            place: Some(place),
            names,
            each: self.scopes.last().map_or(Loop::None, |scope| scope.each),
            ambiguous: self.ambiguous(place),
        };
        let body = self.body(block, &outcome, Some(scope));
        let inside = self.planted(Fault::WithElseInside);
        if inside {
            self.scopes.push(Scope {
                place: Some(place),
                names: Vec::new(),
                each: Loop::None,
                ambiguous: false,
            });
        }
        let otherwise = self.otherwise(block.otherwise.as_ref(), &outcome);
        if inside {
            self.scopes.pop();
        }
        Flow {
            cost: Cost::NODE.then(body.cost.or(otherwise.cost)),
            numeric: body.numeric || otherwise.numeric,
        }
    }

    fn each(&mut self, block: &'a Block, value: &Value<'a>, place: PlaceId) -> Flow {
        let (of, max, each) = match value.shape {
            Shape::List(of, max) => (of, max, Loop::List),
            Shape::Map(of, max, key) => (of, max, Loop::Map(key)),
            shape => {
                let written = self.written(&block.argument);
                self.report(
                    Finding::error(
                        "not-a-list",
                        block.argument.span.clone(),
                        format!(
                            "`{written}` is {}, and {{{{#each}}}} takes a list or a map.",
                            shape.word()
                        ),
                    )
                    .suggest(format!(
                        "write {{{{#with {written}}}}} or {{{{#if {written}}}}}"
                    )),
                );
                return self.lost(block, Cost::NODE);
            }
        };
        let mut outcome = match each {
            // A map without entries is true to a condition, but has no turns.
            Loop::Map(_) => Outcome {
                can_be_false: true,
                ..decided(place, value.may, May::NON_NULL, May::ANYTHING)
            },
            Loop::List | Loop::None => decided(place, value.may, May::TRUTHY, May::FALSY),
        };
        if max == 0 {
            outcome.can_be_true = false;
        }
        let depth = if self.planted(Fault::ItemsShared) {
            0
        } else {
            self.scopes.len()
        };
        let item = self.places.item(place, of, depth);
        let second = match each {
            Loop::Map(key) => Named::Key(key),
            Loop::List | Loop::None => Named::Index,
        };
        let names = block
            .params
            .iter()
            .map(|param| param.name.as_str())
            .zip([Named::Place(Some(item)), second])
            .collect();
        let scope = Scope {
            place: Some(item),
            names,
            each,
            ambiguous: self.ambiguous(item),
        };
        let body = self.body(block, &outcome, Some(scope));
        if self.planted(Fault::EachElseTruthy) {
            outcome.when_false = vec![(place, May::NON_NULL)];
        }
        let otherwise = self.otherwise(block.otherwise.as_ref(), &outcome);
        let turns = body.cost.times(
            max,
            if cfg!(feature = "planted-faults") {
                self.fault
            } else {
                Fault::None
            },
        );
        Flow {
            cost: Cost::NODE.then(turns.or(otherwise.cost)),
            numeric: otherwise.numeric,
        }
    }

    /// Whether the value of a new scope may be that of the scope around it.
    fn ambiguous(&self, place: PlaceId) -> bool {
        let Some(Some(around)) = self.scopes.last().map(|scope| scope.place) else {
            return false;
        };
        let (inner, outer) = (self.places.shape(place), self.places.shape(around));
        inner.is_leaf() && outer.is_leaf() || self.places.may_be_one(place, around)
    }
}

/// A condition on a place that decides by what the value may be.
fn decided(place: PlaceId, may: May, taken: May, left: May) -> Outcome {
    let fact = |may: May| -> Facts {
        if place == Places::ROOT {
            Facts::new()
        } else {
            vec![(place, may)]
        }
    };
    Outcome {
        can_be_true: !may.and(taken).impossible(),
        can_be_false: !may.and(left).impossible(),
        when_true: fact(taken),
        when_false: fact(left),
    }
}
