//! Nodes in order: texts, what is written, and blocks; and the values of expressions.

use super::{Checker, suggest};
use crate::template::cost::Cost;
use crate::template::diagnostics::Finding;
use crate::template::facts::May;
use crate::template::planted::Fault;
use crate::template::tree::{Expr, ExprKind, Node, Output};
use crate::template::types::{Shape, Value};

/// What a sequence of nodes comes to.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flow {
    pub(super) cost: Cost,
    /// Whether handlebars.js may take it for a number rather than a text.
    pub(super) numeric: bool,
}

impl<'a> Checker<'a> {
    pub(super) fn nodes(&mut self, nodes: &'a [Node]) -> Flow {
        let mut flow = Flow::default();
        let mut pieces = 0;
        for node in nodes {
            let (next, span) = match node {
                Node::Text(text) => {
                    flow.cost = flow.cost.then(Cost {
                        steps: 1,
                        bytes: text.written.len() as u64,
                    });
                    pieces += usize::from(!text.written.is_empty());
                    continue;
                }
                Node::Comment(_) => continue,
                Node::Output(output) => (self.output(output), &output.span),
                Node::Block(block) => (self.block(block), &block.span),
            };
            flow.cost = flow.cost.then(next.cost);
            if next.numeric && flow.numeric && pieces == 1 {
                self.report(
                    Finding::error(
                        "numbers-add",
                        span.clone(),
                        "Two numbers with nothing between them are added by handlebars.js.",
                    )
                    .suggest("write a text or a space between them"),
                );
            }
            if pieces == 0 {
                flow.numeric = next.numeric;
            }
            pieces += 1;
        }
        flow.numeric &= pieces == 1;
        flow
    }

    fn output(&mut self, output: &'a Output) -> Flow {
        self.steps = 0;
        self.condition = false;
        let Some(value) = self.value(&output.value) else {
            return Flow {
                cost: Cost::NODE,
                numeric: false,
            };
        };
        if !value.shape.is_leaf() && !self.planted(Fault::ObjectsPrinted) {
            let written = self.written(&output.value);
            self.report(suggest::not_printable(
                output.span.clone(),
                &written,
                value.shape,
            ));
        } else if value.place.is_some() && value.may.null {
            let written = self.written(&output.value);
            self.report(
                Finding::warning("nullable-output", output.value.span.clone(), format!("`{written}` may be null, and then nothing is written."))
                    .suggest(format!("write {{{{default {written} \"none\"}}}}, or guard it with {{{{#if {written}}}}}")),
            );
        }
        let bytes = if self.planted(Fault::BytesAreCharacters) {
            value.shape.characters()
        } else {
            value.shape.bytes()
        };
        let numeric = matches!(value.shape, Shape::Int | Shape::Bool);
        Flow {
            cost: Cost {
                steps: self.steps.saturating_add(1),
                bytes,
            },
            numeric,
        }
    }

    /// A value as its author wrote it.
    pub(super) fn written(&self, expr: &Expr) -> String {
        match expr.as_path() {
            Some(path) => path.written(),
            None => crate::template::span::text(self.source, &expr.span).to_owned(),
        }
    }

    /// The value of an expression; `None` when it was refused.
    pub(super) fn value(&mut self, expr: &'a Expr) -> Option<Value<'a>> {
        if let Some(path) = expr.as_path() {
            return self.path(&path, &expr.span);
        }
        Some(match &expr.kind {
            ExprKind::Str(text) => {
                let truthy = !text.is_empty();
                let mut value = Value::of(Shape::Str(text.chars().count()));
                value.may = May {
                    falsy: !truthy,
                    truthy,
                    ..value.may
                };
                value.literal = Some(text);
                value
            }
            ExprKind::Int(number) => {
                let mut value = Value::of(Shape::Int);
                value.may = May {
                    falsy: *number == 0,
                    truthy: *number != 0,
                    ..value.may
                };
                value.number = Some(*number);
                value
            }
            ExprKind::Bool(truth) => {
                let mut value = Value::of(Shape::Bool);
                value.may = May {
                    falsy: !truth,
                    truthy: *truth,
                    ..value.may
                };
                value
            }
            ExprKind::Null => Value::of(Shape::Null),
            ExprKind::Call(call) => return self.call(call, &expr.span),
            ExprKind::Path(path) => return self.path(path, &expr.span),
        })
    }
}
