//! Instruction catalogs: the program, the module and the clients make the same of the same trees.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::process::Command;
use vestry::instructions::{Level, Places, read, scan};

use crate::clients::{examples, node, succeed};
use crate::harness::{Directory, node_tools, python_tools};

const CASES: &str = include_str!("cases.json");

fn cases() -> Vec<Value> {
    serde_json::from_str(CASES).unwrap()
}

/// Makes the trees, each in a directory that is called by its place in the table.
fn make_trees() -> Directory {
    let directory = Directory::new();
    for (index, case) in cases().iter().enumerate() {
        let base = directory.path().join(index.to_string());
        std::fs::create_dir_all(base.join("project")).unwrap();
        for (path, what) in case["tree"].as_object().unwrap() {
            let place = base.join(path);
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            if let Some(text) = what.as_str() {
                std::fs::write(place, text).unwrap();
            } else if let Some(target) = what["link"].as_str() {
                std::os::unix::fs::symlink(target, place).unwrap();
            } else {
                let made = std::process::Command::new("mkfifo").arg(place).status();
                assert!(made.unwrap().success());
            }
        }
    }
    directory
}

/// What a catalog says, as the table writes it: frontmatter, or the line of what is wrong with it.
fn told(catalog: &Value) -> (Vec<Value>, Vec<Value>) {
    let list = |key: &str| catalog[key].as_array().cloned().unwrap_or_default();
    let entries = list("entries").into_iter().map(|entry| {
        assert!(
            entry["size"].is_u64() && entry.get("body").is_none(),
            "{entry}"
        );
        let line = &entry["frontmatter_error"]["line"];
        let said = if line.is_null() {
            &entry["frontmatter"]
        } else {
            line
        };
        json!([entry["level"], entry["path"], said])
    });
    let left = list("left_out")
        .into_iter()
        .map(|left| json!([left["level"], left["path"], left["reason"]]));
    (entries.collect(), left.collect())
}

/// Holds what one of them made of all trees to the table.
fn hold(who: &str, made: &[Value]) {
    let cases = cases();
    assert_eq!(made.len(), cases.len());
    for (case, made) in cases.iter().zip(made) {
        let told = told(&made["catalog"]);
        let expected = match case.get("clients") {
            Some(entries) if who != "Rust" => entries,
            _ => &case["entries"],
        };
        let left_out = case.get("left_out").unwrap_or(&Value::Null);
        assert_eq!(&Value::from(told.0), expected, "{who}: {}", case["name"]);
        let left: Value = left_out.as_array().cloned().unwrap_or_default().into();
        assert_eq!(Value::from(told.1), left, "{who}: {}", case["name"]);
        let reads = case["reads"].as_array().cloned().unwrap_or_default();
        for (asked, made) in reads.iter().zip(made["reads"].as_array().unwrap()) {
            let Some(expected) = asked.get("expect") else {
                assert!(made["error"].is_string(), "{who}: {asked}: {made}");
                continue;
            };
            for key in ["body", "already_loaded", "changed"] {
                assert_eq!(made.get(key), expected.get(key), "{who}: {asked}: {made}");
            }
            assert!(made["digest"].as_str().unwrap().starts_with("sha256:"));
        }
    }
}

fn in_rust(trees: &Path) -> Vec<Value> {
    let one = |(index, case): (usize, &Value)| {
        let base = trees.join(index.to_string());
        let home = base.join("home");
        let places = Places {
            home: home.is_dir().then_some(home),
            project: base.join("project"),
            gitignore: case["gitignore"] == true,
        };
        let reads = case["reads"].as_array().cloned().unwrap_or_default();
        let reads = reads.iter().map(|asked| {
            let level = Level::deserialize(&asked["level"]).unwrap();
            let path = asked["path"].as_str().unwrap();
            match read(&places, level, path, asked["have"].as_str()) {
                Ok(found) => serde_json::to_value(found).unwrap(),
                Err(error) => json!({"error": error.to_string()}),
            }
        });
        json!({"reads": reads.collect::<Vec<_>>(), "catalog": scan(&places).unwrap()})
    };
    cases().iter().enumerate().map(one).collect()
}

use serde::Deserialize as _;

#[test]
fn the_module_does_what_the_table_says() {
    let trees = make_trees();
    hold("Rust", &in_rust(trees.path()));
}

/// What a script of a client prints, a line a case.
async fn script(mut command: Command, script: &Path, trees: &Path) -> Vec<Value> {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("it/instructions/cases.json");
    command
        .arg(script)
        .arg(table)
        .arg(trees)
        .stdin(Stdio::null());
    let printed = succeed(&mut command).await;
    let lines = printed
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

/// The whole answers, without the words for frontmatter that cannot be read, and without what the table has only for Rust.
fn without_words(made: &[Value]) -> Vec<Value> {
    let of = |mut value: Value| {
        if let Some(error) = value.get_mut("frontmatter_error") {
            *error = error["line"].clone();
        }
        value
    };
    let cases = cases();
    let alike = made
        .iter()
        .zip(&cases)
        .filter(|(_, case)| case.get("clients").is_none());
    alike
        .map(|(made, _)| {
            let mut made = made.clone();
            for list in ["/catalog/entries", "/reads"] {
                for one in made.pointer_mut(list).unwrap().as_array_mut().unwrap() {
                    if one.get("error").is_some() {
                        *one = json!("refused");
                    }
                    *one = of(one.take());
                }
            }
            made
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_typescript_client_does_the_same() {
    let Some(tools) = node_tools() else { return };
    let trees = make_trees();
    let place = examples("clients/typescript/tests/instructions.ts");
    let made = script(node(&tools), &place, trees.path()).await;
    hold("TypeScript", &made);
    assert_eq!(without_words(&made), without_words(&in_rust(trees.path())));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_python_client_does_the_same() {
    let Some(tools) = python_tools() else { return };
    let trees = make_trees();
    let place = examples("clients/python/tests/instructions.py");
    let mut python = Command::new(tools.join("bin/python"));
    python.env("PYTHONPATH", examples("clients/python/src"));
    let made = script(python, &place, trees.path()).await;
    hold("Python", &made);
    assert_eq!(without_words(&made), without_words(&in_rust(trees.path())));
}

/// Runs the program without a server, and gives what it exits with, prints and says.
fn program(arguments: &[&str]) -> (i32, String, String) {
    let mut command = std::process::Command::new(crate::harness::program());
    let output = command
        .arg("instructions")
        .args(arguments)
        .env_remove("VESTRY_SERVER")
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn the_program_lists_and_reads_without_a_server() {
    let trees = make_trees();
    let base = trees.path().join("0");
    let (project, home) = (base.join("project"), base.join("home"));
    let (project, home) = (project.to_str().unwrap(), home.to_str().unwrap());
    let (code, printed, _) = program(&["scan", project, "--home", home, "--json"]);
    assert_eq!(code, 0);
    let catalog: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(Value::from(told(&catalog).0), cases()[0]["entries"]);
    let (code, printed, _) = program(&["scan", project, "--no-home"]);
    assert_eq!(code, 0);
    assert!(
        printed.starts_with("LEVEL") && printed.contains("a/b/c/CLAUDE.md"),
        "{printed}"
    );
    assert!(!printed.contains("user"), "{printed}");

    let (code, printed, said) = program(&["read", project, "CLAUDE.md", "--no-home"]);
    assert_eq!((code, printed.as_str()), (0, "x"));
    let digest = said.trim().rsplit(' ').next().unwrap().to_owned();
    let (code, printed, said) =
        program(&["read", project, "CLAUDE.md", "--no-home", "--have", &digest]);
    assert_eq!((code, printed.as_str()), (0, ""));
    assert!(said.contains("already"), "{said}");
    let other = format!("sha256:{}", "0".repeat(64));
    let (_, printed, said) =
        program(&["read", project, "CLAUDE.md", "--no-home", "--have", &other]);
    assert!(
        printed == "x" && said.contains("has changed"),
        "{printed} {said}"
    );
    let (code, printed, _) = program(&[
        "read",
        project,
        "rules/a.md",
        "--level",
        "user",
        "--home",
        home,
        "--json",
    ]);
    let found: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(
        (code, &found["level"], &found["body"]),
        (0, &json!("user"), &json!("x"))
    );
    for (arguments, code, words) in [
        (
            vec!["read", project, "AGENTS.md", "--no-home"],
            1,
            "CLAUDE.md beside it",
        ),
        (
            vec!["read", project, "../home/CLAUDE.md", "--no-home"],
            1,
            "no path as the catalog writes it",
        ),
        (
            vec!["read", project, "CLAUDE.md", "--have", "x"],
            2,
            "sha256:",
        ),
        (
            vec!["read", project, "CLAUDE.md", "--level", "other"],
            2,
            "user or project",
        ),
        (
            vec!["scan", project, "--home", home, "--no-home"],
            2,
            "cannot be used with",
        ),
        (
            vec!["scan", "/nowhere/at/all", "--no-home"],
            1,
            "cannot read /nowhere/at/all",
        ),
        (
            vec!["scan", project, "--home", "/nowhere/at/all"],
            1,
            "cannot read /nowhere/at/all",
        ),
    ] {
        let (exit, _, said) = program(&arguments);
        assert_eq!(exit, code, "{arguments:?}: {said}");
        assert!(said.contains(words), "{arguments:?}: {said}");
    }
}
