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

/// Says that a test cannot run here, and why. Under CI everything that it needs is there, so there it fails.
#[expect(
    clippy::disallowed_methods,
    reason = "whether this is CI is said by the environment"
)]
#[track_caller]
pub(crate) fn skipped(reason: &str) {
    assert!(
        std::env::var("CI").as_deref() != Ok("true"),
        "not skipped under CI: {reason}"
    );
    println!("skipped: {reason}");
}

/// Whether the servers of tests use PostgreSQL, which `VESTRY_TEST_DATABASE` says.
pub(crate) fn on_postgres() -> bool {
    match std::env::var_os("VESTRY_TEST_DATABASE") {
        None => false,
        Some(name) if name == "sqlite" => false,
        Some(name) if name == "postgres" => true,
        Some(name) => panic!("VESTRY_TEST_DATABASE is sqlite or postgres, and not {name:?}"),
    }
}

/// Whether this run is on PostgreSQL, where what a test is about does not exist; then it says so.
pub(crate) fn sqlite_only(reason: &str) -> bool {
    let skips = on_postgres();
    if skips {
        println!("not on PostgreSQL: {reason}");
    }
    skips
}

/// Whether files that tests compare with are written instead.
pub(crate) fn blesses() -> bool {
    std::env::var_os("VESTRY_BLESS").is_some_and(|bless| bless == "1")
}
