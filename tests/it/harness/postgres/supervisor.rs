//! Ends a cluster when the process of the test has ended, however it did.

use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::postmaster::within;

/// Waits for the end of its input, which comes when the test closes it or is no more. Then it ends the postmaster that the
/// file `running` names, frees what a killed one leaves outside its directory, and removes the directory.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
cat >/dev/null
if read -r pid <"$1/running"; then
  kill -QUIT "$pid"
  tries=0
  while kill -0 "$pid" && [ "$tries" -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
  kill -KILL "$pid"
fi
segment=$(sed -n 7p "$1/data/postmaster.pid" | awk '{print $2}')
if [ -n "$segment" ]; then ipcrm -m "$segment"; fi
tries=0
while ! rm -rf "$1" && [ "$tries" -lt 50 ]; do sleep 0.1; tries=$((tries + 1)); done
"#;

/// A process of its own that holds the other end of a pipe to this one.
#[derive(Debug)]
pub(super) struct Supervisor {
    directory: PathBuf,
    shell: Child,
}

impl Supervisor {
    /// Watches over what happens in a directory.
    pub(super) fn over(directory: &Path) -> Self {
        let shell = Command::new("sh")
            .args(["-c", SCRIPT, "supervisor"])
            .arg(directory)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // What is sent to the test's whole group, as by a terminal, is not for it.
            .process_group(0)
            .spawn()
            .unwrap();
        Self {
            directory: directory.to_owned(),
            shell,
        }
    }

    /// Says which postmaster runs now.
    pub(super) fn runs(&self, postmaster: u32) {
        // Whole or not at all: the test may be killed while it writes.
        let (new, file) = (self.directory.join("starts"), self.file());
        std::fs::write(&new, format!("{postmaster}\n")).unwrap();
        std::fs::rename(new, file).unwrap();
    }

    /// Says that none runs: its number may become another's.
    pub(super) fn runs_nothing(&self) {
        let _ = std::fs::remove_file(self.file());
    }

    fn file(&self) -> PathBuf {
        self.directory.join("running")
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let ended = within(Duration::from_secs(30), || {
            self.shell.try_wait().ok().flatten()
        });
        if ended.is_none() {
            let _ = self.shell.kill();
            let _ = self.shell.wait();
            println!("{} could not be removed", self.directory.display());
        }
    }
}
