//! Templates: what is refused and why, and that what is accepted cannot fail.

mod accepted;
mod built_in;
mod cost;
mod examples;
mod exhaustive;
mod generate;
mod helpers;
mod hostile;
mod js;
mod mutants;
mod random;
mod reference;
mod refused;
pub(crate) mod rng;
mod scope;
mod soup;
mod speed;
mod text;
mod values;
mod white;
pub(crate) mod whole;
mod world;

/// Whether the long runs are wanted.
fn long() -> bool {
    std::env::var_os("VESTRY_LONG").is_some()
}
