//! Faults that the tests plant in the checker, to see that each is found. Without the feature `planted-faults` there are none.

/// A fault of the checker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "each name says what goes wrong")]
pub enum Fault {
    None,
    AndGuardsItself,
    AndFalseTakesAll,
    OrTrueTakesAll,
    NotKeepsFacts,
    ElseBelievesCondition,
    FactsOutliveBranch,
    FalsyMeansNull,
    UnlessNotSwapped,
    ItemsShared,
    ConditionsUnchecked,
    UpOneTooFew,
    WithElseInside,
    EachElseTruthy,
    EqNullSwapped,
    NeNotSwapped,
    EqFalseIsNonNull,
    EqTrueIsNothing,
    NullableNeverNull,
    ElseNeverReached,
    KeyInLists,
    ObjectsPrinted,
    ParamShadowIgnored,
    LoopsCostOnce,
    ElseCostsNothing,
    BytesAreCharacters,
    WordsUnchecked,
}

impl Fault {
    /// All but none.
    #[cfg(feature = "planted-faults")]
    pub const ALL: [Fault; 26] = [
        Fault::AndGuardsItself,
        Fault::AndFalseTakesAll,
        Fault::OrTrueTakesAll,
        Fault::NotKeepsFacts,
        Fault::ElseBelievesCondition,
        Fault::FactsOutliveBranch,
        Fault::FalsyMeansNull,
        Fault::UnlessNotSwapped,
        Fault::ItemsShared,
        Fault::ConditionsUnchecked,
        Fault::UpOneTooFew,
        Fault::WithElseInside,
        Fault::EachElseTruthy,
        Fault::EqNullSwapped,
        Fault::NeNotSwapped,
        Fault::EqFalseIsNonNull,
        Fault::EqTrueIsNothing,
        Fault::NullableNeverNull,
        Fault::ElseNeverReached,
        Fault::KeyInLists,
        Fault::ObjectsPrinted,
        Fault::ParamShadowIgnored,
        Fault::LoopsCostOnce,
        Fault::ElseCostsNothing,
        Fault::BytesAreCharacters,
        Fault::WordsUnchecked,
    ];
}
