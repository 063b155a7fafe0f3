//! Somebody holds the locks of writing: who waits is told so, and nobody waits who only reads.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Scene, unavailable};
use crate::harness::elevate;

/// The class of the lock on everything; see the migration's functions.
async fn class_of_global(scene: &Scene) -> String {
    let sql = "SELECT substring(pg_get_functiondef(oid) FROM 'pg_advisory_xact_lock\\((\\d+), 0\\)') FROM pg_proc WHERE proname = 'vestry_begin'";
    let class = scene.ground.database.sql(sql).await;
    assert!(class.parse::<i32>().is_ok(), "{class}");
    class
}

#[tokio::test(flavor = "multi_thread")]
async fn who_waits_too_long_for_other_writes_is_told_that_it_is_busy() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    let class = class_of_global(&scene).await;
    let database = &scene.ground.database;
    let (cluster, url) = (database.cluster.clone(), database.superuser_url.clone());
    let held = tokio::spawn(async move {
        let sql = format!("SELECT pg_advisory_lock({class}, 0);\nSELECT pg_sleep(16);\n");
        cluster.try_sql(&url, &sql).await.unwrap();
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    let began = Instant::now();
    let waiting = (0..8).map(|number| {
        let maria = scene.maria.clone();
        tokio::spawn(async move {
            let answer = maria
                .create("tenant:acme", &format!("n{number}"), "it")
                .await;
            unavailable(answer, &["busy"]);
        })
    });
    let waiting: Vec<_> = waiting.collect();
    // Reading waits for nobody.
    for _ in 0..10 {
        scene.catalog().await.expect(200);
        scene.read().await.expect(200);
    }
    assert!(
        began.elapsed() < Duration::from_secs(9),
        "{:?}",
        began.elapsed()
    );
    for waiting in waiting {
        waiting.await.unwrap();
    }
    println!("told after {:?}", began.elapsed());
    assert!(
        began.elapsed() < Duration::from_secs(13),
        "{:?}",
        began.elapsed()
    );
    held.await.unwrap();
    scene
        .maria
        .create("tenant:acme", "n0", "it")
        .await
        .expect(201);
    let list = scene
        .maria
        .get("/v1/skills?scope=tenant:acme")
        .await
        .expect(200);
    assert_eq!(
        list.body["items"].as_array().unwrap().len(),
        2,
        "those who were told so wrote nothing"
    );
    scene.holds().await;
}

/// Long writes of one tenant are not waited for by another.
#[tokio::test(flavor = "multi_thread")]
async fn tenants_do_not_wait_for_each_other() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    let greta = crate::harness::login(&scene.server.client(), "greta", None).await;
    let greta = elevate(&greta, "tenant:globex").await;
    // A transaction that wrote in acme, as another server's would, and does not end yet.
    let database = &scene.ground.database;
    let (cluster, url) = (database.cluster.clone(), database.superuser_url.clone());
    let held = tokio::spawn(async move {
        let sql = "BEGIN;\nSELECT vestry_begin('acme', 'acme');\nSELECT pg_sleep(4);\nCOMMIT;\n";
        cluster.try_sql(&url, sql).await.unwrap();
    });
    tokio::time::sleep(Duration::from_millis(500)).await;
    let began = Instant::now();
    greta.create("tenant:globex", "y", "it").await.expect(201);
    let other = began.elapsed();
    scene
        .maria
        .create("tenant:acme", "y", "it")
        .await
        .expect(201);
    let same = began.elapsed();
    println!("globex after {other:?}, acme after {same:?}");
    assert!(
        other < Duration::from_secs(2) && same > Duration::from_secs(2),
        "{other:?} {same:?}"
    );
    held.await.unwrap();
    scene.agent.post("/v1/catalog", json!({})).await.expect(200);
}
