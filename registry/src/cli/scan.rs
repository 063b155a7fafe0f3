//! `vestry scan`: what a reviewer should look at, without a server.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use vestry_policies::SkillName;

use super::failure::{Failure, Outcome};
use super::options::Options;
use super::output::{Out, safe, style, value};
use crate::bundle::{Bundle, LocalSkill, find};
use crate::content::PreparedSkill;
use crate::content::scan::{Findings, Scan, Scanner, Severity};
use crate::server::scanner;

/// The most bytes of a file that is scanned by itself: as many as a skill may have.
const MAX_FILE: u64 = crate::content::files::MAX_SKILL_BYTES;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A directory with skills at any depth, as for `vestry import`; a SKILL.md; or any other file.
    path: PathBuf,
    /// Exit with 1 when something is found of this severity or above, or a skill cannot be read.
    #[arg(long, value_name = "SEVERITY", value_parser = severity)]
    fail_on: Option<Severity>,
    /// A file of rules, beside the scanner's own.
    #[arg(long, env = "VESTRY_SCANNER_RULES", value_name = "FILE")]
    scanner_rules: Option<PathBuf>,
}

fn severity(word: &str) -> Result<Severity, String> {
    Severity::parse(word).ok_or_else(|| "write low, medium, high or critical".to_owned())
}

/// A skill, or a file, and what was found in it.
struct Scanned {
    name: String,
    path: String,
    /// Why it would not be taken.
    refused: Option<String>,
    findings: Findings,
}

pub(super) fn run(options: &Options, args: &Args) -> Outcome {
    let out = options.out();
    let scanner = scanner(args.scanner_rules.as_deref())?;
    let scanned = if args.path.is_dir() {
        let found = find(&args.path)?;
        for skipped in &found.skipped {
            out.note(format!(
                "skipped: {}: {}",
                skipped.path.display(),
                skipped.reason
            ));
        }
        if found.skills.is_empty() {
            return Err(Failure::new(format!(
                "there is no skill in {}; name a directory with a SKILL.md, or a file",
                args.path.display()
            )));
        }
        found
            .skills
            .iter()
            .map(|skill| one(&scanner, skill))
            .collect()
    } else {
        vec![file(&scanner, &args.path)?]
    };
    if out.is_json() {
        out.json(&as_json(&scanned))?;
    } else {
        out.text(&human(out, &scanned))?;
    }
    let fails = args.fail_on.is_some_and(|least| {
        scanned.iter().any(|skill| {
            skill.refused.is_some()
                || skill
                    .findings
                    .max_severity()
                    .is_some_and(|most| most >= least)
        })
    });
    if fails { Err(Failure::Said) } else { Ok(()) }
}

/// Scans a skill of a directory. One that cannot be published is scanned all the same.
fn one(scanner: &Arc<Scanner>, skill: &LocalSkill) -> Scanned {
    let mut scan = Scan::new(Arc::clone(scanner));
    let refused = match Bundle::read(skill) {
        Ok(bundle) => {
            let refused = skill_md(&mut scan, &skill.name, &bundle.skill_md).err();
            for file in bundle.files.iter().flatten() {
                scan.file(&file.path, &file.bytes);
            }
            refused
        }
        Err(unreadable) => {
            // What of it can be read is looked at.
            let files = skill
                .files
                .iter()
                .map(|(path, place)| (path.as_str(), place));
            for (path, place) in std::iter::once(("SKILL.md", &skill.skill_md)).chain(files) {
                if let Ok(bytes) = read(place) {
                    scan.file(path, &bytes);
                }
            }
            Some(unreadable.to_string())
        }
    };
    Scanned {
        name: skill.name.clone(),
        path: skill.place().display().to_string(),
        refused,
        findings: scan.finish(),
    }
}

/// Scans one file: Markdown as a SKILL.md, everything else as a bundled file.
fn file(scanner: &Arc<Scanner>, path: &Path) -> Result<Scanned, Failure> {
    let bytes = read(path)?;
    let name = |part: Option<&std::ffi::OsStr>| {
        part.and_then(std::ffi::OsStr::to_str)
            .unwrap_or_default()
            .to_owned()
    };
    let mut scan = Scan::new(Arc::clone(scanner));
    let is_markdown = path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
    let mut refused = None;
    match std::str::from_utf8(&bytes) {
        Ok(text) if is_markdown => {
            // Whether it is called as its folder is a question for those who publish it.
            match crate::content::SkillMd::parse(text) {
                Ok(read) => {
                    refused = skill_md(&mut scan, &read.name, text).err();
                }
                Err(error) => {
                    scan.skill_md(text);
                    refused = Some(error.to_string());
                }
            }
        }
        _ => scan.file(&name(path.file_name()), &bytes),
    }
    Ok(Scanned {
        name: name(path.file_stem()),
        path: path.display().to_string(),
        refused,
        findings: scan.finish(),
    })
}

/// Scans a SKILL.md; says why it would be refused, if it would.
fn skill_md(scan: &mut Scan, name: &str, text: &str) -> Result<(), String> {
    let prepared = SkillName::parse(name)
        .map_err(|error| format!("{name} is no name of a skill: {error}"))
        .and_then(|name| {
            PreparedSkill::from_skill_md(&name, text.to_owned(), String::new())
                .map_err(|error| error.to_string())
        });
    match prepared {
        Ok(prepared) => {
            scan.prepared(&prepared, None);
            Ok(())
        }
        Err(reason) => {
            scan.skill_md(text);
            Err(reason)
        }
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| {
            file.take(MAX_FILE.saturating_add(1))
                .read_to_end(&mut bytes)
        })
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(Failure::new(format!(
            "{} has more than {MAX_FILE} bytes, which no skill has; name another file",
            path.display()
        )));
    }
    Ok(bytes)
}

fn as_json(scanned: &[Scanned]) -> Value {
    let skills: Vec<Value> = scanned
        .iter()
        .map(|skill| {
            json!({
                "name": skill.name,
                "path": skill.path,
                "refused": skill.refused,
                "max_severity": skill.findings.max_severity(),
                "findings": skill.findings.items,
                "findings_omitted": skill.findings.omitted,
            })
        })
        .collect();
    json!({ "skills": skills, "counts": counts(scanned) })
}

/// How many skills have each severity as their highest.
fn counts(scanned: &[Scanned]) -> Value {
    let mut counts: serde_json::Map<String, Value> = Severity::ALL
        .iter()
        .map(|severity| {
            let count = scanned
                .iter()
                .filter(|skill| skill.findings.max_severity() == Some(*severity))
                .count();
            (severity.to_string(), count.into())
        })
        .collect();
    let refused = scanned
        .iter()
        .filter(|skill| skill.refused.is_some())
        .count();
    counts.insert("refused".to_owned(), refused.into());
    counts.insert("skills".to_owned(), scanned.len().into());
    Value::Object(counts)
}

fn human(out: Out, scanned: &[Scanned]) -> String {
    let mut text = String::new();
    for skill in scanned {
        let Findings { items, omitted } = &skill.findings;
        if items.is_empty() && skill.refused.is_none() {
            continue;
        }
        text.push_str(&format!("{}\n", safe::line(&skill.path)));
        if let Some(reason) = &skill.refused {
            let said = format!("would be refused: {reason}");
            text.push_str(&format!(
                "  {}\n",
                out.paint(style::BAD, &safe::line(&said))
            ));
        }
        for item in items {
            let style = match item.severity {
                Severity::Low => style::FAINT,
                Severity::Medium => style::WARN,
                Severity::High | Severity::Critical => style::BAD,
            };
            let line = value::finding(&json!(item));
            text.push_str(&format!("  {}\n", out.paint(style, &safe::line(&line))));
        }
        if *omitted > 0 {
            text.push_str(&format!("  and {omitted} more, which are no more severe\n"));
        }
    }
    let counts = counts(scanned);
    let named: Vec<String> = ["critical", "high", "medium", "low", "refused"]
        .iter()
        .map(|word| format!("{} {word}", value::number(&counts, word)))
        .collect();
    text.push_str(&format!(
        "{} scanned, by their most severe finding: {}\n",
        scanned.len(),
        named.join(", ")
    ));
    text
}
