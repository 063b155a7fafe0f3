//! What is wrong with calls and names whatever the context: also where no situation reaches.

use super::{Checker, suggest};
use crate::template::diagnostics::Finding;
use crate::template::helpers;
use crate::template::tree::{Block, Call, Expr, ExprKind, Node};

impl<'a> Checker<'a> {
    pub(super) fn structure(&mut self, nodes: &'a [Node]) {
        for node in nodes {
            match node {
                Node::Text(_) | Node::Comment(_) => {}
                Node::Output(output) => {
                    if let ExprKind::Path(path) = &output.value.kind
                        && let [step] = path.steps.as_slice()
                        && path.base == crate::template::tree::Base::Plain
                        && (helpers::is_helper(&step.name) || step.name == "lookup")
                    {
                        self.collected.everywhere(
                            Finding::error(
                                "no-arguments",
                                output.value.span.clone(),
                                format!("`{}` is a helper, and has no arguments here.", step.name),
                            )
                            .suggest(helpers::usage(&step.name)),
                        );
                    }
                    self.call_structure(&output.value);
                }
                Node::Block(block) => self.block_structure(block),
            }
        }
    }

    fn block_structure(&mut self, block: &'a Block) {
        self.call_structure(&block.argument);
        for param in &block.params {
            if helpers::is_helper(&param.name) || helpers::RESERVED.contains(&param.name.as_str()) {
                self.collected.everywhere(
                    Finding::error(
                        "hides-helper",
                        param.span.clone(),
                        format!(
                            "The block parameter `{}` hides the helper of that name.",
                            param.name
                        ),
                    )
                    .suggest("give it another name"),
                );
            }
        }
        self.structure(&block.body);
        if let Some(otherwise) = &block.otherwise {
            self.structure(&otherwise.body);
        }
    }

    fn call_structure(&mut self, expr: &'a Expr) {
        let ExprKind::Call(call) = &expr.kind else {
            return;
        };
        self.one_call(call, expr);
        for argument in &call.arguments {
            self.call_structure(argument);
        }
    }

    fn one_call(&mut self, call: &Call, expr: &Expr) {
        let name = call.name.as_str();
        let at = call.name_span.clone();
        let finding = if name == "lookup" {
            if expr.as_path().is_some() {
                return;
            }
            Finding::error(
                "lookup",
                expr.span.clone(),
                "`lookup` takes a path and the name of a field, written as a text.",
            )
            .suggest("write the path: task.title")
        } else if matches!(name, "log" | "raw") {
            Finding::error(
                "unknown-helper",
                at,
                format!("There is no helper `{name}`."),
            )
            .suggest("leave it out")
        } else if let Some(arity) = helpers::arity(name) {
            if arity.contains(&call.arguments.len()) {
                return;
            }
            Finding::error(
                "arity",
                expr.span.clone(),
                format!("`{name}` does not take {} arguments.", call.arguments.len()),
            )
            .suggest(helpers::usage(name))
        } else {
            suggest::helper(at, name)
        };
        self.collected.everywhere(finding);
    }
}
