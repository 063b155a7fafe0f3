//! `--postgres URL`: what PostgreSQL costs, beside the queries that cannot be left out, in one run.
//!
//! The URL is that of an empty database, as its owner, who is no superuser. The yardsticks are asked over sqlx from this process,
//! on as many connections as the server is asked on; the durable insert by `pgbench` on one.

use std::process::Command;
use std::time::{Duration, Instant};

use sea_orm::sqlx::Executor as _;
use sea_orm::sqlx::postgres::{PgPool, PgPoolOptions};
use sea_orm::sqlx::{self, Row as _};

use crate::Settings;
use crate::generator::{run, run_alone, run_paced};
use crate::measure::median;
use crate::process::Vestry;
use crate::world::{self, World};

/// What one round gave.
#[derive(Default)]
struct Round {
    versions: f64,
    catalog: f64,
    body: f64,
    load: f64,
    insert: f64,
    publish: f64,
    both: f64,
    p99_millis: f64,
}

/// Measures it all.
pub(crate) fn run_all(settings: &Settings, url: &str) {
    let mut vestry = Vestry::start_on(url);
    let mut world = world::fill(&vestry);
    world.grow(&mut vestry, settings.skills);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    let connections = u32::try_from(settings.connections).unwrap();
    let pool = runtime.block_on(connect(url, connections));
    let version: String = runtime.block_on(async {
        let row = sqlx::query("SELECT version()").fetch_one(&pool).await;
        row.unwrap().get(0)
    });
    println!(
        "world: {} skills; {version}; {} rounds of {} s, {} connections where nothing else is said",
        settings.skills,
        settings.rounds,
        settings.seconds.as_secs(),
        settings.connections
    );
    let second = vestry.replica();
    let mut rounds = Vec::new();
    for _ in 0..settings.rounds {
        rounds.push(round(
            settings, &runtime, &pool, url, &vestry, &second, &world,
        ));
    }
    tell(&rounds);
}

fn round(
    settings: &Settings,
    runtime: &tokio::runtime::Runtime,
    pool: &PgPool,
    url: &str,
    vestry: &Vestry,
    second: &Vestry,
    world: &World,
) -> Round {
    let (time, connections) = (settings.seconds, settings.connections);
    let rate = |ran: crate::generator::Ran| ran.requests as f64 / ran.elapsed.as_secs_f64();
    let catalog = world.catalog(vestry.address);
    let mut round = Round {
        versions: runtime.block_on(versions(pool, connections, time)),
        catalog: rate(run(&catalog, connections, time)),
        body: runtime.block_on(bodies(pool, connections, time)),
        load: rate(run(&world.load(vestry.address), connections, time)),
        insert: inserts(url, time),
        publish: rate(run_alone(&world.publish(vestry.address), time)),
        ..Round::default()
    };
    let half = connections.div_ceil(2);
    let other = world.catalog(second.address);
    round.both = std::thread::scope(|scope| {
        let there = scope.spawn(|| rate(run(&other, half, time)));
        rate(run(&catalog, half, time)) + there.join().unwrap()
    });
    let at_half = run_paced(&catalog, connections, round.catalog / 2.0, time);
    round.p99_millis = at_half.as_secs_f64() * 1e3;
    round
}

fn tell(rounds: &[Round]) {
    let of = |value: fn(&Round) -> f64| median(rounds.iter().map(value));
    println!(
        "three versions by sqlx {:.0} a second; catalog {:.0}; ratio {:.2}",
        of(|r| r.versions),
        of(|r| r.catalog),
        of(|r| r.catalog / r.versions)
    );
    println!(
        "one body of 5 KB by sqlx {:.0} a second; load {:.0}; ratio {:.2}",
        of(|r| r.body),
        of(|r| r.load),
        of(|r| r.load / r.body)
    );
    println!(
        "durable insert by pgbench {:.0} a second; publish {:.0}; ratio {:.2}",
        of(|r| r.insert),
        of(|r| r.publish),
        of(|r| r.publish / r.insert)
    );
    println!("catalog at half load: p99 {:.1} ms", of(|r| r.p99_millis));
    println!(
        "two replicas {:.0} a second beside one {:.0}; ratio {:.2}",
        of(|r| r.both),
        of(|r| r.catalog),
        of(|r| r.both / r.catalog)
    );
}

async fn connect(url: &str, connections: u32) -> PgPool {
    PgPoolOptions::new()
        .max_connections(connections)
        .min_connections(connections)
        .after_connect(|connection, _| {
            // Row-level security is on for the yardsticks as well, set once.
            Box::pin(async move {
                connection.execute("SET vestry.tenants = '*'").await?;
                Ok(())
            })
        })
        .connect(url)
        .await
        .unwrap()
}

/// How often the versions of three scopes are read in a second.
async fn versions(pool: &PgPool, connections: usize, time: Duration) -> f64 {
    const SQL: &str = "SELECT version FROM scope_versions WHERE (tenant, scope_kind, scope_id) IN \
         (($1, 2::smallint, $2), ($1, 1::smallint, ''), ('~', 0::smallint, ''))";
    repeat(pool, connections, time, async |pool| {
        let query = sqlx::query(SQL).bind("acme").bind("maria");
        assert_eq!(query.fetch_all(pool).await.unwrap().len(), 3);
    })
    .await
}

/// How often a SKILL.md of 5 KB is read in a second.
async fn bodies(pool: &PgPool, connections: usize, time: Duration) -> f64 {
    let row = sqlx::query(
        "SELECT content FROM revisions WHERE tenant = 'acme' AND scope_kind = 1 LIMIT 1",
    )
    .fetch_one(pool)
    .await
    .unwrap();
    let digest: String = row.get(0);
    repeat(pool, connections, time, async |pool| {
        let query = sqlx::query("SELECT bytes FROM contents WHERE tenant = $1 AND sha256 = $2");
        let row = query.bind("acme").bind(&digest).fetch_one(pool).await;
        assert!(row.unwrap().get::<Vec<u8>, _>(0).len() > 5_000);
    })
    .await
}

async fn repeat(
    pool: &PgPool,
    connections: usize,
    time: Duration,
    work: impl AsyncFn(&PgPool),
) -> f64 {
    let begin = Instant::now();
    let one = async || {
        let mut done = 0_u64;
        while begin.elapsed() < time {
            work(pool).await;
            done += 1;
        }
        done
    };
    let all = futures_util::future::join_all((0..connections).map(|_| one())).await;
    all.into_iter().sum::<u64>() as f64 / begin.elapsed().as_secs_f64()
}

/// Single durable rows of 5 KB a second, by pgbench on one connection.
fn inserts(url: &str, time: Duration) -> f64 {
    let script = std::env::temp_dir().join(format!("vestry-bench-{}.sql", std::process::id()));
    let body = "x".repeat(5 * 1024);
    std::fs::write(
        &script,
        format!("INSERT INTO bench_rows (body) VALUES ('{body}');\n"),
    )
    .unwrap();
    let table = Command::new("psql")
        .args([url, "-qc"])
        .arg("CREATE TABLE IF NOT EXISTS bench_rows (number bigserial PRIMARY KEY, body text NOT NULL)")
        .status();
    assert!(table.unwrap().success());
    let output = Command::new("pgbench")
        .args(["-n", "-M", "prepared", "-c", "1"])
        .arg("-T")
        .arg(time.as_secs().max(1).to_string())
        .arg("-f")
        .arg(&script)
        .arg(url)
        .output()
        .unwrap();
    let _ = std::fs::remove_file(&script);
    let text = String::from_utf8_lossy(&output.stdout);
    let rate = text
        .lines()
        .find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
    rate.unwrap_or_else(|| panic!("{text}{}", String::from_utf8_lossy(&output.stderr)))
}
