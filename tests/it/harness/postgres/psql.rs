//! SQL by hand, without a driver.

use std::process::{Command, Stdio};

use super::binaries::Binaries;

/// Runs statements, each on its own, and gives what the rows are: a line each, its columns parted by `|`. Blocks.
pub(super) fn psql(binaries: &Binaries, url: &str, sql: &str) -> Result<String, String> {
    let output = Command::new(binaries.path("psql"))
        .env_clear()
        .args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-d", url])
        .args(statements(sql))
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let rows = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
    Ok(rows.trim_end().to_owned())
}

/// Given together they would be one transaction, in which no database can be made.
fn statements(sql: &str) -> Vec<&str> {
    let all = sql.split(";\n").map(str::trim);
    all.filter(|statement| !statement.is_empty())
        .flat_map(|statement| ["-c", statement])
        .collect()
}
