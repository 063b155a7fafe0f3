//! The cap: how many entries a catalog offers.

/// The cap of a request that names none.
pub const DEFAULT_CAP: usize = 20;

/// The largest cap that a tenant can permit.
pub const MAX_CAP: usize = 200;

/// A validated cap.
///
/// Only whole numbers from 1 to the tenant's maximum become one: the original read −1 as "all but
/// one" and 0 as "none", and neither is what a caller means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cap(usize);

/// Why a number is not a cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a cap is a whole number from 1 to {max}, not {value}")]
pub struct CapError {
    /// The number that was asked for.
    pub value: i64,
    /// The largest cap that would have been accepted.
    pub max: usize,
}

impl Cap {
    /// No cap: for the listing that a human sees, never for an offer.
    pub const UNLIMITED: Self = Self(usize::MAX);

    /// Accepts 1 to `max_cap`, and never more than [`MAX_CAP`].
    ///
    /// # Errors
    /// [`CapError`] for every other number.
    pub fn new(value: i64, max_cap: usize) -> Result<Self, CapError> {
        let max = max_cap.min(MAX_CAP);
        match usize::try_from(value) {
            Ok(cap) if (1..=max).contains(&cap) => Ok(Self(cap)),
            _ => Err(CapError { value, max }),
        }
    }

    /// The cap of a request that names none: [`DEFAULT_CAP`], or the tenant's maximum if that is smaller.
    #[must_use]
    pub fn default_within(max_cap: usize) -> Self {
        Self(max_cap.clamp(1, DEFAULT_CAP))
    }

    /// The number.
    #[must_use]
    pub fn get(self) -> usize {
        self.0
    }
}

impl Default for Cap {
    fn default() -> Self {
        Self(DEFAULT_CAP)
    }
}
