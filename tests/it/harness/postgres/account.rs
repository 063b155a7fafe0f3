//! Who runs PostgreSQL: it refuses to run as root.

use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// An account of the system that is not the one of the test.
#[derive(Debug, Clone, Copy)]
struct Account {
    user: u32,
    group: u32,
}

/// The account to change to; none when the test does not run as root.
fn account() -> Option<Account> {
    static ACCOUNT: OnceLock<Option<Account>> = OnceLock::new();
    *ACCOUNT.get_or_init(|| {
        if id(&["-u"]) != Some(0) {
            return None;
        }
        let of = |name: &str| {
            Some(Account {
                user: id(&["-u", name])?,
                group: id(&["-g", name])?,
            })
        };
        let found = of("postgres").or_else(|| of("nobody"));
        Some(found.expect("root needs an account `postgres` or `nobody` to run PostgreSQL as"))
    })
}

fn id(arguments: &[&str]) -> Option<u32> {
    let output = Command::new("id").args(arguments).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// A program of PostgreSQL, as who may run it and with nothing of the environment that could change what it does.
pub(super) fn command(program: &Path, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("LC_ALL", "C").env("TZ", "UTC");
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command.current_dir(directory);
    if let Some(account) = account() {
        command.uid(account.user).gid(account.group);
    }
    command
}

/// Gives a directory to who runs PostgreSQL, and closes it to others.
pub(super) fn hand_over(directory: &Path) {
    use std::os::unix::fs::{PermissionsExt as _, chown};
    std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o700)).unwrap();
    if let Some(account) = account() {
        chown(directory, Some(account.user), Some(account.group)).unwrap();
    }
}
