//! Faults planted in the checker: the tables and the scopes find each.

use vestry::template::Severity;
use vestry::template::check::check_planted;
use vestry::template::planted::Fault;

use super::exhaustive::{Tally, one};
use super::scope::Scope;
use super::world::SMALL;
use super::{accepted, cost, random, refused, values};

/// What finds a fault first.
fn found_by(fault: Fault) -> Option<&'static str> {
    let check = |source: &str| check_planted(source, SMALL.world(), fault);
    let scope = Scope::new();
    let contexts = values::tiny();
    let mut tally = Tally::default();
    for number in (0..scope.count()).step_by(1_009) {
        one(&scope.template(number), fault, &contexts, 0, &mut tally);
        if !tally.wrong.is_empty() {
            return Some("the exhaustive scope");
        }
    }
    if random::found(fault, 7, 1_500).is_some() {
        return Some("random templates");
    }
    if cost::wrong(fault).is_some() {
        return Some("the costs");
    }
    if accepted::ROWS.iter().any(|(source, _)| check(source).is_err()) {
        return Some("the table of what is accepted");
    }
    let told = |source: &str, code: &str| check(source).is_err_and(|found| found.iter().any(|one| one.severity == Severity::Error && one.code == code));
    if refused::ROWS.iter().any(|(source, code, _)| !told(source, code)) {
        return Some("the table of what is refused");
    }
    None
}

#[test]
fn every_planted_fault_is_found() {
    let mut missed = Vec::new();
    for fault in Fault::ALL {
        match found_by(fault) {
            Some(by) => println!("{fault:?} is found by {by}"),
            None => missed.push(fault),
        }
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
    assert_eq!(found_by(Fault::None), None);
}
