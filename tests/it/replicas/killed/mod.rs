//! `kill -9` of servers and of PostgreSQL while clients write: nothing that was acknowledged is lost, and nothing is done twice
//! (invariants 18 and 20). Power is not what is cut here: what the disk was told to keep, the machine still has.
//!
//! `VESTRY_KILLS` and `VESTRY_PRIMARY_KILLS` are how often, `VESTRY_SEED` chooses other moments.

mod primary;
mod servers;

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::installation::{Installation, Servers, service_key};
use super::load::{Counts, Load};
use crate::harness::Spawned;

/// How many are killed while the same clients write.
const KILLS_A_ROUND: u64 = 10;

/// Two servers on a durable cluster, which are being killed.
struct Scene {
    installation: Installation,
    running: Vec<Spawned>,
    servers: Arc<Servers>,
    key: String,
}

impl Scene {
    async fn new() -> Option<Self> {
        let installation = Installation::new().await?;
        let address = installation.cluster.address();
        let running = vec![
            installation.serve_at(address).await,
            installation.serve_at(address).await,
        ];
        let servers = Arc::new(Servers::of(&running));
        let key = service_key(&servers.client(0)).await;
        Some(Self {
            installation,
            running,
            servers,
            key,
        })
    }

    /// Kills so often, and looks after every few times whether everything is there.
    async fn kill(
        &mut self,
        what: &str,
        kills: u64,
        seed: u64,
        mut once: impl AsyncFnMut(&mut Self, &Load),
    ) {
        println!("{kills} kills of {what}, seed {seed}");
        let (began, mut total) = (Instant::now(), Counts::default());
        let mut done = 0;
        for round in 0.. {
            let load = Load::start(&self.servers, &self.key, round, seed);
            for _ in 0..KILLS_A_ROUND.min(kills - done) {
                once(self, &load).await;
                done += 1;
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
            let counts = load.finish().await;
            total.add(&counts);
            if round % 10 == 0 || done == kills {
                let address = self.installation.cluster.address();
                self.installation.verifies_at(address).await;
                println!(
                    "{done} kills in {:?}, nothing lost, nothing twice: {total:?}",
                    began.elapsed()
                );
            }
            if done == kills {
                break;
            }
        }
        assert!(
            total.acknowledged > kills,
            "too little was written: {total:?}"
        );
    }
}
