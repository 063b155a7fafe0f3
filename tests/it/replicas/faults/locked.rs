//! Somebody holds the locks of writing: who waits is told so, and nobody waits who only reads.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{Scene, unavailable};
use crate::harness::{elevate, login};

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
    let held = scene.stuck(4).await;
    let began = Instant::now();
    // More than there are connections.
    let more = (0..12).map(|number| {
        let maria = scene.maria.clone();
        let name = format!("more-{number}");
        tokio::spawn(async move { maria.create("tenant:acme", &name, "it").await.expect(201) })
    });
    let more: Vec<_> = more.collect();
    tokio::time::sleep(Duration::from_millis(300)).await;
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
    for more in more {
        more.await.unwrap();
    }
    scene.agent.post("/v1/catalog", json!({})).await.expect(200);
}

/// Turns that are named in one tenant are not waited for by those of another, though one task writes them all; and those that
/// waited are taken in their order, once.
#[tokio::test(flavor = "multi_thread")]
async fn turns_do_not_wait_for_a_tenant_that_is_stuck() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    let greta = login(&scene.server.client(), "greta", None).await;
    let held = scene.stuck(5).await;
    let began = Instant::now();
    let waiting = (0..3).map(|number| {
        let agent = scene.agent.clone();
        let turn = json!({"turn": format!("of-acme-{number}"), "session": format!("s-{number}")});
        tokio::spawn(async move {
            let taken = agent.post("/v1/catalog", turn).await.expect(200);
            (taken, began.elapsed())
        })
    });
    let waiting: Vec<_> = waiting.collect();
    // Lines of both, and of acme before and after.
    for number in 0..20 {
        let asked = Instant::now();
        greta.turn(&format!("of-globex-{number}")).await.expect(200);
        assert!(
            asked.elapsed() < Duration::from_millis(1_500),
            "{:?}",
            asked.elapsed()
        );
        let line = json!({"session": format!("line-{number:02}")});
        scene.agent.post("/v1/catalog", line).await.expect(200);
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    println!("20 turns of globex after {:?}", began.elapsed());
    assert!(
        began.elapsed() < Duration::from_secs(4),
        "{:?}",
        began.elapsed()
    );
    for waiting in waiting {
        let (_, after) = waiting.await.unwrap();
        assert!(after > Duration::from_secs(3), "{after:?}");
    }
    held.await.unwrap();
    // Lines are written within a second.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let sql = "SELECT string_agg(convert_from(content, 'UTF8'), '' ORDER BY number) FROM journal WHERE tenant = 'acme'";
    let lines = scene.ground.database.sql(sql).await;
    let seen: Vec<&str> = lines
        .split("\"session\":\"line-")
        .skip(1)
        .filter_map(|rest| rest.get(..2))
        .collect();
    let wanted: Vec<String> = (0..20).map(|number| format!("{number:02}")).collect();
    assert_eq!(seen, wanted, "each line once, in its order");
    scene.holds().await;
}

/// Whoever logs in waits for the own tenant at most.
#[tokio::test(flavor = "multi_thread")]
async fn logins_do_not_wait_for_another_tenant() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    let client = scene.server.client();
    let password = crate::harness::PASSWORD;
    let log_in = |username: &'static str| {
        let client = client.clone();
        async move {
            let body = json!({"username": username, "password": password});
            client.post("/v1/login", body).await.expect(200)
        }
    };
    let greta = log_in("greta").await;
    let held = scene.stuck(4).await;
    let began = Instant::now();
    log_in("greta").await;
    let refresh = json!({"refresh_token": greta.text("refresh_token")});
    client.post("/v1/refresh", refresh).await.expect(200);
    let other = began.elapsed();
    log_in("maria").await;
    let own = began.elapsed();
    println!("globex after {other:?}, acme after {own:?}");
    assert!(other < Duration::from_secs(2) && own > Duration::from_secs(2));
    held.await.unwrap();
    scene.holds().await;
}

/// Dropping what has expired waits for nobody, and nobody waits for it.
#[tokio::test(flavor = "multi_thread")]
async fn house_is_kept_in_steps_beside_writes() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    let database = &scene.ground.database;
    // More than two steps.
    let sql = "INSERT INTO idempotency_keys (tenant, principal, route, key, payload, outcome, created_at) \
        SELECT 'acme', 'human:maria', '/', 'old-' || n, '', '{}', 0 FROM generate_series(1, 2500) AS n";
    database.sql(sql).await;
    let held = scene.stuck(5).await;
    let began = Instant::now();
    // The next hour.
    scene.server.advance(2 * 60 * 60);
    let count = "SELECT count(*) FROM idempotency_keys WHERE key LIKE 'old-%'";
    let mut seen = Vec::new();
    while seen.last().is_none_or(|left| left != "0") {
        assert!(began.elapsed() < Duration::from_secs(4), "{seen:?}");
        seen.push(database.sql(count).await);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    held.await.unwrap();
    scene.holds().await;
}
