//! What is measured, how, and how it is told.

use std::time::Duration;

use crate::generator::{Ran, run, run_alone};
use crate::process;
use crate::request::Load;

/// How a case is asked.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The bare handler.
    Bare,
    /// On as many connections as the run is set to.
    Usual,
    /// On 64.
    Many,
    /// On 64, while one other publishes.
    ManyBeside,
    /// On one.
    Alone,
}

/// One thing that is measured.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) load: Load,
    kind: Kind,
}

/// What one round of a case gave.
#[derive(Clone, Copy)]
pub(crate) struct Measured {
    pub(crate) per_second: f64,
    pub(crate) cpu_micros: f64,
    pub(crate) p50_micros: f64,
}

impl Case {
    pub(crate) fn new(name: &'static str, load: Load, kind: Kind) -> Self {
        Self { name, load, kind }
    }

    pub(crate) fn is_bare(&self) -> bool {
        self.kind == Kind::Bare
    }

    /// Asks for this long; gives also how much was published beside, where something was.
    pub(crate) fn measure(
        &self,
        pid: u32,
        connections: usize,
        time: Duration,
        publish: &Load,
    ) -> (Measured, Option<f64>) {
        let before = process::cpu_time(pid);
        let (ran, beside) = match self.kind {
            Kind::Bare | Kind::Usual => (run(&self.load, connections, time), None),
            Kind::Many => (run(&self.load, 64, time), None),
            Kind::Alone => (run_alone(&self.load, time), None),
            Kind::ManyBeside => std::thread::scope(|scope| {
                let publishing = scope.spawn(|| run_alone(publish, time));
                let ran = run(&self.load, 64, time);
                (ran, Some(per_second(&publishing.join().unwrap())))
            }),
        };
        let cpu = process::cpu_time(pid) - before;
        let measured = Measured {
            per_second: per_second(&ran),
            cpu_micros: cpu.as_secs_f64() * 1e6 / count(&ran),
            p50_micros: ran.p50.as_secs_f64() * 1e6,
        };
        (measured, beside)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts of a few seconds")]
fn count(ran: &Ran) -> f64 {
    ran.requests as f64
}

fn per_second(ran: &Ran) -> f64 {
    count(ran) / ran.elapsed.as_secs_f64()
}

/// Prints the table; the first case is the bare handler.
pub(crate) fn report(cases: &[Case], results: &[Vec<Measured>]) {
    let bare = &results[0];
    println!(
        "{:<27}{:>10}{:>10}{:>12}{:>12}{:>15}{:>12}",
        "", "req/s", "p50 µs", "CPU µs/req", "rate ×bare", "spread", "CPU ×bare"
    );
    for (case, measured) in cases.iter().zip(results) {
        let of = |of: fn(&Measured) -> f64| {
            measured
                .iter()
                .zip(bare)
                .map(move |(one, bare)| of(one) / of(bare))
        };
        let rates = || of(|one| one.per_second);
        println!(
            "{:<27}{:>10.0}{:>10.0}{:>12.1}{:>12.3}{:>9.3}–{:.3}{:>12.2}",
            case.name,
            median(measured.iter().map(|one| one.per_second)),
            median(measured.iter().map(|one| one.p50_micros)),
            median(measured.iter().map(|one| one.cpu_micros)),
            median(rates()),
            rates().fold(f64::INFINITY, f64::min),
            rates().fold(0.0, f64::max),
            median(of(|one| one.cpu_micros))
        );
    }
}

pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
