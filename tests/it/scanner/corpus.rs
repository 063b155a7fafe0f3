//! Reading the corpus of `examples/hostile`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// A hostile skill.
pub(super) struct Case {
    pub(super) name: String,
    /// The rule that has to flag it; none where the reader refuses it.
    pub(super) rule: Option<String>,
    pub(super) skill_md: String,
    pub(super) files: BTreeMap<String, Vec<u8>>,
}

/// A directory of `examples`.
pub(super) fn examples(directory: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../examples")
        .join(directory)
}

/// All of them, held to the table beside them.
pub(super) fn hostile() -> Vec<Case> {
    let root = examples("hostile");
    let table = std::fs::read_to_string(root.join("expected.toml")).unwrap();
    let table: BTreeMap<String, String> = toml::from_str(&table).unwrap();
    let mut directories: Vec<String> = std::fs::read_dir(&root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    directories.sort();
    let named: Vec<&String> = table.keys().collect();
    assert_eq!(directories.iter().collect::<Vec<_>>(), named);
    table
        .into_iter()
        .map(|(name, rule)| {
            let mut files = BTreeMap::new();
            read(&root.join(&name), "", &mut files);
            let skill_md = files.remove("SKILL.md").unwrap();
            Case {
                skill_md: String::from_utf8(skill_md).unwrap(),
                rule: Some(rule).filter(|rule| rule != "refused"),
                files,
                name,
            }
        })
        .collect()
}

fn read(directory: &Path, below: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let below = format!("{below}{name}");
        if path.is_dir() {
            read(&path, &format!("{below}/"), files);
        } else {
            files.insert(below, std::fs::read(&path).unwrap());
        }
    }
}

impl Case {
    /// The case as a request that publishes, checks or proposes it.
    pub(super) fn request(&self) -> Value {
        let files: Vec<Value> = self
            .files
            .iter()
            .map(|(path, bytes)| json!({"path": path, "base64": STANDARD.encode(bytes)}))
            .collect();
        json!({"skill_md": self.skill_md, "files": files})
    }
}
