//! What a value may be, and what a condition says about it.

use super::places::PlaceId;

/// What a value may still be. Sets of words are kept for enums of up to 64; beyond that every word stays possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct May {
    /// Null.
    pub(super) null: bool,
    /// Not null, but false to a condition: false, 0, an empty text or list.
    pub(super) falsy: bool,
    /// True to a condition.
    pub(super) truthy: bool,
    /// The words of an enum, by their number.
    pub(super) words: u64,
}

impl May {
    pub(super) const ANYTHING: May = May {
        null: true,
        falsy: true,
        truthy: true,
        words: u64::MAX,
    };
    pub(super) const NULL: May = May {
        null: true,
        falsy: false,
        truthy: false,
        words: u64::MAX,
    };
    pub(super) const NON_NULL: May = May {
        null: false,
        ..May::ANYTHING
    };
    pub(super) const TRUTHY: May = May {
        null: false,
        falsy: false,
        truthy: true,
        words: u64::MAX,
    };
    pub(super) const FALSY: May = May {
        null: true,
        falsy: true,
        truthy: false,
        words: u64::MAX,
    };
    pub(super) const NOTHING: May = May {
        null: false,
        falsy: false,
        truthy: false,
        words: 0,
    };

    pub(super) fn non_null(self) -> bool {
        (self.falsy || self.truthy) && self.words != 0
    }

    /// Whether there is no value left, so that what asks is never reached.
    pub(super) fn impossible(self) -> bool {
        !self.null && !self.non_null()
    }

    pub(super) fn and(self, other: May) -> May {
        May {
            null: self.null && other.null,
            falsy: self.falsy && other.falsy,
            truthy: self.truthy && other.truthy,
            words: self.words & other.words,
        }
    }

    pub(super) fn or(self, other: May) -> May {
        May {
            null: self.null || other.null,
            falsy: self.falsy || other.falsy,
            truthy: self.truthy || other.truthy,
            words: self.words | other.words,
        }
    }

    pub(super) fn can_be_true(self) -> bool {
        self.truthy && self.words != 0
    }

    pub(super) fn can_be_false(self) -> bool {
        self.null || self.falsy && self.words != 0
    }
}

/// What holds of places, each named once.
pub(super) type Facts = Vec<(PlaceId, May)>;

/// What a condition may be, and what it says when it is true and when it is false.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) can_be_true: bool,
    pub(super) can_be_false: bool,
    pub(super) when_true: Facts,
    pub(super) when_false: Facts,
}

impl Outcome {
    /// Nothing is known.
    pub(super) fn unknown() -> Outcome {
        Outcome {
            can_be_true: true,
            can_be_false: true,
            when_true: Facts::new(),
            when_false: Facts::new(),
        }
    }

    pub(super) fn not(self) -> Outcome {
        Outcome {
            can_be_true: self.can_be_false,
            can_be_false: self.can_be_true,
            when_true: self.when_false,
            when_false: self.when_true,
        }
    }

    pub(super) fn may(&self) -> May {
        May {
            null: false,
            falsy: self.can_be_false,
            truthy: self.can_be_true,
            words: u64::MAX,
        }
    }
}

/// Facts that hold together.
pub(super) fn both(mut one: Facts, other: Facts) -> Facts {
    for (place, may) in other {
        match one.iter_mut().find(|(known, _)| *known == place) {
            Some((_, known)) => *known = known.and(may),
            None => one.push((place, may)),
        }
    }
    one
}

/// Facts of which one or the other set holds.
pub(super) fn either(one: Facts, other: &Facts) -> Facts {
    one.into_iter()
        .filter_map(|(place, may)| {
            other
                .iter()
                .find(|(known, _)| *known == place)
                .map(|(_, known)| (place, may.or(*known)))
        })
        .collect()
}
