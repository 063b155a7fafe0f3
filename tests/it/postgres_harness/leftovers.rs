//! Nothing is left: no process, no directory, whether a test ends or is ended.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

use super::with_rows;
use crate::harness::postgres::{Binaries, Cluster, Durability, lives};

async fn gone(processes: &[u32], directory: &std::path::Path) {
    for _ in 0..1500 {
        let living = processes.iter().any(|process| lives(*process));
        if !living && !directory.exists() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let left: Vec<_> = processes.iter().filter(|it| lives(**it)).collect();
    panic!("left: {left:?}, {}", directory.display());
}

#[tokio::test]
async fn a_cluster_leaves_nothing() {
    let Some(cluster) = Cluster::start_new(Durability::Volatile).await else {
        return;
    };
    let (mut processes, directory) = (cluster.processes(), cluster.directory().to_owned());
    // Some of a cluster's processes come and go.
    processes.retain(|process| lives(*process));
    assert!(processes.len() > 3, "{processes:?}");
    assert!(directory.join("data").is_dir());
    drop(cluster);
    // Not at some time: now.
    assert!(!directory.exists());
    assert!(!processes.iter().any(|process| lives(*process)));
}

/// The memory that a server shares with its parts is not in its directory, and stays when it is killed.
#[tokio::test]
async fn a_killed_cluster_leaves_nothing() {
    let Some(cluster) = Cluster::start_new(Durability::Volatile).await else {
        return;
    };
    let directory = cluster.directory().to_owned();
    let file = std::fs::read_to_string(directory.join("data/postmaster.pid")).unwrap();
    let shared = file.lines().nth(6).unwrap();
    let segment = shared.split_whitespace().nth(1).unwrap().to_owned();
    let there = |segments: &str| {
        let mut ids = segments
            .lines()
            .filter_map(|line| line.split_whitespace().nth(1));
        ids.any(|id| id == segment)
    };
    let segments = async || {
        let output = Command::new("ipcs").arg("-m").output().await.unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert!(there(&segments().await), "{segment}");
    cluster.kill().await;
    assert!(there(&segments().await), "{segment}");
    drop(cluster);
    assert!(!there(&segments().await), "{segment}");
    assert!(!directory.exists());
}

/// What the next test runs as another process, to kill it.
#[tokio::test]
#[ignore = "a part of `a_killed_test_leaves_nothing`, which runs it"]
async fn a_test_that_is_killed() {
    let Some(cluster) = Cluster::start_new(Durability::Volatile).await else {
        return;
    };
    with_rows(&cluster).await;
    println!("\ncluster {}", cluster.directory().display());
    println!("processes {:?}", cluster.processes());
    tokio::time::sleep(Duration::from_secs(60)).await;
}

#[tokio::test]
async fn a_killed_test_leaves_nothing() {
    if Binaries::find().is_none() {
        return;
    }
    let mut test = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture"])
        .arg("postgres_harness::leftovers::a_test_that_is_killed")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(test.stdout.take().unwrap()).lines();
    let mut line_of = async |word: &str| loop {
        let line = lines
            .next_line()
            .await
            .unwrap()
            .expect("it says what it started");
        if let Some(said) = line.strip_prefix(word) {
            return said.trim().to_owned();
        }
    };
    let directory = PathBuf::from(line_of("cluster ").await);
    let processes = line_of("processes ").await;
    let mut processes: Vec<u32> = serde_json::from_str(&processes).unwrap();
    // The one that served the rows may have ended by itself.
    processes.retain(|process| lives(*process));
    assert!(directory.is_dir());
    assert!(processes.len() > 3, "{processes:?}");
    test.kill().await.unwrap();
    gone(&processes, &directory).await;
}
