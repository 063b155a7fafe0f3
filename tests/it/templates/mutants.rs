//! Faults planted in the checker: the tables and the scopes find each.

use vestry::template::check::check_planted;
use vestry::template::planted::Fault;
use vestry::template::{Severity, check_in};

use super::generate::Generator;
use super::rng::Rng;
use super::scope::Scope;
use super::world::{SMALL, TINY};
use super::{accepted, cost, random, reference, refused, values};

/// Templates, and whether the checker without faults accepts each.
struct Verdicts {
    tiny: Vec<(String, bool)>,
    small: Vec<(String, bool)>,
}

impl Verdicts {
    fn new() -> Verdicts {
        let scope = Scope::new();
        let judged = |source: String, world| {
            let accepted = check_in(&source, world).is_ok();
            (source, accepted)
        };
        let tiny = (0..scope.count())
            .step_by(1_009)
            .map(|number| judged(scope.template(number), TINY.world()))
            .collect();
        let mut rng = Rng::new(7);
        let small = (0..1_500)
            .map(|_| {
                let tags = 1 + rng.below(8);
                judged(Generator::template(&mut rng, tags), SMALL.world())
            })
            .collect();
        Verdicts { tiny, small }
    }

    /// What finds a fault first: what only the faulty checker accepts must fail somewhere.
    fn found_by(&self, fault: Fault) -> Option<&'static str> {
        let contexts = values::tiny();
        for (source, _) in self.tiny.iter().filter(|(_, accepted)| !accepted) {
            let Ok(checked) = check_planted(source, TINY.world(), fault) else {
                continue;
            };
            if contexts
                .iter()
                .any(|(_, context)| reference::render(checked.tree(), context).is_err())
            {
                return Some("the exhaustive scope");
            }
        }
        let mut rng = Rng::new(8);
        for (source, _) in self.small.iter().filter(|(_, accepted)| !accepted) {
            let Ok(checked) = check_planted(source, SMALL.world(), fault) else {
                continue;
            };
            if random::wrong(&checked, None, 100, &mut rng, &mut 0).is_some() {
                return Some("random templates");
            }
        }
        if cost::wrong(fault).is_some() {
            return Some("the costs");
        }
        let check = |source: &str| check_planted(source, SMALL.world(), fault);
        if accepted::ROWS
            .iter()
            .any(|(source, _)| check(source).is_err())
        {
            return Some("the table of what is accepted");
        }
        let told = |source: &str, code: &str| {
            check(source).is_err_and(|found| {
                found
                    .iter()
                    .any(|one| one.severity == Severity::Error && one.code == code)
            })
        };
        if refused::ROWS
            .iter()
            .any(|(source, code, _)| !told(source, code))
        {
            return Some("the table of what is refused");
        }
        None
    }
}

#[test]
fn every_planted_fault_is_found() {
    let verdicts = Verdicts::new();
    let mut missed = Vec::new();
    for fault in Fault::ALL {
        match verdicts.found_by(fault) {
            Some(by) => println!("{fault:?} is found by {by}"),
            None => missed.push(fault),
        }
    }
    assert!(missed.is_empty(), "not found: {missed:?}");
    assert_eq!(verdicts.found_by(Fault::None), None);
}
