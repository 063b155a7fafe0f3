//! How fast Vestry is, as a share of a bare axum handler on the same machine, in the same run.
//!
//! `cargo bench -p vestry-tests` starts the program `vestry` and, as another process, a bare handler that answers 4 KiB;
//! fills a world; and then asks each in turn, several rounds, with the same generator (`wrk` where it is installed). It
//! prints requests a second, CPU of the server a request, and both as ratios to the bare handler's of the same round.
//! `--rounds N`, `--seconds N`, `--connections N` and `--skills N` change the run; `--worlds` measures a catalog in worlds of
//! 2,730, 100,000 and 1,000,000 skills; `--import N` imports N skills by the command line, and nothing else; `--templates`
//! measures templates, beside handlebars.js where there is one, and nothing else; `--postgres URL` measures on PostgreSQL, and
//! nothing else.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "this is a program for developers: it fails loudly, and printing is its job"
)]

mod bare;
mod copies;
mod durable;
mod generator;
mod import;
mod javascript;
mod measure;
mod postgres;
mod process;
mod request;
mod templates;
mod world;
mod wrk;

use std::time::{Duration, Instant};

use generator::{Connection, run_alone};
use measure::{Case, Kind, Measured, median, report};
use world::World;

/// How a run is set.
struct Settings {
    rounds: u64,
    seconds: Duration,
    connections: usize,
    skills: u64,
    worlds: bool,
    import: u64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    if has("--bare") {
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
    let settings = Settings {
        rounds: number("--rounds", 5),
        seconds: Duration::from_secs(number("--seconds", 3)),
        connections: usize::try_from(number("--connections", 16)).unwrap(),
        skills: number("--skills", 200_000),
        worlds: has("--worlds"),
        import: number("--import", 0),
    };
    if let Some(at) = arguments
        .iter()
        .position(|argument| argument == "--postgres")
    {
        let url = arguments.get(at + 1).expect("the URL of an empty database");
        postgres::run_all(&settings, url);
        return;
    }
    let mut vestry = process::Vestry::start();
    let bare = process::Bare::start();
    println!(
        "machine: {} cores, {}; generator: {}",
        std::thread::available_parallelism().unwrap(),
        process::cpu_model(),
        if wrk::is_installed() {
            "wrk"
        } else {
            "built in"
        }
    );
    if settings.import > 0 {
        import::run(&vestry, settings.import);
        return;
    }
    if has("--templates") {
        templates::run(&settings, &vestry, &bare);
        return;
    }
    let mut world = world::fill(&vestry);
    if settings.worlds {
        worlds(&settings, &mut vestry, &bare, &mut world);
    } else {
        let begin = Instant::now();
        world.grow(&mut vestry, settings.skills);
        println!(
            "world: {} skills, of which 10 actor, 200 tenant and 500 global ones are seen; filled in {} s",
            settings.skills,
            begin.elapsed().as_secs()
        );
        tables(&settings, &vestry, &bare, &world);
    }
    starts(&mut vestry, &world);
}

/// Everything that is measured beside the bare handler.
fn tables(settings: &Settings, vestry: &process::Vestry, bare: &process::Bare, world: &World) {
    let address = vestry.address;
    let cases = [
        Case::new("bare handler, 4 KiB", bare::load(bare.address), Kind::Bare),
        Case::new("catalog, fresh offer", world.catalog(address), Kind::Usual),
        Case::new(
            "catalog, have unchanged",
            world.unchanged(address),
            Kind::Usual,
        ),
        Case::new("load, 5 KB body", world.load(address), Kind::Usual),
        Case::new(
            "catalog, tenant of 20",
            world.small_catalog(address),
            Kind::Usual,
        ),
        Case::new(
            "catalog, tenant of 2,000",
            world.large_catalog(address),
            Kind::Usual,
        ),
        Case::new(
            "unnamed turns, 64 at once",
            world.catalog(address),
            Kind::Many,
        ),
        Case::new(
            "named turns, 64 at once",
            world.named_turn(address),
            Kind::Many,
        ),
        Case::new(
            "the same, one publishing",
            world.named_turn(address),
            Kind::ManyBeside,
        ),
        Case::new("publish, sequential", world.publish(address), Kind::Alone),
    ];
    let mut results: Vec<Vec<Measured>> = cases.iter().map(|_| Vec::new()).collect();
    let mut beside = Vec::new();
    let mut durable = Vec::new();
    let mut unloaded = Vec::new();
    for _ in 0..settings.rounds {
        for (case, measured) in cases.iter().zip(&mut results) {
            let pid = if case.is_bare() {
                bare.id()
            } else {
                vestry.id()
            };
            let publisher = world.publish(address);
            let (one, published) =
                case.measure(pid, settings.connections, settings.seconds, &publisher);
            measured.push(one);
            beside.extend(published);
        }
        durable.push(durable::rows_per_second(
            vestry.directory(),
            settings.seconds,
        ));
        let second = Duration::from_secs(1);
        let alone = |case: &Case| run_alone(&case.load, second).p50.as_secs_f64() * 1e6;
        unloaded.push((alone(&cases[0]), alone(&cases[1])));
    }
    println!(
        "{} rounds of {} s, {} connections where nothing else is said\n",
        settings.rounds,
        settings.seconds.as_secs(),
        settings.connections
    );
    report(&cases, &results);
    let rate = |at: usize| results[at].iter().map(|one| one.per_second);
    let ratio = |a: usize, b: usize| median(rate(a).zip(rate(b)).map(|(a, b)| a / b));
    let cpu = |at: usize| results[at].iter().map(|one| one.cpu_micros);
    println!(
        "\nnamed ÷ unnamed turns, 64 at once: {:.2}; with one publishing beside: {:.2}, which then publishes {:.0} a second",
        ratio(7, 6),
        ratio(8, 6),
        median(beside.into_iter())
    );
    println!(
        "publish ÷ raw durable row ({:.0} a second): {:.2}",
        median(durable.iter().copied()),
        median(rate(9).zip(durable.iter().copied()).map(|(a, b)| a / b))
    );
    println!(
        "catalog of a tenant 100 times as large: CPU × {:.2}",
        median(cpu(5).zip(cpu(4)).map(|(large, small)| large / small))
    );
    println!(
        "unloaded p50: bare {:.0} µs, catalog {:.0} µs, difference {:.0} µs",
        median(unloaded.iter().map(|(bare, _)| *bare)),
        median(unloaded.iter().map(|(_, catalog)| *catalog)),
        median(unloaded.iter().map(|(bare, catalog)| catalog - bare))
    );
}

/// A catalog in worlds of growing size.
fn worlds(
    settings: &Settings,
    vestry: &mut process::Vestry,
    bare: &process::Bare,
    world: &mut World,
) {
    for skills in [2_730, 100_000, 1_000_000] {
        world.grow(vestry, skills);
        let cases = [
            Case::new("bare handler, 4 KiB", bare::load(bare.address), Kind::Bare),
            Case::new(
                "catalog, fresh offer",
                world.catalog(vestry.address),
                Kind::Usual,
            ),
        ];
        let mut results: Vec<Vec<Measured>> = cases.iter().map(|_| Vec::new()).collect();
        for _ in 0..settings.rounds {
            for (case, measured) in cases.iter().zip(&mut results) {
                let pid = if case.is_bare() {
                    bare.id()
                } else {
                    vestry.id()
                };
                let (one, _) =
                    case.measure(pid, settings.connections, settings.seconds, &case.load);
                measured.push(one);
            }
        }
        println!("\na world of {skills} skills");
        report(&cases, &results);
    }
}

/// The first catalog after a start, and the memory that summaries take.
fn starts(vestry: &mut process::Vestry, world: &World) {
    let mut times = Vec::new();
    for _ in 0..5 {
        vestry.restart();
        let request = world.catalog(vestry.address).bytes();
        let begin = Instant::now();
        Connection::open(vestry.address).ask(&request);
        times.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    println!(
        "\nfirst catalog after a start: {:.1} ms",
        median(times.into_iter())
    );
    // Connections, statements and the database's own cache have their size before.
    world.touch(vestry.address, 0, 20);
    let before = process::resident(vestry.id());
    let (skills, text) = world.touch(vestry.address, 20, 500);
    let grown = process::resident(vestry.id()).saturating_sub(before);
    // A small world has nobody else to read.
    if let (Some(each), Some(of_text)) = (grown.checked_div(skills), text.checked_div(skills)) {
        println!(
            "memory of {skills} cached summaries: {each} bytes each, of which {of_text} are its text"
        );
    }
}
