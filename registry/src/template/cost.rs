//! What a template may cost at worst, from the maxima of the schema.

use super::planted::Fault;

/// Steps that a template may take at worst. A step is one node, one turn of a loop, or one item that a helper looks at.
pub const MOST_STEPS: u64 = 200_000;

/// The most that something may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// Steps.
    pub steps: u64,
    /// Bytes of output.
    pub bytes: u64,
}

impl Cost {
    pub(super) const NODE: Cost = Cost { steps: 1, bytes: 0 };

    pub(super) fn then(self, other: Cost) -> Cost {
        Cost {
            steps: self.steps.saturating_add(other.steps),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    pub(super) fn or(self, other: Cost) -> Cost {
        Cost {
            steps: self.steps.max(other.steps),
            bytes: self.bytes.max(other.bytes),
        }
    }

    /// A loop of at most so many turns, each of which is a step of its own.
    pub(super) fn times(self, turns: usize, fault: Fault) -> Cost {
        let turns = if fault == Fault::LoopsCostOnce {
            1
        } else {
            turns as u64
        };
        Cost {
            steps: self.steps.saturating_add(1).saturating_mul(turns),
            bytes: self.bytes.saturating_mul(turns),
        }
    }
}
