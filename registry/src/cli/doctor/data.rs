//! A data directory on this machine: permissions, keys, database, disk.

use std::path::Path;

use super::finding::Finding;
use crate::identity::{KeyRings, KeyState, Ring};
use crate::server::keys_file;
use crate::store::{Database, inspect, inspect_postgres, verify_audit};

/// Free space below which writes are about to fail.
const FAIL_BELOW: u64 = 100 << 20;
/// Free space below which somebody should look.
const WARN_BELOW: u64 = 1 << 30;

/// Looks at a data directory, and at the database of its server.
pub(super) async fn check(directory: &Path, of: &Database, with_audit: bool) -> Vec<Finding> {
    if !directory.is_dir() {
        return vec![Finding::fail(
            "data",
            format!("{} is no directory", directory.display()),
            "give the right --data, or start a server, which makes it",
        )];
    }
    let mut findings = Vec::new();
    findings.extend(permissions(directory));
    findings.push(keys(directory));
    findings.push(database(directory, of).await);
    if with_audit {
        findings.push(audit(directory, of).await);
    }
    findings.extend(disk(directory));
    findings
}

#[cfg(unix)]
fn permissions(directory: &Path) -> Vec<Finding> {
    use std::os::unix::fs::PermissionsExt as _;
    const CHECK: &str = "permissions";
    let is_open = |path: &Path| {
        std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o077 != 0)
    };
    let open: Vec<String> = ["vestry.db", "vestry.db-wal", "keys.json"]
        .into_iter()
        .map(|name| directory.join(name))
        .filter(|path| is_open(path))
        .map(|path| path.display().to_string())
        .collect();
    let shown = directory.display();
    vec![if !open.is_empty() {
        Finding::fail(
            CHECK,
            format!("others may read {}", open.join(", ")),
            "run `chmod go=` on each: they hold keys and password hashes",
        )
    } else if is_open(directory) {
        Finding::warn(
            CHECK,
            format!("others may look into {shown}, though into no file of it"),
            format!("run `chmod go= {shown}`"),
        )
    } else {
        Finding::ok(CHECK, format!("{shown} is for its owner only"))
    }]
}

#[cfg(not(unix))]
fn permissions(_: &Path) -> Vec<Finding> {
    Vec::new()
}

fn keys(directory: &Path) -> Finding {
    const CHECK: &str = "keys";
    let rings = match KeyRings::load(&keys_file(directory)) {
        Ok(rings) => rings,
        Err(error) => {
            return Finding::fail(
                CHECK,
                error.to_string(),
                "bring the file back from a backup; without it every session and offer ends",
            );
        }
    };
    let keys = rings.fingerprints();
    let in_rotation: Vec<&str> = Ring::ALL
        .into_iter()
        .filter(|ring| {
            keys.iter()
                .any(|key| key.ring == *ring && key.state == KeyState::Accept)
        })
        .map(Ring::as_str)
        .collect();
    let count = keys.len();
    if in_rotation.is_empty() {
        Finding::ok(CHECK, format!("{count} keys, one that signs in each ring"))
    } else {
        Finding::warn(
            CHECK,
            format!("{count} keys; in rotation: {}", in_rotation.join(", ")),
            "finish it with `vestry admin keys promote` or `retire`",
        )
    }
}

async fn database(directory: &Path, of: &Database) -> Finding {
    const CHECK: &str = "database";
    let (looked, todo) = match of {
        Database::Sqlite => (
            inspect(directory).await,
            "give the right --data, or use the version of vestry that wrote it",
        ),
        Database::Postgres(url) => (
            inspect_postgres(url).await,
            "do what it says, or give the right --database-url; a server does not start like this",
        ),
    };
    let found = match looked {
        Ok(found) => found,
        Err(error) => return Finding::fail(CHECK, error.to_string(), todo),
    };
    let users = if found.in_use {
        "a server has it open"
    } else {
        "no server has it open"
    };
    let shape = format!(
        "{} migrations, {} bytes, {users}",
        found.applied, found.size
    );
    if !found.damage.is_empty() {
        return Finding::fail(
            CHECK,
            format!("damaged ({shape}): {}", found.damage.join("; ")),
            "stop the server, keep the file, and bring a backup back",
        );
    }
    if found.pending.is_empty() {
        Finding::ok(CHECK, format!("whole: {shape}"))
    } else {
        Finding::warn(
            CHECK,
            format!("{shape}; not yet applied: {}", found.pending.join(", ")),
            "the next start applies them, after a copy",
        )
    }
}

async fn audit(directory: &Path, of: &Database) -> Finding {
    const CHECK: &str = "audit";
    match verify_audit(directory, of).await {
        Err(error) => Finding::fail(CHECK, error.to_string(), "run `vestry audit verify`"),
        Ok(chains) => {
            let broken = chains
                .iter()
                .filter(|chain| !chain.faults.is_empty())
                .count();
            if broken == 0 {
                Finding::ok(CHECK, format!("{} chains hold", chains.len()))
            } else {
                Finding::fail(
                    CHECK,
                    format!("{broken} of {} chains do not hold", chains.len()),
                    "keep the database as it is, and run `vestry audit verify`",
                )
            }
        }
    }
}

#[cfg(unix)]
fn disk(directory: &Path) -> Vec<Finding> {
    const CHECK: &str = "disk";
    let free = match rustix::fs::statvfs(directory) {
        Ok(found) => found.f_bavail.saturating_mul(found.f_frsize),
        Err(error) => {
            return vec![Finding::warn(
                CHECK,
                format!("cannot tell how much is free: {error}"),
                "look with `df`",
            )];
        }
    };
    let shown = format!("{} MiB free", free >> 20);
    let todo = "free some: a write that finds no room is refused";
    vec![match free {
        free if free < FAIL_BELOW => Finding::fail(CHECK, shown, todo),
        free if free < WARN_BELOW => Finding::warn(CHECK, shown, todo),
        _ => Finding::ok(CHECK, shown),
    }]
}

#[cfg(not(unix))]
fn disk(_: &Path) -> Vec<Finding> {
    Vec::new()
}
