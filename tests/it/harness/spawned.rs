//! The program `vestry` as a process of its own, for what a process does: start, be killed, end.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, Command};

use super::Directory;

/// A running `vestry serve`.
pub(crate) struct Spawned {
    pub(crate) address: SocketAddr,
    child: Child,
}

/// The program, which Cargo builds with the tests.
pub(crate) fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_vestry-under-test"))
}

/// Runs the program to its end, with this on standard input.
pub(crate) async fn run(arguments: &[&str], input: &str) -> std::process::Output {
    let mut child = Command::new(program())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.as_bytes()).await.unwrap();
    drop(stdin);
    child.wait_with_output().await.unwrap()
}

/// As `run`, for a command that works on a data directory and its database.
pub(crate) async fn run_at(
    directory: &Directory,
    arguments: &[&str],
    input: &str,
) -> std::process::Output {
    let flags = directory.flags().await;
    let flags = flags.iter().map(String::as_str);
    let all: Vec<&str> = arguments.iter().copied().chain(flags).collect();
    run(&all, input).await
}

/// Makes the keys of a server that makes none of its own, as with PostgreSQL. Those that are there stay.
pub(crate) async fn make_keys(directory: &Directory) {
    if directory.postgres().await.is_some() {
        let data = directory.path().to_str().unwrap();
        let made = run(&["admin", "keys", "create", "--data", data], "").await;
        assert!(made.status.success(), "{made:?}");
    }
}

impl Spawned {
    /// Starts a server on a free port and waits until it says that it listens.
    pub(crate) async fn start(directory: &Directory) -> Self {
        make_keys(directory).await;
        let flags = directory.flags().await;
        Self::start_with(flags.iter().map(String::as_str)).await
    }

    /// Starts a server with these flags, on a free port, and waits until it says that it listens.
    pub(crate) async fn start_with(flags: impl Iterator<Item = &str>) -> Self {
        let mut child = Command::new(program())
            .args(["serve", "--no-built-in-skills", "--listen", "127.0.0.1:0"])
            .env("VESTRY_LOG", "warn")
            .args(flags)
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let line = lines
            .next_line()
            .await
            .unwrap()
            .expect("the server says where it listens");
        let address = line
            .strip_prefix("vestry is listening on http://")
            .expect(&line);
        Self {
            address: address.parse().unwrap(),
            child,
        }
    }

    /// Kills it as `kill -9` does.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    /// Sends SIGTERM and waits for its end; gives the exit code.
    pub(crate) async fn terminate(mut self) -> Option<i32> {
        let id = self.child.id().unwrap().to_string();
        let sent = Command::new("kill")
            .args(["-TERM", &id])
            .status()
            .await
            .unwrap();
        assert!(sent.success());
        self.child.wait().await.unwrap().code()
    }
}
