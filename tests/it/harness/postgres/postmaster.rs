//! The server process of a cluster: started, stopped, killed. What is here blocks, and never for long.

use std::fs::{File, OpenOptions};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::account::{command, hand_over};
use super::binaries::Binaries;
use super::supervisor::Supervisor;

/// How long anything may take before a test gives it up.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Asks again and again until there is an answer; none when there is none in time.
pub(super) fn within<T>(patience: Duration, mut ask: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + patience;
    loop {
        if let Some(answer) = ask() {
            return Some(answer);
        }
        if Instant::now() > deadline {
            return None;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Does what blocks where it keeps nobody else waiting; what panics there panics here.
pub(super) async fn blocking<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(run).await {
        Ok(answer) => answer,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

/// The directory of a cluster, with its data, its socket and its log; and its process while it runs.
#[derive(Debug)]
pub(super) struct Postmaster {
    pub(super) binaries: &'static Binaries,
    pub(super) directory: PathBuf,
    process: Mutex<Option<Child>>,
    supervisor: Supervisor,
}

impl Postmaster {
    /// In a new directory, which goes away with this.
    pub(super) fn new(binaries: &'static Binaries, directory: PathBuf) -> Self {
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory).unwrap();
        hand_over(&directory);
        Self {
            binaries,
            process: Mutex::new(None),
            supervisor: Supervisor::over(&directory),
            directory,
        }
    }

    pub(super) fn data(&self) -> PathBuf {
        self.directory.join("data")
    }

    /// A program of PostgreSQL, to run in the directory.
    pub(super) fn command(&self, program: &str) -> Command {
        command(&self.binaries.path(program), &self.directory)
    }

    /// Runs a program that has to succeed.
    pub(super) fn run(&self, program: &str, arguments: &[&str]) {
        let output = self
            .command(program)
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {arguments:?}: {told}");
    }

    /// Starts it, and waits until it takes connections; what it said when it does not.
    pub(super) fn start(&self) -> Result<(), String> {
        let mut process = self.process();
        assert!(process.is_none(), "it runs already");
        let log = self.log();
        let mut child = self
            .command("postgres")
            .arg("-D")
            .arg(self.data())
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .process_group(0)
            .spawn()
            .unwrap();
        self.supervisor.runs(child.id());
        let ready = within(PATIENCE, || {
            if child.try_wait().unwrap().is_some() {
                return Some(false);
            }
            self.is_ready(child.id()).then_some(true)
        });
        let runs = ready == Some(true);
        if runs {
            *process = Some(child);
            return Ok(());
        }
        let _ = child.kill();
        let _ = child.wait();
        self.supervisor.runs_nothing();
        Err(std::fs::read_to_string(self.directory.join("log")).unwrap_or_default())
    }

    /// Stops it as an operator does who does not wait for clients.
    pub(super) fn stop(&self) {
        self.end("INT");
    }

    /// Ends all its processes at once, without a chance to do anything more, as the end of the machine does.
    pub(super) fn kill(&self) {
        let mut process = self.process();
        let Some(child) = process.take() else {
            return;
        };
        // Stopped, it starts no more of them.
        signal("STOP", &[child.id()]);
        let mut all = children(child.id());
        all.push(child.id());
        signal("KILL", &all);
        reap(child);
        // While one of them is there, the memory that they share is in use, and the next postmaster would not start.
        let gone = within(PATIENCE, || {
            (!all.iter().any(|id| lives(*id))).then_some(())
        });
        assert!(gone.is_some(), "{all:?} survive being killed");
        self.supervisor.runs_nothing();
    }

    /// The processes of the cluster.
    pub(super) fn processes(&self) -> Vec<u32> {
        let process = self.process();
        let Some(child) = process.as_ref() else {
            return Vec::new();
        };
        let mut all = children(child.id());
        all.push(child.id());
        all
    }

    fn end(&self, with: &str) {
        let mut process = self.process();
        let Some(child) = process.take() else {
            return;
        };
        signal(with, &[child.id()]);
        reap(child);
        self.supervisor.runs_nothing();
    }

    /// Whether the postmaster with this number takes connections; the file of one that was killed names another.
    fn is_ready(&self, id: u32) -> bool {
        let file = std::fs::read_to_string(self.data().join("postmaster.pid")).unwrap_or_default();
        let mut lines = file.lines();
        lines.next() == Some(id.to_string().as_str())
            && lines.nth(6).is_some_and(|status| status.trim() == "ready")
    }

    fn log(&self) -> File {
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(self.directory.join("log"))
            .unwrap()
    }

    fn process(&self) -> MutexGuard<'_, Option<Child>> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Postmaster {
    fn drop(&mut self) {
        // Nothing of it is kept, so nothing is written either. The supervisor then removes the directory.
        self.end("QUIT");
    }
}

fn reap(mut child: Child) {
    if within(PATIENCE, || child.try_wait().unwrap()).is_none() {
        let _ = child.kill();
        let _ = child.wait();
        println!("a PostgreSQL did not end in time, and was killed");
    }
}

fn signal(name: &str, processes: &[u32]) {
    let numbers = processes.iter().map(u32::to_string);
    let _ = Command::new("kill")
        .args(["-s", name])
        .args(numbers)
        // Some have ended by themselves meanwhile.
        .stderr(Stdio::null())
        .status();
}

/// The processes that this one started.
fn children(parent: u32) -> Vec<u32> {
    let output = Command::new("ps")
        .args(["-A", "-o", "pid=,ppid="])
        .output()
        .unwrap();
    let listed = String::from_utf8(output.stdout).unwrap();
    let pairs = listed.lines().filter_map(|line| {
        let (id, of) = line.trim().split_once(' ')?;
        Some((id.parse().ok()?, of.trim().parse::<u32>().ok()?))
    });
    pairs
        .filter(|(_, of)| *of == parent)
        .map(|(id, _)| id)
        .collect()
}

/// Whether a process is there, and not only its number for who started it to see.
pub(crate) fn lives(process: u32) -> bool {
    let output = Command::new("ps")
        .args(["-o", "stat=", "-p", &process.to_string()])
        .output()
        .unwrap();
    let state = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    !state.is_empty() && !state.starts_with('Z')
}

/// Where a new cluster's directory may be: in memory if it need not outlast the machine and there is room for it.
pub(super) fn base(in_memory: bool) -> PathBuf {
    let memory = Path::new("/dev/shm");
    // Containers have one of 64 MB, in which no cluster fits.
    const ROOM_KIB: u64 = 2 << 20;
    let room = || -> Option<u64> {
        let output = Command::new("df").args(["-Pk", "/dev/shm"]).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        text.lines().nth(1)?.split_whitespace().nth(3)?.parse().ok()
    };
    if in_memory && memory.is_dir() && room().is_some_and(|kib| kib >= ROOM_KIB) {
        memory.to_owned()
    } else {
        std::env::temp_dir()
    }
}
