//! The client commands: the program, run as people and scripts run it, against a server.

mod administration;
mod audit;
mod backup;
mod doctor;
mod documentation;
mod fake;
mod hostile;
mod https;
mod import;
mod output;
mod portal;
mod prompts;
mod proposals;
mod publishing;
mod roles;
mod schemas;
mod sessions;
mod skills;
mod templates;
mod turns;
mod watch;

use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use serde_json::Value;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;

use crate::harness::{Directory, PASSWORD, TestServer, program};

/// Somebody at a command line: a directory of profiles, and nothing else of the environment.
struct Shell {
    home: Directory,
    server: String,
}

/// What a command came to.
#[derive(Debug)]
struct Ran {
    code: i32,
    stdout: Vec<u8>,
    stderr: String,
}

impl Shell {
    fn at(server: &TestServer) -> Self {
        Self::of(format!("http://{}", server.address))
    }

    fn of(server: String) -> Self {
        Self {
            home: Directory::new(),
            server,
        }
    }

    fn config(&self) -> PathBuf {
        self.home.path().join("config")
    }

    fn profile(&self, name: &str) -> PathBuf {
        self.config().join(format!("{name}.profile.json"))
    }

    /// A command that is ready to start.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        command
            .args(arguments)
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.home.path())
            .env("VESTRY_CONFIG", self.config())
            .current_dir(self.home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// Runs a command to its end.
    async fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, "").await
    }

    /// Runs a command with this on standard input.
    async fn run_with(&self, arguments: &[&str], input: &str) -> Ran {
        run(self.command(arguments), input).await
    }

    /// Runs a command that has to succeed, and gives what it printed.
    async fn ok(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments).await;
        assert_eq!(ran.code, 0, "{arguments:?}: {}{}", ran.text(), ran.stderr);
        ran.text()
    }

    /// Runs a command with `--json` that has to succeed.
    async fn json(&self, arguments: &[&str]) -> Value {
        let mut all = arguments.to_vec();
        all.push("--json");
        let ran = self.run(&all).await;
        assert_eq!(ran.code, 0, "{arguments:?}: {}{}", ran.text(), ran.stderr);
        ran.json()
    }

    /// Logs in, with everyone's password.
    async fn login(&self, username: &str) {
        let arguments = [
            "login",
            "--server",
            &self.server,
            "--username",
            username,
            "--password-stdin",
        ];
        let ran = self.run_with(&arguments, PASSWORD).await;
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }

    /// Steps up.
    async fn elevate(&self, scope: &str) {
        let arguments = [
            "elevate",
            "--scope",
            scope,
            "--reason",
            "a test",
            "--password-stdin",
        ];
        let ran = self.run_with(&arguments, PASSWORD).await;
        assert_eq!(ran.code, 0, "{}", ran.stderr);
    }
}

impl Ran {
    fn text(&self) -> String {
        String::from_utf8(self.stdout.clone()).unwrap()
    }

    #[track_caller]
    fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}{}", self.text(), self.stderr))
    }

    /// The sentence of a failure: one line on standard error and nothing on standard output.
    #[track_caller]
    fn sentence(&self, code: i32) -> String {
        assert_eq!(self.code, code, "{}{}", self.text(), self.stderr);
        assert_eq!(self.text(), "");
        let line = self.stderr.strip_suffix('\n').unwrap_or_default();
        assert!(!line.contains('\n'), "more than one line: {}", self.stderr);
        line.strip_prefix("vestry: ")
            .unwrap_or_else(|| panic!("{}", self.stderr))
            .to_owned()
    }
}

async fn run(mut command: Command, input: &str) -> Ran {
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // A command that reads nothing may be gone already.
    let _ = stdin.write_all(input.as_bytes()).await;
    drop(stdin);
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().await.unwrap();
    Ran {
        code: status.code().unwrap_or(-1),
        stdout,
        stderr: String::from_utf8(stderr).unwrap(),
    }
}

/// The permissions of a file, for its group and others included.
#[cfg(unix)]
fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}
