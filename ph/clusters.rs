//! A cluster starts, stops, is killed, and has what it had.

use std::time::Duration;

use super::{rows, with_rows};
use crate::harness::postgres::{Cluster, Durability};

#[tokio::test]
async fn a_cluster_keeps_what_it_has_over_a_stop_and_a_kill() {
    let Some(cluster) = Cluster::start_new(Durability::Durable).await else {
        return;
    };
    for (setting, value) in [
        ("fsync", "on"),
        ("synchronous_commit", "on"),
        ("data_checksums", "on"),
        ("server_encoding", "UTF8"),
        ("lc_collate", "C"),
        ("max_connections", "200"),
    ] {
        let shown = cluster.sql("postgres", &format!("SHOW {setting}")).await;
        assert_eq!(shown, value, "{setting}");
    }
    with_rows(&cluster).await;
    cluster.stop().await;
    assert!(cluster.processes().is_empty());
    cluster.start().await;
    assert_eq!(rows(&cluster).await, "10");

    // Killed while one client is at work and another waits: what was acknowledged is there.
    cluster
        .sql("postgres", "INSERT INTO kept VALUES (11)")
        .await;
    let url = cluster.url("postgres", "postgres");
    let at_work = cluster.try_sql(&url, "INSERT INTO kept SELECT 12 FROM pg_sleep(60)");
    let (lost, ()) = tokio::join!(at_work, async {
        let active = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)' AND wait_event = 'PgSleep'";
        while cluster.sql("postgres", active).await != "1" {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        cluster.kill().await;
    });
    let error = lost.unwrap_err();
    assert!(error.contains("closed the connection"), "{error}");
    let refused = cluster.try_sql(&url, "SELECT 1").await.unwrap_err();
    assert!(refused.contains("Connection refused"), "{refused}");
    cluster.start().await;
    assert_eq!(rows(&cluster).await, "11");
    let log = std::fs::read_to_string(cluster.directory().join("log")).unwrap();
    assert!(log.contains("was not properly shut down"), "{log}");
}

#[tokio::test]
async fn a_volatile_cluster_waits_for_no_disk() {
    let Some(cluster) = Cluster::start_new(Durability::Volatile).await else {
        return;
    };
    assert_eq!(cluster.sql("postgres", "SHOW fsync").await, "off");
    cluster.set("work_mem", "'8MB'").await;
    // The setting is read anew by those who come after.
    for _ in 0..500 {
        if cluster.sql("postgres", "SHOW work_mem").await == "8MB" {
            return;
        }
    }
    panic!("the setting is not taken up");
}
