//! The scanner: what a reviewer of a skill should look at first.
//!
//! Its findings advise. They never refuse anything and never grant anything (design §9, threat 18); nothing is left
//! "unscanned", because what is too large to be looked at is refused elsewhere. The rules are data: those of
//! `rules.toml`, and what an operator adds or changes in a file of the same form. `docs/scanner.md` describes them.
//!
//! - [`rules`]: the form of the data, and what makes it valid;
//! - [`scanner`]: the rules, compiled; [`pass`]: the scan of one skill; [`compare`]: of one text with the rules;
//! - [`document`]: one text with its lines; [`view`] and [`fold`] make of it what patterns are compared with;
//! - [`pattern`], [`matcher`]: compiling patterns, and comparing all of them at once;
//! - [`detect`]: what is found by code, because no pattern says it;
//! - [`finding`], [`excerpt`], [`hits`]: what is reported, bounded and without secrets.

mod compare;
mod detect;
mod document;
mod excerpt;
mod finding;
mod fold;
mod hits;
mod matcher;
mod pass;
mod pattern;
mod rules;
mod scanner;
mod secret;
mod view;

#[cfg(test)]
mod tests;

pub use finding::{Finding, Findings, MAX_FINDINGS, Severity};
pub use pass::Scan;
pub use rules::RulesError;
pub use scanner::Scanner;
