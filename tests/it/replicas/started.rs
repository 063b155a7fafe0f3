//! What a server is refused to start with: each in one sentence that says what to do.

use std::time::Duration;

use super::installation::{Installation, succeeds};
use crate::harness::postgres::{APPLICATION, Commit, OWNER, standby_of};
use crate::harness::{Directory, Spawned, copy_keys, run};

/// Starts a server that has to end by itself; gives what it says.
async fn refused(data: &Directory, url: &str) -> String {
    let data = data.path().to_str().unwrap();
    let arguments = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--log",
        "off",
        "--data",
        data,
        "--database-url",
        url,
    ];
    let ended = tokio::time::timeout(Duration::from_secs(60), run(&arguments, "")).await;
    let output = ended.unwrap_or_else(|_| panic!("with {url} it does not end"));
    assert!(!output.status.success(), "{output:?}");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told.trim().lines().count(), 1, "{told}");
    assert!(!told.contains("panic"), "{told}");
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_says_why_it_does_not_serve_a_database() {
    let Some(installation) = Installation::new().await else {
        return;
    };
    let cluster = &installation.cluster;
    let url = cluster.url(APPLICATION, "vestry");
    let running = installation.serve_at(cluster.address()).await;

    // Without keys, and with others under the same name.
    let none = Directory::new();
    let told = refused(&none, &url).await;
    assert!(told.contains("admin keys create"), "{told}");
    let other = Directory::new();
    let data = other.path().to_str().unwrap();
    succeeds(&run(&["admin", "keys", "create", "--data", data], "").await);
    let told = refused(&other, &url).await;
    let names = told.contains("the key `") && told.contains("same key file");
    assert!(names, "{told}");
    // One of the two files is not enough.
    let half = Directory::new();
    copy_keys(installation.keys.path(), half.path());
    std::fs::remove_file(vestry::server::checkpoint_key_file(half.path())).unwrap();
    let told = refused(&half, &url).await;
    assert!(told.contains("checkpoint.key"), "{told}");

    let keys = &installation.keys;
    let told = refused(keys, &cluster.url("postgres", "vestry")).await;
    assert!(told.contains("superuser"), "{told}");
    cluster
        .sql("postgres", "CREATE ROLE passes LOGIN BYPASSRLS")
        .await;
    let told = refused(keys, &cluster.url("passes", "vestry")).await;
    assert!(told.contains("BYPASSRLS"), "{told}");
    let sql = format!("CREATE DATABASE empty OWNER {OWNER}");
    cluster.sql("postgres", &sql).await;
    let told = refused(keys, &cluster.url(OWNER, "empty")).await;
    assert!(told.contains("vestry migrate"), "{told}");
    let sql = "SELECT string_agg(version, ',' ORDER BY version) FROM seaql_migrations";
    let all = installation.sql(sql).await;
    let last = all.split(',').next_back().unwrap();
    let sql = format!("DELETE FROM seaql_migrations WHERE version = '{last}'");
    installation.sql(&sql).await;
    let told = refused(keys, &url).await;
    assert!(told.contains(last), "{told}");
    let sql = format!("INSERT INTO seaql_migrations VALUES ('{last}', 0)");
    installation.sql(&sql).await;
    let told = refused(keys, "postgres://vestry_app@127.0.0.1:1/vestry").await;
    assert!(!told.is_empty(), "{told}");

    let standby = standby_of(cluster, "second", Commit::Flushed).await;
    let told = refused(keys, &standby.url(APPLICATION, "vestry")).await;
    assert!(told.contains("standby"), "{told}");

    // None of it was of consequence for the one that runs, or keeps another from starting.
    let flags = installation.flags_at(cluster.address());
    let another = Spawned::start_with(flags.iter().map(String::as_str)).await;
    for server in [running, another] {
        let client = crate::harness::Client::new(server.address);
        client.get("/readyz").await.expect(200);
        assert_eq!(server.terminate().await, Some(0));
    }
}
