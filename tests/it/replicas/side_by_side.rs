//! Two versions beside each other: the newer one's migrations only add (expand and contract), and both serve.

use std::sync::Arc;

use super::installation::{Installation, Servers, service_key};
use super::load::Load;
use crate::harness::Spawned;

/// What a version that this program does not know would do: it says so, and adds what may be left out.
const NEWER: &str = "\
BEGIN;
ALTER TABLE skills ADD COLUMN of_a_newer_version text;
ALTER TABLE revisions ADD COLUMN of_a_newer_version bigint;
CREATE TABLE of_a_newer_version (id text PRIMARY KEY, note text);
INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20991231_999999_newer', 0);
COMMIT;
";

#[tokio::test(flavor = "multi_thread")]
async fn a_server_goes_on_beside_a_newer_schema() {
    let Some(installation) = Installation::new().await else {
        return;
    };
    let address = installation.cluster.address();
    let mut running: Vec<Spawned> = vec![installation.serve_at(address).await];
    let servers = Arc::new(Servers::of(&running));
    let key = service_key(&servers.client(0)).await;
    let load = Load::start(&servers, &key, 0, 21);
    load.until_more(20).await;
    installation.sql(NEWER).await;
    // One that starts now finds a migration that it does not know.
    running.push(installation.serve_at(address).await);
    let both = Arc::new(Servers::of(&running));
    let beside = Load::start(&both, &key, 1, 22);
    load.until_more(30).await;
    beside.until_more(30).await;
    let mut counts = load.finish().await;
    counts.add(&beside.finish().await);
    println!("{counts:?}");
    assert!(counts.acknowledged > 40);
    // Nobody was told of any of it.
    assert_eq!(
        (counts.broken, counts.unavailable.len()),
        (0, 0),
        "{counts:?}"
    );
    assert!(counts.read_elsewhere > 0);
    // Verifying whole is for a program that knows all of it: the newer version is taken back first.
    installation
        .sql("DELETE FROM seaql_migrations WHERE applied_at = 0")
        .await;
    installation.verifies_at(address).await;
    for server in running {
        assert_eq!(server.terminate().await, Some(0));
    }
}
