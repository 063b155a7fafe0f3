//! Cutting a catalog to a budget of tokens.

use super::{Catalog, Entry, OMITTED_NAMES};
use crate::block;
use crate::name::SkillName;

/// Estimates how many tokens a model reads a text as: a token for every four bytes of UTF-8, rounded up.
///
/// It is an estimate: tokenizers differ and none is consulted. Four bytes a token is close for
/// English; text in other scripts takes more bytes a character, which the estimate counts.
#[must_use]
pub fn estimate_tokens(text: &str) -> usize {
    tokens_of_bytes(text.len())
}

fn tokens_of_bytes(bytes: usize) -> usize {
    bytes.div_ceil(4)
}

/// What a budget did to a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BudgetReport {
    /// The budget.
    pub budget: usize,
    /// The estimate for the block of what was kept.
    pub estimated_tokens: usize,
    /// How many entries were kept.
    pub kept: usize,
    /// The entries that were cut, in catalog order.
    pub cut: Vec<SkillName>,
    /// Why, in words.
    pub reason: &'static str,
}

const FITS: &str = "the whole catalog fits the budget";
const CUT: &str = "entries were cut from the end of the catalog until its block fitted the budget";
const SEALED: &str =
    "only sealed entries are left, which are never cut, and their block alone is over the budget";

/// Cuts entries from the end until the rendered block fits `budget`; never sealed ones.
///
/// What is cut counts as omitted, before what was omitted already.
#[must_use]
pub fn fit_budget(mut catalog: Catalog, budget: usize) -> (Catalog, BudgetReport) {
    let lines: Vec<usize> = catalog
        .entries
        .iter()
        .map(|entry| block::line(entry).len())
        .collect();
    let never_cut = catalog
        .entries
        .iter()
        .take_while(|entry| entry.is_sealed())
        .count();

    let mut kept = catalog.entries.len();
    let mut bytes: usize = lines.iter().sum();
    for line in lines.iter().skip(never_cut).rev() {
        if tokens_of_block(kept, bytes) <= budget {
            break;
        }
        kept -= 1;
        bytes -= line;
    }
    let estimated_tokens = tokens_of_block(kept, bytes);

    let cut: Vec<SkillName> = catalog
        .entries
        .split_off(kept)
        .iter()
        .map(name_of)
        .collect();
    let reason = match (estimated_tokens <= budget, cut.is_empty()) {
        (false, _) => SEALED,
        (true, true) => FITS,
        (true, false) => CUT,
    };
    catalog.omitted += cut.len();
    catalog.omitted_names = cut
        .iter()
        .cloned()
        .chain(catalog.omitted_names)
        .take(OMITTED_NAMES)
        .collect();
    let report = BudgetReport {
        budget,
        estimated_tokens,
        kept,
        cut,
        reason,
    };
    (catalog, report)
}

fn name_of(entry: &Entry) -> SkillName {
    entry.summary.name.clone()
}

/// The estimate for a block of `entries` lines that have `bytes` together; without entries there is no block.
fn tokens_of_block(entries: usize, bytes: usize) -> usize {
    if entries == 0 {
        0
    } else {
        tokens_of_bytes(block::HEADER.len() + bytes + block::FOOTER.len())
    }
}
