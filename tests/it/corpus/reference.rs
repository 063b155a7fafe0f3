//! The reference validator of the Agent Skills specification, beside our reader.

use std::collections::BTreeMap;
use std::process::Command;

use super::files::{accepted, refused};
use super::{BEYOND_THE_SPECIFICATION, check, codes, publisher};
use crate::harness::{TestServer, python_tools};

/// Prints each directory's verdict as a line of JSON.
const SCRIPT: &str = r#"
import json, pathlib, sys
from skills_ref import validate
for line in sys.stdin:
    directory = line.rstrip("\n")
    try:
        errors = validate(pathlib.Path(directory))
    except Exception as error:
        errors = [repr(error)]
    print(json.dumps([directory, errors]))
"#;

/// What the reader says where it refuses what the validator takes: the table in `docs/api-design.md`.
pub(super) const DOCUMENTED: [&str; 12] = [
    "does not show when read",
    "Normalization Form C",
    "nothing below the frontmatter",
    "is not closed",
    "exactly three",
    "on a line of its own",
    "name of a skill",
    "A name ",
    "1 to 64",
    "Send the body in UTF-8",
    "larger than",
    "flatter",
];

/// The validator's errors of each directory; none where it is not installed.
pub(super) fn verdicts(directories: &[String]) -> Option<BTreeMap<String, Vec<String>>> {
    use std::io::Write as _;
    use std::process::Stdio;
    let mut child = Command::new(python_tools()?.join("bin/python"))
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let text = directories.join("\n");
    let writing = std::thread::spawn(move || {
        input.write_all(text.as_bytes()).unwrap();
    });
    let output = child.wait_with_output().unwrap();
    writing.join().unwrap();
    assert!(output.status.success());
    let lines = String::from_utf8(output.stdout).unwrap();
    Some(
        lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect(),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reference_validator_agrees() {
    let (taken, refused) = (accepted(), refused());
    let directories: Vec<String> = taken
        .iter()
        .chain(&refused)
        .map(|case| case.directory.to_str().unwrap().to_owned())
        .collect();
    let Some(verdicts) = verdicts(&directories) else {
        return;
    };
    assert_eq!(verdicts.len(), directories.len());
    let server = TestServer::start().await;
    let maria = publisher(&server).await;
    let mut wrong = Vec::new();
    let mut valid = 0;
    for case in taken.iter().chain(&refused) {
        let errors = &verdicts[case.directory.to_str().unwrap()];
        let answer = check(&maria, case).await;
        let warned = codes(&answer)
            .iter()
            .any(|code| BEYOND_THE_SPECIFICATION.contains(&code.as_str()));
        match (answer.status == 200, errors.is_empty()) {
            (true, true) => valid += 1,
            (true, false) if !warned => wrong.push(format!(
                "{}/{} is taken without a warning, and the validator says {errors:?}",
                case.group, case.name
            )),
            (false, true)
                if !DOCUMENTED
                    .iter()
                    .any(|words| answer.detail().contains(words)) =>
            {
                wrong.push(format!(
                    "{}/{} is refused, and the validator takes it: {}",
                    case.group,
                    case.name,
                    answer.detail()
                ));
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{valid} of {} are valid for both", directories.len());
}
