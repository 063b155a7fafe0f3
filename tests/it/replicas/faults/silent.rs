//! A database that nobody reaches: nobody listens, or nothing goes through.

use std::time::{Duration, Instant};

use super::{Scene, unavailable};

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_away_is_said_so_soon() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    scene.catalog().await.expect(200);
    scene.proxy.refuse().await;
    scene.proxy.cut();
    let began = Instant::now();
    let (catalog, write, ready) = tokio::join!(scene.catalog(), scene.write("k-1", 1), async {
        scene.server.client().get("/readyz").await
    });
    println!("answered after {:?}", began.elapsed());
    assert!(
        began.elapsed() < Duration::from_secs(15),
        "{:?}",
        began.elapsed()
    );
    unavailable(catalog, &["database-unavailable"]);
    unavailable(write, &["database-unavailable"]);
    unavailable(ready, &["busy", "database-unavailable"]);
    // The process lives, and what it has counted is there.
    scene.server.client().get("/healthz").await.expect(200);
    scene.server.client().get("/metrics").await.expect(200);
    scene.proxy.pass().await;
    scene.until_ready().await;
    scene.catalog().await.expect(200);
    assert_eq!(scene.write("k-1", 1).await.expect(200).body["revision"], 3);
    scene.holds().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_over_which_nothing_comes_hangs_nobody() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    scene.catalog().await.expect(200);
    scene.proxy.stall();
    let began = Instant::now();
    let (catalog, write, ready) = tokio::join!(scene.catalog(), scene.write("k-1", 1), async {
        scene.server.client().get("/readyz").await
    });
    println!(
        "answered after {:?}: {} {} {}",
        began.elapsed(),
        catalog.code(),
        write.code(),
        ready.code()
    );
    assert!(
        began.elapsed() < Duration::from_secs(36),
        "{:?}",
        began.elapsed()
    );
    let codes = ["timeout", "busy", "database-unavailable", "outcome-unknown"];
    unavailable(catalog, &codes);
    unavailable(write, &codes);
    unavailable(ready, &codes);
    scene.proxy.cut();
    scene.proxy.pass().await;
    scene.until_ready().await;
    scene.catalog().await.expect(200);
    // The first one may have gone on, and is the same.
    let written = scene.write("k-1", 1).await.expect(200);
    assert_eq!(written.body["revision"], 3);
    assert_eq!(scene.revision().await, 3);
    scene.holds().await;
}
