//! A database that takes no writes: reads go on, writes are told to come again.

use super::{Scene, unavailable};
use crate::harness::postgres::{Commit, Proxy, standby_of};
use crate::replicas::installation::Installation;

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_database_is_read() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    let database = &scene.ground.database;
    let set = format!(
        "ALTER DATABASE {} SET default_transaction_read_only = on",
        database.name
    );
    database.sql(&set).await;
    // Connections from now on have it.
    scene.proxy.cut();
    for number in 0..3 {
        scene.read().await.expect(200);
        scene.catalog().await.expect(200);
        let key = format!("k-{number}");
        unavailable(scene.write(&key, 1).await, &["database-unavailable"]);
        let ready = scene.server.client().get("/readyz").await;
        unavailable(ready, &["busy", "database-unavailable"]);
    }
    let unset = set.replace("= on", "= off");
    // In another database: here everybody only reads.
    database.cluster.sql("postgres", &unset).await;
    scene.proxy.cut();
    scene.until_ready().await;
    assert_eq!(scene.write("k-0", 1).await.expect(200).body["revision"], 3);
    scene.holds().await;
}

/// The line leads to a standby, as when a name of the network still says who was the primary.
#[tokio::test(flavor = "multi_thread")]
async fn a_standby_takes_no_writes_and_a_server_says_so() {
    let Some(installation) = Installation::new().await else {
        return;
    };
    let primary = &installation.cluster;
    let proxy = Proxy::to(primary.address()).await;
    let server = installation.serve_at(proxy.address).await;
    let client = crate::harness::Client::new(server.address);
    let root = crate::harness::login(&client, "root", None).await;
    let root = crate::harness::elevate(&root, "global").await;
    root.create("global", "x", "one").await.expect(201);
    let standby = standby_of(primary, "second", Commit::Applied).await;
    root.update("global", "x", "two").await.expect(200);
    proxy.retarget(standby.address());
    // It may be behind, and an answer may not.
    unavailable(
        root.get("/v1/skills/global/x").await,
        &["database-unavailable"],
    );
    unavailable(
        root.update("global", "x", "three").await,
        &["database-unavailable"],
    );
    unavailable(
        client.get("/readyz").await,
        &["busy", "database-unavailable"],
    );
    proxy.retarget(primary.address());
    root.update("global", "x", "three").await.expect(200);
    client.get("/readyz").await.expect(200);
}
