use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn put(root: &Path, path: &str, text: &str) {
    let place = root.join(path);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(place, text).unwrap();
}

fn places(root: &Path) -> Places {
    let home = root.join("home");
    Places {
        home: home.is_dir().then_some(home),
        project: root.join("project"),
        gitignore: false,
    }
}

/// The catalog as level and path.
fn listed(catalog: &Catalog) -> Vec<String> {
    let entries = catalog.entries.iter();
    entries
        .map(|entry| format!("{}:{}", entry.level, entry.path))
        .collect()
}

fn left_out(catalog: &Catalog) -> Vec<(&str, &str)> {
    let left = catalog.left_out.iter();
    left.map(|left| (left.path.as_str(), left.reason.as_str()))
        .collect()
}

#[test]
fn both_levels_are_listed_by_their_rules_in_order() {
    let tree = tempfile::tempdir().unwrap();
    let root = tree.path();
    for path in [
        "home/CLAUDE.md",
        "home/AGENTS.md",
        "home/rules/b/deep/x.md",
        "home/rules/a.md",
        "home/rules/a.txt",
        "home/other/CLAUDE.md",
        "home/notes.md",
        "project/CLAUDE.md",
        "project/AGENTS.md",
        "project/b/AGENTS.md",
        "project/b/README.md",
        "project/a/b/c/CLAUDE.md",
        "project/rules/x.md",
        "project/Z/claude.md",
        "project/B/CLAUDE.md",
    ] {
        put(root, path, "x");
    }
    for skipped in SKIPPED {
        put(root, &format!("project/a/{skipped}/CLAUDE.md"), "x");
        put(root, &format!("home/rules/{skipped}/x.md"), "x");
    }
    let catalog = scan(&places(root)).unwrap();
    assert_eq!(
        listed(&catalog),
        [
            "user:CLAUDE.md",
            "user:rules/a.md",
            "user:rules/b/deep/x.md",
            "project:B/CLAUDE.md",
            "project:CLAUDE.md",
            "project:a/b/c/CLAUDE.md",
            "project:b/AGENTS.md",
        ]
    );
    assert_eq!(catalog.truncated, 0);
    assert!(catalog.left_out.is_empty(), "{:?}", catalog.left_out);
    // What is named as a directory that is skipped may be looked into itself.
    let places = Places {
        home: None,
        project: root.join("project/a/build"),
        gitignore: false,
    };
    assert_eq!(listed(&scan(&places).unwrap()), ["project:CLAUDE.md"]);
}

#[test]
fn entries_have_frontmatter_and_no_body() {
    let tree = tempfile::tempdir().unwrap();
    let root = tree.path();
    put(
        root,
        "project/CLAUDE.md",
        "\u{feff}---\r\ndescription: Use it.\r\npaths:\r\n  - a\r\n---\r\nSECRET\r\n",
    );
    put(root, "project/a/CLAUDE.md", "SECRET\n");
    put(
        root,
        "project/b/CLAUDE.md",
        "---\nok: 1\nok: 2\n---\nSECRET\n",
    );
    put(root, "project/c/CLAUDE.md", "---\nSECRET\n");
    let catalog = scan(&places(root)).unwrap();
    let json = serde_json::to_value(&catalog).unwrap();
    assert!(!json.to_string().contains("SECRET"), "{json}");
    let said: Vec<(Value, Value)> = catalog
        .entries
        .iter()
        .map(|entry| {
            let line = entry.frontmatter_error.as_ref().map(|error| error.line);
            (json!(entry.frontmatter), json!(line))
        })
        .collect();
    assert_eq!(
        said,
        [
            (
                json!({"description": "Use it.", "paths": ["a"]}),
                json!(null)
            ),
            (json!(null), json!(null)),
            (json!(null), json!(3)),
            (json!(null), json!(1)),
        ]
    );
    assert_eq!(
        json["entries"][1],
        json!({"level": "project", "path": "a/CLAUDE.md", "size": 7, "frontmatter": null})
    );
}

#[test]
fn links_pipes_and_names_that_are_no_text_are_left_out_with_a_reason() {
    let tree = tempfile::tempdir().unwrap();
    let root = tree.path();
    put(root, "outside/CLAUDE.md", "SECRET");
    put(root, "project/AGENTS.md", "x");
    put(root, "project/docs/real.txt", "---\na: b\n---\n");
    put(root, "project/.git/config", "SECRET");
    let link = |target: &str, path: &str| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, path).unwrap();
    };
    link("AGENTS.md", "project/CLAUDE.md");
    link("../docs/real.txt", "project/inside/CLAUDE.md");
    link("../../outside/CLAUDE.md", "project/out/CLAUDE.md");
    link("../.git/config", "project/skipped/CLAUDE.md");
    link("nothing", "project/dangling/CLAUDE.md");
    put(root, "project/dangling/AGENTS.md", "x");
    link("CLAUDE.md", "project/itself/CLAUDE.md");
    link("../docs", "project/folder/CLAUDE.md");
    // Loops, and a way out, which are not followed.
    link("..", "project/loop/up");
    link(".", "project/loop/here");
    link("../../outside", "project/loop/out");
    put(root, "project/pipe/x", "x");
    let pipe = root.join("project/pipe/CLAUDE.md");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        0o600.into(),
        0,
    )
    .unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"project/\xff");
    fs::create_dir(root.join(odd)).unwrap();
    fs::write(root.join(odd).join("CLAUDE.md"), "x").unwrap();
    let catalog = scan(&places(root)).unwrap();
    assert_eq!(
        listed(&catalog),
        [
            "project:CLAUDE.md",
            "project:dangling/AGENTS.md",
            "project:inside/CLAUDE.md"
        ]
    );
    assert_eq!(
        left_out(&catalog)
            .into_iter()
            .filter(|(path, _)| *path != "itself/CLAUDE.md")
            .collect::<Vec<_>>(),
        [
            ("dangling/CLAUDE.md", "a symbolic link to nothing"),
            ("folder/CLAUDE.md", "a symbolic link to what is no file"),
            (
                "out/CLAUDE.md",
                "a symbolic link that leads out of the directory"
            ),
            ("pipe/CLAUDE.md", "neither a file nor a directory"),
            (
                "skipped/CLAUDE.md",
                "a symbolic link into a directory that is skipped"
            ),
            ("\u{fffd}", "its name is no Unicode text; rename it"),
        ]
    );
    assert_eq!(catalog.left_out.len(), 7);
    // What is not listed is not read either.
    for path in [
        "out/CLAUDE.md",
        "skipped/CLAUDE.md",
        "pipe/CLAUDE.md",
        "loop/out/CLAUDE.md",
        "loop/here/AGENTS.md",
        "AGENTS.md",
        ".git/CLAUDE.md",
        "docs/real.txt",
        "../outside/CLAUDE.md",
        "a/../CLAUDE.md",
        "/CLAUDE.md",
        "inside//CLAUDE.md",
        "",
        "missing/CLAUDE.md",
    ] {
        let error = read(&places(root), Level::Project, path, None).unwrap_err();
        assert!(
            matches!(error, ReadError::Unlisted { .. }),
            "{path}: {error}"
        );
    }
    let inside = read(&places(root), Level::Project, "inside/CLAUDE.md", None).unwrap();
    assert_eq!(inside.frontmatter.unwrap()["a"], "b");
}

use std::os::unix::ffi::OsStrExt as _;

#[test]
fn a_file_is_read_once_and_again_when_it_has_changed() {
    let tree = tempfile::tempdir().unwrap();
    let root = tree.path();
    put(root, "project/CLAUDE.md", "---\na: b\n---\nDo it.\n");
    let get = |have: Option<&str>| read(&places(root), Level::Project, "CLAUDE.md", have);
    let first = get(None).unwrap();
    assert_eq!(first.body.as_deref(), Some("Do it.\n"));
    assert!(!first.already_loaded && !first.changed);
    assert_eq!(
        first.digest,
        crate::content::sha256_text(b"---\na: b\n---\nDo it.\n")
    );
    let again = get(Some(&first.digest)).unwrap();
    assert!(again.already_loaded && !again.changed && again.body.is_none());
    put(root, "project/CLAUDE.md", "Do else.\n");
    let changed = get(Some(&first.digest)).unwrap();
    assert!(!changed.already_loaded && changed.changed);
    assert_eq!(changed.body.as_deref(), Some("Do else.\n"));
    assert_ne!(changed.digest, first.digest);

    for (text, words) in [
        (vec![b'x'; 1 << 20], None),
        (vec![b'x'; (1 << 20) + 1], Some("1048576 bytes")),
        (vec![0xff], Some("no UTF-8")),
    ] {
        fs::write(root.join("project/CLAUDE.md"), text).unwrap();
        match (get(None), words) {
            (Ok(_), None) => {}
            (Err(error), Some(words)) => assert!(error.to_string().contains(words), "{error}"),
            (found, _) => panic!("{words:?}: {found:?}"),
        }
    }
    let missing = Places {
        project: root.join("nowhere"),
        ..places(root)
    };
    assert!(scan(&missing).unwrap_err().to_string().contains("nowhere"));
}

#[test]
fn gitignore_files_are_asked_only_when_they_shall_be() {
    let tree = tempfile::tempdir().unwrap();
    let root = tree.path();
    for path in [
        "project/gen/CLAUDE.md",
        "project/a/gen/x/CLAUDE.md",
        "project/a/keep/CLAUDE.md",
        "project/a/CLAUDE.md",
        "project/a/AGENTS.md",
        "project/b/one/CLAUDE.md",
        "project/b/two/CLAUDE.md",
        "project/rooted/CLAUDE.md",
        "project/a/rooted/CLAUDE.md",
    ] {
        put(root, path, "x");
    }
    put(
        root,
        "project/.gitignore",
        "# made\ngen/\n/rooted\nb/*\n!b/two\n",
    );
    put(root, "project/a/.gitignore", "/CLAUDE.md\r\n");
    assert_eq!(scan(&places(root)).unwrap().entries.len(), 8);
    let asked = Places {
        gitignore: true,
        ..places(root)
    };
    assert_eq!(
        listed(&scan(&asked).unwrap()),
        [
            "project:a/AGENTS.md",
            "project:a/keep/CLAUDE.md",
            "project:a/rooted/CLAUDE.md",
            "project:b/two/CLAUDE.md",
        ]
    );
    for path in [
        "gen/CLAUDE.md",
        "a/gen/x/CLAUDE.md",
        "a/CLAUDE.md",
        "rooted/CLAUDE.md",
    ] {
        assert!(read(&asked, Level::Project, path, None).is_err(), "{path}");
        assert!(
            read(&places(root), Level::Project, path, None).is_ok(),
            "{path}"
        );
    }
    // What is ignored hides nothing.
    assert!(read(&asked, Level::Project, "a/AGENTS.md", None).is_ok());
    assert!(read(&places(root), Level::Project, "a/AGENTS.md", None).is_err());
}

/// As many files as `VESTRY_INSTRUCTION_FILES` says: the first 200 are listed, the rest is counted.
#[test]
#[expect(clippy::disallowed_methods, reason = "how many is a knob of this test")]
fn many_files_are_counted_and_the_first_200_are_listed() {
    let count: u64 =
        std::env::var("VESTRY_INSTRUCTION_FILES").map_or(20_000, |count| count.parse().unwrap());
    let tree = tempfile::tempdir().unwrap();
    let root = tree.path();
    for index in 0..count / 2 {
        let folder = root.join(format!("project/{}/{index}", index % 100));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("CLAUDE.md"), "---\na: b\n---\n").unwrap();
        fs::write(folder.join("main.rs"), "x").unwrap();
    }
    let begun = std::time::Instant::now();
    let catalog = scan(&places(root)).unwrap();
    let took = begun.elapsed();
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM"));
    println!("{count} files: {took:?}, {peak:?}");
    assert_eq!(catalog.entries.len(), 200);
    assert_eq!(catalog.truncated, count / 2 - 200);
    let mut all: Vec<String> = (0..count / 2)
        .map(|index| format!("project:{}/{index}/CLAUDE.md", index % 100))
        .collect();
    all.sort();
    all.truncate(200);
    assert_eq!(listed(&catalog), all);
}

/// A generated entry: a file, a directory, a link to some path, below a directory that an earlier one made or the root.
#[derive(Debug, Clone)]
enum Made {
    File(String),
    Link(String, String),
}

fn made() -> impl Strategy<Value = Vec<Made>> {
    let segment = prop::sample::select(vec![
        "a",
        "b",
        "rules",
        "build",
        "CLAUDE.md",
        "AGENTS.md",
        "x.md",
        "é",
    ]);
    let path = prop::collection::vec(segment, 1..4).prop_map(|segments| segments.join("/"));
    let target = prop::sample::select(vec![
        "..",
        ".",
        "../..",
        "../../outside/secret.md",
        "../outside",
        "AGENTS.md",
        "CLAUDE.md",
        "a",
        "/",
        "../b/CLAUDE.md",
        "a/x.md",
        "build/CLAUDE.md",
        "../../../../../../../../etc/hostname",
    ]);
    let root = prop::sample::select(vec!["project/", "home/"]);
    let one = (root, path, prop::option::of(target)).prop_map(|(root, path, target)| {
        let path = format!("{root}{path}");
        match target {
            Some(target) => Made::Link(path, target.to_owned()),
            None => Made::File(path),
        }
    });
    prop::collection::vec(one, 0..24)
}

/// Makes what can be made: what is in the way of another is left out.
fn make(root: &Path, tree: &[Made]) {
    put(root, "outside/secret.md", "SECRET");
    put(root, "outside/CLAUDE.md", "SECRET");
    fs::create_dir_all(root.join("project")).unwrap();
    fs::create_dir_all(root.join("home")).unwrap();
    for one in tree {
        let (Made::File(path) | Made::Link(path, _)) = one;
        let place = root.join(path);
        let parent = place.parent().unwrap();
        let is_inside = fs::create_dir_all(parent).is_ok()
            && fs::canonicalize(parent)
                .unwrap()
                .starts_with(fs::canonicalize(root).unwrap())
            && !fs::canonicalize(parent)
                .unwrap()
                .starts_with(fs::canonicalize(root.join("outside")).unwrap());
        if is_inside && fs::symlink_metadata(&place).is_err() {
            let _ = match one {
                Made::File(path) => fs::write(&place, format!("---\nat: {path:?}\n---\n{path}")),
                Made::Link(_, target) => symlink(target, &place),
            };
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    /// Nothing outside of the roots is listed or read, whatever the links are; what is listed is read, and nothing else is; the
    /// order in which the tree was made is of no matter.
    #[test]
    fn nothing_leads_out_of_the_roots(tree in made()) {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path();
        make(root, &tree);
        let places = places(root);
        let catalog = scan(&places).unwrap();
        let text = serde_json::to_string(&catalog).unwrap();
        prop_assert!(!text.contains("SECRET"), "{text}");
        prop_assert_eq!(&catalog, &scan(&places).unwrap());
        let keys: Vec<(Level, &str)> = catalog.entries.iter().map(|entry| (entry.level, entry.path.as_str())).collect();
        prop_assert!(keys.is_sorted());
        let unique: BTreeSet<_> = keys.iter().collect();
        prop_assert_eq!(unique.len(), keys.len());
        for level in [Level::User, Level::Project] {
            let base = root.join(if level == Level::User { "home" } else { "project" });
            let inside = fs::canonicalize(&base).unwrap();
            // Every path that could be one, through links as well.
            let mut paths: BTreeSet<String> = keys.iter().filter(|key| key.0 == level).map(|key| key.1.to_owned()).collect();
            for one in &tree {
                let (Made::File(path) | Made::Link(path, _)) = one;
                let path = path.split_once('/').unwrap().1;
                paths.insert(path.to_owned());
                for name in ["CLAUDE.md", "AGENTS.md", "x.md", "outside/CLAUDE.md", "secret.md"] {
                    paths.insert(format!("{path}/{name}"));
                }
            }
            for path in paths {
                let found = read(&places, level, &path, None);
                prop_assert_eq!(found.is_ok(), keys.contains(&(level, &path)), "{} {}: {:?}", level, path, found);
                if let Ok(found) = found {
                    prop_assert!(!found.body.unwrap().contains("SECRET"));
                    let place = fs::canonicalize(base.join(&path)).unwrap();
                    prop_assert!(place.starts_with(&inside), "{place:?}");
                }
            }
        }
    }

    /// The smallest 200 of any many, whatever their order.
    #[test]
    fn the_smallest_are_kept_in_any_order(mut items in prop::collection::vec(0_u32..400, 0..500)) {
        let mut smallest = smallest::Smallest::new();
        items.iter().for_each(|item| smallest.push(*item));
        let (kept, more) = smallest.into_sorted();
        items.sort_unstable();
        prop_assert_eq!(more, items.len().saturating_sub(200) as u64);
        items.truncate(200);
        prop_assert_eq!(kept, items);
    }
}
