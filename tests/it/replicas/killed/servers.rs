//! One server after another is killed in the middle of what it does, and started again.

use std::time::Duration;

use super::{Load, Scene};
use crate::harness::knob;
use crate::templates::rng::Rng;

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_lost_or_done_twice_when_servers_are_killed() {
    let Some(mut scene) = Scene::new().await else {
        return;
    };
    let seed = knob("VESTRY_SEED", 18);
    let mut rng = Rng::new(seed);
    let once = async |scene: &mut Scene, _: &Load| {
        tokio::time::sleep(Duration::from_millis(100 + rng.next() % 300)).await;
        let victim = rng.below(2);
        let address = scene.installation.cluster.address();
        scene.running.remove(victim).kill().await;
        let next = scene.installation.serve_at(address).await;
        scene.servers.moved(victim, next.address);
        scene.running.insert(victim, next);
    };
    scene
        .kill("servers", knob("VESTRY_KILLS", 10), seed, once)
        .await;
    for server in scene.running {
        assert_eq!(server.terminate().await, Some(0), "SIGTERM drains");
    }
}
