//! What the environment says about how long tests take.

/// The number in an environment variable, or the default.
#[expect(
    clippy::disallowed_methods,
    reason = "a test takes its seeds and counts from the environment, so that CI and nights differ"
)]
pub(crate) fn knob(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {text}"))
    })
}
