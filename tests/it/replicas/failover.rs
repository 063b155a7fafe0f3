//! The primary is killed, and its synchronous standby takes its place: what was acknowledged is there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::installation::{Installation, Servers, service_key};
use super::load::Load;
use crate::harness::knob;
use crate::harness::postgres::{Commit, Proxy, standby_of};

#[tokio::test(flavor = "multi_thread")]
async fn a_standby_takes_over_with_all_that_was_acknowledged() {
    let Some(installation) = Installation::new().await else {
        return;
    };
    let seed = knob("VESTRY_SEED", 20);
    println!("seed {seed}");
    let primary = &installation.cluster;
    let standby = standby_of(primary, "second", Commit::Flushed).await;
    let proxy = Proxy::to(primary.address()).await;
    let running = [
        installation.serve_at(proxy.address).await,
        installation.serve_at(proxy.address).await,
    ];
    let servers = Arc::new(Servers::of(&running));
    let key = service_key(&servers.client(0)).await;
    let load = Load::start(&servers, &key, 0, seed);
    load.until_more(30).await;

    primary.kill().await;
    let began = Instant::now();
    servers.until_ready(false).await;
    let noticed = began.elapsed();
    standby.promote().await;
    proxy.retarget(standby.address());
    let promoted = began.elapsed();
    servers.until_ready(true).await;
    let ready = began.elapsed();
    load.until_more(30).await;

    let counts = load.finish().await;
    println!(
        "not ready after {noticed:?}, promoted after {promoted:?}, ready after {ready:?}: {counts:?}"
    );
    assert!(counts.acknowledged > 20, "too little was written");
    assert!(
        counts.unavailable.values().sum::<u64>() + counts.broken > 0,
        "nobody noticed"
    );
    assert!(ready < Duration::from_secs(40), "{ready:?}");
    installation.verifies_at(standby.address()).await;
}
