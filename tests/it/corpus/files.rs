//! Reading the corpus from its directories.

use std::path::{Path, PathBuf};

/// A SKILL.md of the corpus.
pub(super) struct Case {
    /// The directory that it is grouped in.
    pub(super) group: String,
    /// Its own directory.
    pub(super) name: String,
    /// Where that is.
    pub(super) directory: PathBuf,
    /// The bytes of its SKILL.md.
    pub(super) skill_md: Vec<u8>,
    /// Why it is refused; empty where it is taken.
    pub(super) reason: String,
}

/// The directory of the corpus.
pub(super) fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/corpus")
}

fn directories(of: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(of)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

fn cases(group: &Path) -> Vec<Case> {
    directories(group)
        .into_iter()
        .map(|directory| Case {
            group: name_of(group),
            name: name_of(&directory),
            skill_md: std::fs::read(directory.join("SKILL.md")).unwrap_or_else(|_| too_large()),
            reason: std::fs::read_to_string(directory.join("expected.txt"))
                .unwrap_or_default()
                .trim()
                .to_owned(),
            directory,
        })
        .collect()
}

/// What `refused/too-large/generate.txt` says.
fn too_large() -> Vec<u8> {
    let mut text =
        b"---\nname: too-large\ndescription: A skill that is correct but for one thing.\n---\n"
            .to_vec();
    text.resize((1 << 20) + 1, b'a');
    text
}

/// Everything that is taken.
pub(super) fn accepted() -> Vec<Case> {
    directories(&corpus())
        .iter()
        .filter(|group| name_of(group) != "refused")
        .flat_map(|group| cases(group))
        .collect()
}

/// Everything that is refused.
pub(super) fn refused() -> Vec<Case> {
    let cases = cases(&corpus().join("refused"));
    assert!(cases.iter().all(|case| !case.reason.is_empty()));
    cases
}
