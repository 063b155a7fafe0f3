//! Which branches are reached.

use crate::template::diagnostics::Finding;
use crate::template::span::Span;

#[derive(Debug, Clone, Default)]
struct Branch {
    span: Span,
    considered: bool,
    reached: bool,
}

/// All branches of a template, by their numbers.
#[derive(Debug)]
pub(super) struct Branches(Vec<Branch>);

impl Branches {
    pub(super) fn new(count: usize) -> Branches {
        Branches(vec![Branch::default(); count])
    }

    pub(super) fn consider(&mut self, number: usize, span: &Span) {
        if let Some(branch) = self.0.get_mut(number)
            && !branch.considered
        {
            *branch = Branch {
                span: span.clone(),
                considered: true,
                reached: false,
            };
        }
    }

    pub(super) fn reach(&mut self, number: usize) {
        if let Some(branch) = self.0.get_mut(number) {
            branch.reached = true;
        }
    }

    /// Those that no situation reaches, each once and none within another.
    pub(super) fn dead(&self) -> Vec<Finding> {
        let dead = self
            .0
            .iter()
            .filter(|branch| branch.considered && !branch.reached);
        dead.map(|branch| {
            Finding::warning(
                "dead-branch",
                branch.span.clone(),
                "What follows this tag is never written: its condition cannot be met.",
            )
            .suggest("leave it out, or mend the condition")
        })
        .collect()
    }
}
