//! How fast Vestry is, as a share of a bare axum handler on the same machine, in the same run.
//!
//! `cargo bench -p vestry-tests` starts the program `vestry` and, as another process, a bare handler that answers 4 KiB;
//! fills a world of 10 skills of an actor, 200 of its tenant and 500 global ones; and then asks each in turn, several
//! rounds, with the same generator. It prints requests a second, CPU of the server a request, and both as ratios to the
//! bare handler's. `--rounds N`, `--seconds N` and `--connections N` change the run.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "this is a program for developers: it fails loudly, and printing is its job"
)]

mod bare;
mod generator;
mod process;
mod world;

use std::time::Duration;

use generator::{Load, run};

/// One thing that is measured.
struct Case {
    name: &'static str,
    load: Load,
    is_bare: bool,
}

/// What one round of a case gave.
#[derive(Clone, Copy)]
struct Measured {
    per_second: f64,
    cpu_micros: f64,
    p50_micros: f64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.iter().any(|argument| argument == "--bare") {
        bare::serve();
        return;
    }
    let number = |name: &str, default: u64| {
        arguments
            .iter()
            .position(|argument| argument == name)
            .and_then(|at| arguments.get(at + 1))
            .map_or(default, |value| value.parse().expect("a number"))
    };
    let rounds = number("--rounds", 5);
    let seconds = Duration::from_secs(number("--seconds", 3));
    let connections = usize::try_from(number("--connections", 16)).unwrap();

    let vestry = process::Vestry::start();
    let bare = process::Bare::start();
    let world = world::fill(&vestry);
    println!(
        "machine: {} cores, {}",
        std::thread::available_parallelism().unwrap(),
        process::cpu_model()
    );
    println!(
        "world: 10 actor, 200 tenant and 500 global skills; {rounds} rounds of {} s; {connections} connections, one for publishing",
        seconds.as_secs()
    );

    let cases = [
        Case {
            name: "bare handler, 4 KiB",
            load: Load::same(bare.address, bare::request()),
            is_bare: true,
        },
        Case {
            name: "catalog, fresh offer",
            load: Load::same(vestry.address, world.catalog.clone()),
            is_bare: false,
        },
        Case {
            name: "catalog, have unchanged",
            load: Load::same(vestry.address, world.unchanged.clone()),
            is_bare: false,
        },
        Case {
            name: "load, 5 KB body",
            load: Load::same(vestry.address, world.load.clone()),
            is_bare: false,
        },
        Case {
            name: "named turns",
            load: Load::numbered(vestry.address, world.named_turn()),
            is_bare: false,
        },
        Case {
            name: "publish, sequential",
            load: Load::numbered(vestry.address, world.publish()).alone(),
            is_bare: false,
        },
    ];
    let mut results: Vec<Vec<Measured>> = cases.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for (case, measured) in cases.iter().zip(&mut results) {
            let pid = if case.is_bare { bare.id() } else { vestry.id() };
            let before = process::cpu_time(pid);
            let ran = run(&case.load, connections, seconds);
            let cpu = process::cpu_time(pid) - before;
            #[expect(clippy::cast_precision_loss, reason = "counts of a few seconds")]
            let count = ran.requests as f64;
            measured.push(Measured {
                per_second: count / ran.elapsed.as_secs_f64(),
                cpu_micros: cpu.as_secs_f64() * 1e6 / count,
                p50_micros: ran.p50.as_secs_f64() * 1e6,
            });
        }
    }
    report(&cases, &results);
}

fn report(cases: &[Case], results: &[Vec<Measured>]) {
    let bare = &results[0];
    println!(
        "{:<26}{:>12}{:>10}{:>14}{:>12}{:>14}{:>16}",
        "", "req/s", "p50 µs", "CPU µs/req", "rate ×bare", "CPU bare/×", "spread of rate"
    );
    for (case, measured) in cases.iter().zip(results) {
        let ratio = |of: fn(&Measured) -> f64| {
            median(
                measured
                    .iter()
                    .zip(bare)
                    .map(|(one, bare)| of(one) / of(bare)),
            )
        };
        let rates: Vec<f64> = measured
            .iter()
            .zip(bare)
            .map(|(one, bare)| one.per_second / bare.per_second)
            .collect();
        let low = rates.iter().copied().fold(f64::INFINITY, f64::min);
        let high = rates.iter().copied().fold(0.0, f64::max);
        println!(
            "{:<26}{:>12.0}{:>10.0}{:>14.1}{:>12.3}{:>14.3}{:>9.3}–{:.3}",
            case.name,
            median(measured.iter().map(|one| one.per_second)),
            median(measured.iter().map(|one| one.p50_micros)),
            median(measured.iter().map(|one| one.cpu_micros)),
            ratio(|one| one.per_second),
            1.0 / ratio(|one| one.cpu_micros),
            low,
            high
        );
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
