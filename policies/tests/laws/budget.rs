//! Budgets of tokens.

use proptest::prelude::*;
use vestry_policies::resolve::{Cap, Catalog, estimate_tokens, fit_budget, resolve};
use vestry_policies::{Scope, block};

use crate::naive_catalog::has_seal;
use crate::support::{config, names, plain, sealed, skill};
use crate::world::world;

/// One entry at a time, the whole block rendered anew each time.
fn naive(mut catalog: Catalog, budget: usize) -> Catalog {
    while estimate_tokens(&block::render(&catalog.entries)) > budget {
        match catalog.entries.pop() {
            Some(last) if has_seal(&last.summary) => {
                catalog.entries.push(last);
                break;
            }
            Some(last) => {
                catalog.omitted += 1;
                catalog.omitted_names.insert(0, last.summary.name.clone());
                catalog.omitted_names.truncate(50);
            }
            None => break,
        }
    }
    catalog
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_budget_cuts_as_little_as_it_must((skills, question) in world(), budget in 0_usize..500) {
        let whole = resolve(&skills, &question.query());
        let (fitted, report) = fit_budget(whole.clone(), budget);
        prop_assert_eq!(&fitted, &naive(whole.clone(), budget));
        prop_assert_eq!(report.kept, fitted.entries.len());
        prop_assert_eq!(report.estimated_tokens, estimate_tokens(&block::render(&fitted.entries)));
        let cut: Vec<_> = whole.entries[report.kept..].iter().map(|entry| entry.summary.name.clone()).collect();
        prop_assert_eq!(report.cut, cut);
        prop_assert_eq!(
            whole.entries.iter().filter(|entry| has_seal(&entry.summary)).count(),
            fitted.entries.iter().filter(|entry| has_seal(&entry.summary)).count(),
        );
    }
}

#[test]
fn four_bytes_are_a_token() {
    assert_eq!(
        ["", "a", "abcd", "abcde", "éé", "🦀🦀"].map(estimate_tokens),
        [0, 1, 1, 2, 1, 2]
    );
}

#[test]
fn the_report_says_why() {
    let global = Scope::Global;
    let skills = [skill(&global, "b"), sealed(&global, "z")];
    let catalog = plain(&skills, &[global], Cap::default());
    let (fitted, report) = fit_budget(catalog.clone(), 10_000);
    assert_eq!(
        (names(&fitted).len(), report.reason),
        (2, "the whole catalog fits the budget")
    );
    let exact = report.estimated_tokens;
    assert_eq!(fit_budget(catalog.clone(), exact).1.kept, 2);
    let (fitted, report) = fit_budget(catalog.clone(), exact - 1);
    assert_eq!(names(&fitted), ["z"]);
    assert!(report.reason.starts_with("entries were cut"));
    let (fitted, report) = fit_budget(catalog, 0);
    assert_eq!(names(&fitted), ["z"], "a sealed one is never cut");
    assert!(report.reason.starts_with("only sealed entries are left"));
    let (_, report) = fit_budget(Catalog::default(), 0);
    assert_eq!((report.estimated_tokens, report.kept), (0, 0));
}
