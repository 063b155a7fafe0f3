//! PostgreSQL is killed, all its processes at once, and started again; the servers go on.

use std::time::Duration;

use super::{Load, Scene};
use crate::harness::knob;
use crate::templates::rng::Rng;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_or_done_twice_when_the_database_is_killed() {
    let Some(mut scene) = Scene::new().await else {
        return;
    };
    let seed = knob("VESTRY_SEED", 18);
    let mut rng = Rng::new(seed);
    let once = async |scene: &mut Scene, load: &Load| {
        load.until_more(5 + rng.next() % 20).await;
        tokio::time::sleep(Duration::from_millis(rng.next() % 50)).await;
        scene.installation.cluster.kill().await;
        tokio::time::sleep(Duration::from_millis(rng.next() % 200)).await;
        scene.installation.cluster.start().await;
        scene.servers.until_ready(true).await;
    };
    scene
        .kill("PostgreSQL", knob("VESTRY_PRIMARY_KILLS", 3), seed, once)
        .await;
}
