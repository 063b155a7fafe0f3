//! A standby that follows a primary: every commit waits for it.

use std::time::{Duration, Instant};

use super::cluster::{Cluster, SUPERUSER};
use super::postmaster::{PATIENCE, blocking};

/// What a commit waits for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Commit {
    /// That the standby has it on its disk: it is not lost when the primary is.
    Flushed,
    /// That reads of the standby see it, too.
    Applied,
}

/// A synchronous standby of a running primary, made of a base backup; it runs, and follows.
pub(crate) async fn standby_of(primary: &Cluster, name: &str, commit: Commit) -> Cluster {
    let (of, name) = (primary.clone(), name.to_owned());
    let named = name.clone();
    let standby = blocking(move || copy(&of, &named)).await;
    primary
        .set("synchronous_standby_names", &format!("'FIRST 1 ({name})'"))
        .await;
    let waits = match commit {
        Commit::Flushed => "on",
        Commit::Applied => "remote_apply",
    };
    primary.set("synchronous_commit", waits).await;
    until_synchronous(primary, &name).await;
    standby
}

fn copy(primary: &Cluster, name: &str) -> Cluster {
    let at = primary.address();
    let connection = format!(
        "host={} port={} user={SUPERUSER} application_name={name}",
        at.ip(),
        at.port()
    );
    let standby = Cluster::make(primary.binaries(), primary.durability(), |postmaster| {
        let data = postmaster.data();
        let arguments = [
            "--dbname",
            &connection,
            "--checkpoint=fast",
            "--no-sync",
            "--wal-method=stream",
            "--write-recovery-conf",
            "--create-slot",
            "--slot",
            name,
            "-D",
            data.to_str().unwrap(),
        ];
        postmaster.run("pg_basebackup", &arguments);
    });
    standby.start_blocking();
    standby
}

async fn until_synchronous(primary: &Cluster, name: &str) {
    let sql = format!(
        "SELECT count(*) FROM pg_stat_replication WHERE application_name = '{name}' AND state = 'streaming' AND sync_state = 'sync'"
    );
    let deadline = Instant::now() + PATIENCE;
    while primary.sql("postgres", &sql).await != "1" {
        assert!(Instant::now() < deadline, "{name} does not follow");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
