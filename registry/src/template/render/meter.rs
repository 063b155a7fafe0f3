//! Counts what a render does, and stops it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use handlebars::{RenderError, RenderErrorReason};

use crate::template::cost::MOST_STEPS;

/// The clock is asked once in so many steps.
const STEPS_A_LOOK: u64 = 128;

/// The steps of one render. The checker proves that they suffice: this is the last line.
#[derive(Debug)]
pub(super) struct Meter {
    steps: AtomicU64,
    deadline: Option<Instant>,
}

impl Meter {
    pub(super) fn new(deadline: Option<Instant>) -> Meter {
        Meter {
            steps: AtomicU64::new(0),
            deadline,
        }
    }

    pub(super) fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// One step.
    pub(super) fn tick(&self) -> Result<(), RenderError> {
        let steps = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        if steps > MOST_STEPS {
            return Err(RenderErrorReason::Other(format!(
                "rendering takes more than {MOST_STEPS} steps"
            ))
            .into());
        }
        if steps % STEPS_A_LOOK == 1
            && self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Err(RenderErrorReason::Other("rendering takes too long".into()).into());
        }
        Ok(())
    }
}
