//! What is taken of a repository, which others than the user write (issue 8, A.4).

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::{Worker, link};

#[tokio::test(flavor = "multi_thread")]
async fn both_layers_of_the_repository_can_be_switched_off() {
    let worker = Worker::alone();
    worker.tree(".conductor/review.md", "Repository.\n");
    worker.tree("p.md", "Path.\n");
    for (name, value) in [
        ("VESTRY_REPO_TEMPLATES", "0"),
        ("VESTRY_REPO_TEMPLATES", "False"),
        ("VESTRY_REPO_TEMPLATES", "no"),
        ("VESTRY_REPO_TEMPLATES", ""),
        ("CODING_AGENT_REPO_TEMPLATES", "off"),
        ("CODING_AGENT_REPO_TEMPLATES", ""),
    ] {
        let off = [(name, value)];
        let ran = worker.run(&[], &off).await;
        assert_eq!(ran.json()["resolvedSource"], "bundled:review", "{off:?}");
        let ran = worker.run(&["--template", "@p.md"], &off).await;
        assert_eq!(ran.code, 1, "{off:?}");
        assert!(ran.stderr.contains("switched off"), "{}", ran.stderr);
        let ran = worker.run(&["--template", "@@p.md"], &off).await;
        assert_eq!(ran.json()["template"], "@p.md", "{off:?}");
    }
    let ran = worker.run(&[], &[("VESTRY_REPO_TEMPLATES", "1")]).await;
    assert_eq!(ran.json()["resolvedSource"], "repo:.conductor/review.md");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_is_of_the_worktree_or_an_error() {
    let worker = Worker::alone();
    worker.put("secret.md", "Secret.\n");
    worker.tree("a/in.md", "In.\n");
    worker.tree("blank.md", "\n");
    worker.tree("bytes.md", b"\xff");
    worker.tree("large.md", "x".repeat((1 << 20) + 1));
    link("../secret.md", worker.path("tree/out.md"));
    link("..", worker.path("tree/up"));
    link("a", worker.path("tree/b"));
    link("a/in.md", worker.path("tree/in.md"));
    link("nothing", worker.path("tree/dangling.md"));
    link("nothing", worker.path("tree/gone"));
    link("loop.md", worker.path("tree/loop.md"));
    link(worker.path("tree/a/in.md"), worker.path("tree/absolute.md"));
    let made = std::process::Command::new("mkfifo")
        .arg(worker.path("tree/pipe.md"))
        .status();
    assert!(made.unwrap().success());
    for path in ["a/in.md", "b/in.md", "in.md", "absolute.md", "./a/in.md"] {
        let prompt = worker.prompt(&["--template", &format!("@{path}")]).await;
        assert_eq!(prompt["template"], "In.\n", "{path}");
        assert_eq!(prompt["resolvedSource"], format!("repo:@{path}"));
    }
    for (path, words) in [
        ("missing.md", "not in the worktree"),
        ("a/in.md/x", "not in the worktree"),
        // What `..` leads to depends on links, and on whether what is before it is there.
        ("../secret.md", "without `..`"),
        ("a/../a/in.md", "without `..`"),
        ("missing/../a/in.md", "without `..`"),
        ("a/in.md/.", "no path in the worktree"),
        ("out.md", "out of the worktree"),
        ("up/secret.md", "out of the worktree"),
        ("/etc/passwd", "no path in the worktree"),
        ("", "no path in the worktree"),
        ("a", "refused"),
        ("dangling.md", "link to nothing"),
        ("gone/in.md", "link to nothing"),
        ("loop.md", "refused"),
        ("pipe.md", "refused"),
        ("blank.md", "blank"),
        ("bytes.md", "no UTF-8"),
        ("large.md", "bytes"),
    ] {
        let said = worker.refusal(&["--template", &format!("@{path}")]).await;
        assert!(said.contains(words), "{path}: {said}");
        assert!(!said.contains("Secret"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_committed_file_is_of_the_worktree_or_an_error() {
    let worker = Worker::alone();
    worker.put("secret/review.md", "Secret.\n");
    let file = worker.path("tree/.conductor/review.md");
    link("../../secret/review.md", &file);
    assert!(worker.refusal(&[]).await.contains("out of the worktree"));
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    assert!(worker.refusal(&[]).await.contains("refused"));
    std::fs::remove_dir(&file).unwrap();
    // Keys are base names, wherever they point to.
    worker.tree(".conductor/review.md", "Repository.\n");
    for key in [
        "review",
        "review.md",
        "../../secret/review",
        "/secret/review.md",
    ] {
        let prompt = worker.prompt(&["--key", key]).await;
        assert_eq!(prompt["template"], "Repository.\n", "{key}");
        assert_eq!(prompt["templateKey"], "review");
    }
    for key in ["..", "", "a b", "secret/.."] {
        let ran = worker.run(&["--key", key], &[]).await;
        assert_eq!(ran.code, 2, "{key}");
    }
    // A directory that is a link to nothing: templates were meant to be there.
    std::fs::remove_dir_all(worker.path("tree/.conductor")).unwrap();
    link("nothing", worker.path("tree/.conductor"));
    assert!(worker.refusal(&[]).await.contains("link to nothing"));
    std::fs::remove_file(worker.path("tree/.conductor")).unwrap();
    worker.tree(".conductor/review.md", "Repository.\n");
    // A directory that is a link out of the worktree.
    std::fs::remove_dir_all(worker.path("tree/.conductor")).unwrap();
    link("../secret", worker.path("tree/.conductor"));
    assert!(worker.refusal(&[]).await.contains("out of the worktree"));
}

/// What a repository has in `.git` was not committed to it: addresses with passwords in them.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_committed_is_no_template() {
    let worker = Worker::alone();
    for name in [".git", ".Git"] {
        worker.tree(
            &format!("{name}/config"),
            "url = https://me:Secret@github.com/acme/app\n",
        );
    }
    link(".git", worker.path("tree/git"));
    for path in [".git/config", "git/config", "./.git/config", ".Git/config"] {
        let said = worker.refusal(&["--template", &format!("@{path}")]).await;
        assert!(said.contains("into `.git`"), "{path}: {said}");
        assert!(!said.contains("Secret"), "{said}");
    }
    let file = worker.path("tree/.conductor/review.md");
    for target in ["../.git/config", "../git/config"] {
        link(target, &file);
        let said = worker.refusal(&[]).await;
        assert!(said.contains("into `.git`"), "{target}: {said}");
        assert!(!said.contains("Secret"), "{said}");
        std::fs::remove_file(&file).unwrap();
    }
}

/// A path of a generated tree, of directories, files and links to anywhere.
#[derive(Debug, Clone)]
struct Made {
    at: Vec<u8>,
    link: Option<Vec<u8>>,
}

const NAMES: [&str; 5] = ["a", "b", "c", "..", "."];

fn path(of: &[u8]) -> String {
    let parts: Vec<&str> = of
        .iter()
        .map(|at| NAMES[usize::from(*at) % NAMES.len()])
        .collect();
    parts.join("/")
}

/// Nothing escapes the worktree, whatever links are in it: what is read has a text that only files inside have.
#[test]
fn nothing_of_outside_is_read_through_any_link() {
    let made = (
        prop::collection::vec(0_u8..3, 1..4),
        prop::option::of(prop::collection::vec(0_u8..5, 1..6)),
    );
    let made = made.prop_map(|(at, link)| Made { at, link });
    let trees = (
        prop::collection::vec(made, 1..12),
        prop::collection::vec(0_u8..5, 1..6),
    );
    let mut runner = TestRunner::new(Config {
        failure_persistence: None,
        ..Config::with_cases(256)
    });
    runner
        .run(&trees, |(tree, asked)| {
            let directory = crate::harness::Directory::new();
            let root = directory.path().join("tree");
            std::fs::create_dir(&root).unwrap();
            for name in ["a", "b", "c"] {
                std::fs::create_dir(directory.path().join(name)).unwrap();
                for inner in ["a", "b", "c"] {
                    std::fs::write(directory.path().join(name).join(inner), "outside").unwrap();
                }
            }
            for Made { at, link: target } in &tree {
                let at = root.join(path(at));
                if let Some(parent) = at.parent() {
                    // A link on the way may lead out: nothing is made there.
                    let inside = std::fs::create_dir_all(parent).is_ok()
                        && parent
                            .canonicalize()
                            .is_ok_and(|real| real.starts_with(root.canonicalize().unwrap()));
                    if !inside {
                        continue;
                    }
                }
                let _ = match target {
                    Some(target) => std::os::unix::fs::symlink(path(target), &at),
                    None if at.symlink_metadata().is_err() => std::fs::write(&at, "inside"),
                    None => Ok(()),
                };
            }
            let worktree = vestry::prompts::Worktree::open(&root).unwrap();
            if let Ok(Some(text)) = worktree.read(&path(&asked)) {
                prop_assert_eq!(text, "inside");
            }
            Ok(())
        })
        .unwrap();
}
