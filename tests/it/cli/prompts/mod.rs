//! Prompts for roles of workflows, by commands alone (issue 8, A).

mod layers;
mod library;
mod trust;

use std::path::Path;

use serde_json::Value;

use super::{Ran, Shell};
use crate::harness::{Directory, People, TestServer};

/// A worker: a worktree, a library, and no server unless one is given.
struct Worker {
    shell: Shell,
}

impl Worker {
    fn alone() -> Self {
        Self::with(Shell {
            home: Directory::new(),
            server: String::new(),
        })
    }

    fn with(shell: Shell) -> Self {
        let worker = Self { shell };
        std::fs::create_dir_all(worker.path("tree/.conductor")).unwrap();
        std::fs::create_dir_all(worker.path("config/prompts")).unwrap();
        worker
    }

    fn path(&self, path: &str) -> std::path::PathBuf {
        self.shell.home.path().join(path)
    }

    /// Writes a file, with the directories that it is in.
    fn put(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn library(&self, file: &str, text: impl AsRef<[u8]>) {
        self.put(&format!("config/prompts/{file}"), text);
    }

    fn tree(&self, file: &str, text: impl AsRef<[u8]>) {
        self.put(&format!("tree/{file}"), text);
    }

    /// Runs `prompt resolve` in the worktree, with variables of the environment.
    async fn run(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let mut all = vec![
            "prompt",
            "resolve",
            "--worktree",
            "tree",
            "--workflow",
            "bugfix",
        ];
        all.extend(arguments);
        if !arguments.contains(&"--role") {
            all.extend(["--role", "review"]);
        }
        if self.shell.server.is_empty() {
            all.push("--no-registry");
        }
        all.push("--json");
        let mut command = self.shell.command(&all);
        command.envs(variables.iter().copied());
        super::run(command, "").await
    }

    async fn prompt(&self, arguments: &[&str]) -> Value {
        let ran = self.run(arguments, &[]).await;
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        ran.json()
    }

    async fn source(&self, arguments: &[&str]) -> String {
        let prompt = self.prompt(arguments).await;
        prompt["resolvedSource"].as_str().unwrap().to_owned()
    }

    /// What it says when there is no prompt.
    async fn refusal(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments, &[]).await;
        assert_eq!(ran.code, 1, "{arguments:?}: {}{}", ran.text(), ran.stderr);
        assert!(ran.stdout.is_empty(), "{}", ran.text());
        ran.stderr
    }
}

/// A symbolic link.
fn link(target: impl AsRef<Path>, at: impl AsRef<Path>) {
    std::os::unix::fs::symlink(target, at).unwrap();
}

async fn registry() -> (TestServer, People, Worker) {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let shell = Shell::at(&server);
    shell.login("maria").await;
    shell.elevate("tenant:acme").await;
    (server, people, Worker::with(shell))
}
