//! Rendering: strict, without escapes, within bounds of steps, bytes and time.

mod blocks;
mod inline;
mod meter;
mod output;

use std::time::Instant;

use handlebars::{RenderContext, Renderable};
use serde_json::Value as Json;

use super::compile::{Compiled, REGISTRY};
use super::helpers::FUNCTIONS;
use super::tree::BlockKind;
use blocks::{Choice, Each, With};
use inline::Inline;
use meter::Meter;
use output::Bounded;

/// The most bytes that a template writes in a load; what is beyond is cut.
pub const MOST_OUTPUT: usize = 256 << 10;

/// What a render may take.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Bytes of output; what is beyond is cut, with a marker at the end that counts to them.
    pub bytes: usize,
    /// When it must be done.
    pub deadline: Option<Instant>,
}

/// What a template wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// Whether its end was left out.
    pub cut: bool,
    /// The steps that it took: turns, blocks, helpers and writes.
    pub steps: u64,
}

/// A render that failed: only when the context is not of the schema that the template was checked against, or out of time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", .line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct RenderFailure {
    /// The line of the template, from 1, where that is known.
    pub line: Option<usize>,
    /// Why, in a sentence without values of the context.
    pub reason: String,
}

impl Compiled {
    /// Renders the template over a context that is valid under the schema that it was checked against.
    ///
    /// # Errors
    /// [`RenderFailure`]; nothing half-rendered is given.
    pub fn render_value(&self, context: &Json, bounds: Bounds) -> Result<Rendered, RenderFailure> {
        let context = handlebars::Context::from(context.clone());
        let meter = Meter::new(bounds.deadline);
        let mut output = Bounded::new(bounds.bytes, &meter);
        let mut scope = RenderContext::new(None);
        for (name, function) in FUNCTIONS {
            scope.register_local_helper(
                name,
                Box::new(Inline {
                    function,
                    meter: &meter,
                }),
            );
        }
        for (kind, wanted) in [(BlockKind::If, true), (BlockKind::Unless, false)] {
            scope.register_local_helper(
                kind.name(),
                Box::new(Choice {
                    wanted,
                    meter: &meter,
                }),
            );
        }
        scope.register_local_helper(BlockKind::With.name(), Box::new(With { meter: &meter }));
        scope.register_local_helper(BlockKind::Each.name(), Box::new(Each { meter: &meter }));
        let result = self
            .template
            .render(&REGISTRY, &context, &mut scope, &mut output);
        let steps = meter.steps();
        match result {
            _ if output.is_cut() => Ok(Rendered {
                text: output.finish(),
                cut: true,
                steps,
            }),
            Ok(()) => Ok(Rendered {
                text: output.finish(),
                cut: false,
                steps,
            }),
            Err(error) => Err(RenderFailure {
                line: error.line_no,
                reason: error.reason().to_string(),
            }),
        }
    }
}
