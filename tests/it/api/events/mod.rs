//! `GET /v1/events`: each change once, to those who may know it, for as long as they may.

mod ends;
mod limits;
mod proposals;
mod resume;
mod who;

use crate::harness::Told;

/// What was told, in a few words each.
fn said(told: &[Told]) -> Vec<String> {
    told.iter().map(Told::said).collect()
}
