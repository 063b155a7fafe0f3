//! A standby has what its primary acknowledged, and takes its place.

use std::time::Duration;

use super::{rows, with_rows};
use crate::harness::postgres::{Cluster, Commit, Durability, standby_of};

#[tokio::test]
async fn a_promoted_standby_has_every_acknowledged_row() {
    let Some(primary) = Cluster::start_new(Durability::Volatile).await else {
        return;
    };
    with_rows(&primary).await;
    let standby = standby_of(&primary, "second", Commit::Applied).await;
    assert_ne!(primary.address(), standby.address());
    // Applied: a read of the standby sees what was just acknowledged, every time.
    for number in 11..=30 {
        let insert = format!("INSERT INTO kept VALUES ({number})");
        primary.sql("postgres", &insert).await;
        assert_eq!(rows(&standby).await, number.to_string());
    }
    let url = standby.url("postgres", "postgres");
    let refused = standby
        .try_sql(&url, "INSERT INTO kept VALUES (99)")
        .await
        .unwrap_err();
    assert!(refused.contains("read-only transaction"), "{refused}");

    // Without its standby the primary acknowledges nothing.
    standby.stop().await;
    let url = primary.url("postgres", "postgres");
    let waits = primary.try_sql(&url, "INSERT INTO kept VALUES (31)");
    let waited = tokio::time::timeout(Duration::from_millis(500), waits).await;
    assert!(waited.is_err(), "{waited:?}");

    primary.kill().await;
    standby.start().await;
    standby.promote().await;
    assert_eq!(rows(&standby).await, "30");
    standby
        .sql("postgres", "INSERT INTO kept VALUES (32)")
        .await;

    // The new primary gets a standby of its own.
    let third = standby_of(&standby, "third", Commit::Flushed).await;
    standby
        .sql("postgres", "INSERT INTO kept VALUES (33)")
        .await;
    standby.kill().await;
    third.promote().await;
    assert_eq!(rows(&third).await, "32");
}
