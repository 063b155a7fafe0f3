//! Threat 19: names that are taken for one another.

use proptest::prelude::*;
use vestry_policies::SkillName;
use vestry_policies::near::{Nearness, near, nearness};

use crate::support::{config, name};

fn of(a: &str, b: &str) -> Option<Nearness> {
    nearness(&name(a), &name(b))
}

#[test]
fn look_alikes_are_near_and_why_is_said() {
    use Nearness::{Hyphens, LookAlike, Plural, Slip};
    for (a, b, why) in [
        ("refunds", "re-funds", Hyphens),
        ("data-export", "dataexport", Hyphens),
        ("da-taexport", "data-export", Hyphens),
        ("refunds", "refund5", LookAlike),
        ("payroll", "payro11", LookAlike),
        ("payroll", "pay-ro1l", LookAlike),
        ("modem", "rnodem", LookAlike),
        ("widgets", "vvidgets", LookAlike),
        ("0auth", "oauth", LookAlike),
        ("oauth2", "oauthz", LookAlike),
        ("refund", "refunds", Plural),
        ("refund-policies", "refund-policy", Plural),
        ("box-checks", "boxes-check", Plural),
        ("file-exports", "files-export", Plural),
        ("refunds", "refudns", Slip),
        ("refunds", "refnds", Slip),
        ("refunds", "refundsx", Slip),
        ("refunds", "refonds", Slip),
        ("refunds", "re-fonds", Slip),
        ("refunds", "refunds2", Slip),
    ] {
        assert_eq!(of(a, b), Some(why), "{a} {b}");
    }
}

#[test]
fn ordinary_neighbours_are_not_near() {
    for (a, b) in [
        ("refunds", "refunds"),
        ("refunds", "returns"),
        ("step-1", "step-2"),
        ("step-1", "step-10"),
        ("2026-plan", "2027-plan"),
        ("sql", "ssl"),
        ("data-export", "data-import"),
        ("tone", "style"),
        ("a", "b"),
        ("process", "procure"),
    ] {
        assert_eq!(of(a, b), None, "{a} {b}");
    }
}

#[test]
fn the_most_alike_come_first_and_no_more_than_asked_for() {
    let names = [
        "refundsx", "refund", "re-funds", "refund5", "refunds", "tone",
    ]
    .map(name);
    let found = near(&name("refunds"), &names, 3);
    let shown: Vec<_> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(shown, ["re-funds", "refund5", "refund"]);
}

/// Slips by trying all of them.
fn slips(word: &str) -> Vec<String> {
    let letters = "abcdefghijklmnopqrstuvwxyz";
    let mut all = Vec::new();
    for at in 0..=word.len() {
        let (head, tail) = word.split_at(at);
        let rest = tail.get(1..).unwrap_or_default();
        for letter in letters.chars() {
            all.push(format!("{head}{letter}{tail}"));
            if !tail.is_empty() {
                all.push(format!("{head}{letter}{rest}"));
            }
        }
        if !tail.is_empty() {
            all.push(format!("{head}{rest}"));
        }
        if tail.len() > 1 {
            let (first, rest) = tail.split_at(1);
            let (second, rest) = rest.split_at(1);
            all.push(format!("{head}{second}{first}{rest}"));
        }
    }
    all.retain(|slip| slip != word);
    all
}

proptest! {
    #![proptest_config(config())]

    /// Nearness has no direction, and nothing is near to itself.
    #[test]
    fn nearness_is_symmetric(a in "[a-e0-9]{1,6}(-[a-e0-9]{1,3}){0,2}", b in "[a-e0-9]{1,6}(-[a-e0-9]{1,3}){0,2}") {
        prop_assert_eq!(of(&a, &b), of(&b, &a));
        prop_assert_eq!(of(&a, &a), None);
    }

    /// Moving, adding or taking out hyphens is always near.
    #[test]
    fn hyphens_hide_nothing(words in prop::collection::vec("[a-z0-9]{1,5}", 2..5), cut in any::<prop::sample::Index>()) {
        let joined = words.concat();
        let at = 1 + cut.index(joined.len() - 1);
        let (head, tail) = joined.split_at(at);
        let other = format!("{head}-{tail}");
        for other in [other, joined] {
            if other != words.join("-") {
                prop_assert_eq!(of(&words.join("-"), &other), Some(Nearness::Hyphens));
            }
        }
    }

    /// A slip in a name of at least six letters is near, by whichever reason; by the slow way.
    #[test]
    fn a_slip_is_near(word in "[a-z]{6,9}", which in any::<prop::sample::Index>()) {
        let slips = slips(&word);
        let slip = which.get(&slips);
        prop_assert!(of(&word, slip).is_some(), "{} {}", word, slip);
    }

    /// Two names that are not near by any reason differ by more than one slip.
    #[test]
    fn what_is_not_near_is_no_slip(a in "[a-c]{5,6}", b in "[a-c]{5,6}") {
        let is_slip = slips(&a).contains(&b);
        let reason = of(&a, &b);
        if a != b {
            prop_assert!(!is_slip || reason.is_some());
            prop_assert!(reason != Some(Nearness::Slip) || is_slip);
        }
    }
}

#[test]
fn names_are_what_is_compared() {
    let long = "a".repeat(64);
    let longer: SkillName = name(&long);
    assert_eq!(nearness(&longer, &longer), None);
}
