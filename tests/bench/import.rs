//! Importing many skills by the command line, beside single durable rows on the same disk.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::durable::rows_per_second;
use crate::process::{Vestry, cpu_time};
use crate::world;

/// Imports so many skills of about 2 KB, twice, and says how long it took.
pub(crate) fn run(vestry: &Vestry, skills: u64) {
    let token = world::importer(vestry, skills);
    let folder = vestry.directory().join("to-import");
    for number in 0..skills {
        write(&folder, number);
    }
    let durable = rows_per_second(vestry.directory(), Duration::from_secs(3));
    let before = cpu_time(vestry.id());
    let (seconds, summary) = import(vestry, &folder, &token);
    let server = cpu_time(vestry.id()).saturating_sub(before).as_secs_f64();
    assert_eq!(count(&summary, "created"), skills, "{summary}");
    let (again, summary) = import(vestry, &folder, &token);
    assert_eq!(count(&summary, "unchanged"), skills, "{summary}");
    let per_second = skills as f64 / seconds;
    println!(
        "import of {skills} skills: {seconds:.1} s, {per_second:.0} a second, {:.2} of raw durable rows ({durable:.0} a second); {:.0} % of a core in the server; again, with nothing to do: {again:.1} s",
        per_second / durable,
        100.0 * server / seconds,
    );
}

fn write(folder: &Path, number: u64) {
    let name = format!("imported-{number}");
    let directory = folder.join(&name);
    std::fs::create_dir_all(&directory).unwrap();
    let lines: String = (0..40)
        .map(|line| {
            format!("{line}. Step {line} of the procedure number {number}, as it is done.\n")
        })
        .collect();
    let text = format!(
        "---\nname: {name}\ndescription: Use when procedure {number} is asked for.\n---\n# Procedure {number}\n\n{lines}"
    );
    std::fs::write(directory.join("SKILL.md"), text).unwrap();
}

fn import(vestry: &Vestry, folder: &Path, token: &str) -> (f64, Value) {
    let begin = Instant::now();
    let ran = Command::new(env!("CARGO_BIN_EXE_vestry-under-test"))
        .arg("import")
        .arg(folder)
        .args(["--scope", "tenant:imports", "--json", "--server"])
        .arg(format!("http://{}", vestry.address))
        .env("VESTRY_TOKEN", token)
        .output()
        .unwrap();
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let seconds = begin.elapsed().as_secs_f64();
    (seconds, serde_json::from_slice(&ran.stdout).unwrap())
}

fn count(summary: &Value, outcome: &str) -> u64 {
    match &summary[outcome] {
        Value::Array(items) => items.len() as u64,
        other => other.as_u64().unwrap_or_default(),
    }
}
