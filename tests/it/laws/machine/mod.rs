//! The whole server over HTTP against a naive model (invariants 7 to 13, 15, 16 and 20).
//!
//! A run is a list of operations, so that a failure shrinks to the shortest list that fails. After every operation the
//! catalogs of everyone, a listing, and the history of what was touched are compared; at the end the audit log.
//!
//! `VESTRY_CASES` multiplies the number of runs, `VESTRY_SEED` chooses others.

mod cast;
mod driver;
mod model;
mod ops;

use std::cell::Cell;

use proptest::test_runner::{Config, RngSeed, TestError, TestRunner};

use crate::harness::knob;
use driver::Driver;

/// How many runs a normal test does, and how long they are at most.
const RUNS: u32 = 40;
const LENGTH: usize = 60;

#[test]
fn the_server_does_what_the_model_does() {
    let runs = RUNS * u32::try_from(knob("VESTRY_CASES", 1)).unwrap();
    let seed = knob("VESTRY_SEED", 20_270_115);
    println!("{runs} runs, seed {seed}");
    let config = Config {
        cases: runs,
        failure_persistence: None,
        max_shrink_iters: 200,
        max_shrink_time: 60_000,
        rng_seed: RngSeed::Fixed(seed),
        ..Config::default()
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let done = Cell::new((0_usize, 0_usize));
    let outcome = TestRunner::new(config).run(&ops::run(LENGTH), |run| {
        runtime.block_on(async {
            let mut driver = Driver::start().await;
            for op in &run {
                driver.step(op).await;
            }
            driver.finish().await;
            let (operations, effects) = done.get();
            done.set((operations + run.len(), effects + driver.effects()));
        });
        Ok(())
    });
    if let Err(TestError::Fail(why, run)) = outcome {
        panic!("seed {seed}: {why}\nafter {run:#?}");
    }
    outcome.unwrap();
    let (operations, effects) = done.get();
    println!("{operations} operations, {effects} of them changed something");
    assert!(
        effects * 5 > operations,
        "the runs do too little: {effects} effects of {operations} operations"
    );
}
