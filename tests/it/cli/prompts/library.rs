//! A user's own library.

use serde_json::json;

use super::Worker;

/// Issue 8, A.3: what a library's files are for.
#[tokio::test(flavor = "multi_thread")]
async fn the_unique_most_specific_file_is_used() {
    let worker = Worker::alone();
    worker.library("plain.md", "Plain.\n");
    assert_eq!(worker.source(&[]).await, "user:plain.md");
    // Files without fields are for the primary role.
    assert_eq!(
        worker.source(&["--primary-role", "code"]).await,
        "bundled:review"
    );
    worker.library(
        "roles.md",
        "\u{feff}---\r\nfields:\r\n- review\r\n- fix\r\n---\r\nRoles.\r\n",
    );
    let prompt = worker.prompt(&["--primary-role", "code"]).await;
    assert_eq!(
        (&prompt["resolvedSource"], &prompt["template"]),
        (&json!("user:roles.md"), &json!("Roles.\r\n"))
    );
    worker.library(
        "app.md",
        "---\nrepos: [\"https://github.com/acme/app\"]\n---\nApp.\n",
    );
    let app = ["--repository", "ssh://git@GitHub.com/Acme/App.git"];
    assert_eq!(worker.source(&app).await, "user:app.md");
    assert_eq!(worker.source(&[]).await, "user:roles.md");
    worker.library(
        "other.md",
        "---\nworkflows: [release]\nrepos: [github.com/acme/app]\nfield: review\n---\nOther.\n",
    );
    assert_eq!(worker.source(&app).await, "user:app.md");
    worker.library("both.md", "---\nworkflows: [bugfix]\nrepos: [github.com/acme/app]\nfield: reviewPromptTemplate\n---\nBoth.\n");
    assert_eq!(worker.source(&app).await, "user:both.md");
    worker.library(
        "same.md",
        "---\nrepos: [github.com/acme/app]\nfields: [review]\n---\nSame.\n",
    );
    let blocked = worker.refusal(&app).await;
    assert!(blocked.contains("user:both.md, user:same.md"), "{blocked}");
    // What is explicit asks no library.
    worker
        .source(&[&app[..], &["--template", "x"]].concat())
        .await;
}

/// The repository is that of the worktree, where nobody says another.
#[tokio::test(flavor = "multi_thread")]
async fn the_repository_is_that_of_the_worktree() {
    let worker = Worker::alone();
    worker.library("app.md", "---\nrepos: [github.com/acme/app]\n---\nApp.\n");
    worker.tree(".git/config", "[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = git@github.com:acme/app.git\n");
    worker.tree(".git/HEAD", "ref: refs/heads/main\n");
    worker.tree(".git/objects/x", "");
    worker.tree(".git/refs/x", "");
    assert_eq!(worker.source(&[]).await, "user:app.md");
    assert_eq!(
        worker
            .source(&["--repository", "github.com/acme/other"])
            .await,
        "bundled:review"
    );
}

/// A hook of git runs with the variables of its own repository, and a remote may have several addresses.
#[tokio::test(flavor = "multi_thread")]
async fn the_repository_is_not_that_of_the_environment() {
    let worker = Worker::alone();
    worker.library("app.md", "---\nrepos: [github.com/acme/app]\n---\nApp.\n");
    for (name, address) in [("tree", "acme/app"), ("other", "acme/other")] {
        let config = format!(
            "[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = git@github.com:{address}.git\n\turl = git@github.com:acme/mirror.git\n"
        );
        worker.put(&format!("{name}/.git/config"), config);
        worker.put(&format!("{name}/.git/HEAD"), "ref: refs/heads/main\n");
        worker.put(&format!("{name}/.git/objects/x"), "");
        worker.put(&format!("{name}/.git/refs/x"), "");
    }
    let other = worker.path("other/.git").display().to_string();
    for variables in [
        vec![],
        vec![("GIT_DIR", other.as_str())],
        vec![
            ("GIT_CONFIG_COUNT", "1"),
            ("GIT_CONFIG_KEY_0", "remote.origin.url"),
            ("GIT_CONFIG_VALUE_0", "git@github.com:acme/other.git"),
        ],
    ] {
        let ran = worker.run(&[], &variables).await;
        assert_eq!(ran.json()["resolvedSource"], "user:app.md", "{variables:?}");
    }
}

/// Issue 8, A.3: anything unreadable fails closed, with its line.
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_ends_it() {
    let worker = Worker::alone();
    worker.library("good.md", "---\nfield: review\n---\nGood.\n");
    for (text, words) in [
        (
            &b"---\nrepos: [github.com/a/b]\nx"[..],
            "line 1: the frontmatter that begins here is not closed",
        ),
        (
            b"---\nworkflows: [a]\nrepo: github.com/a/b\n---\nx",
            "line 3: the key `repo`",
        ),
        (
            b"---\nrepos: 7\n---\nx",
            "line 2: `repos` is neither a text nor a list of texts",
        ),
        (
            b"---\nrepos: []\n---\nx",
            "line 2: `repos` is an empty list",
        ),
        (b"---\nfield: review\n---\n\n", "blank"),
        (b"", "blank"),
        (b"\xff\xfe", "no UTF-8"),
        ("Hidden\u{200b} text\n".as_bytes(), "line 1"),
    ] {
        worker.library("bad.md", text);
        let said = worker.refusal(&[]).await;
        assert!(said.contains("bad.md") && said.contains(words), "{said}");
        let listed = worker.shell.json(&["prompt", "list"]).await;
        let refused = listed["items"][0]["refused"].as_str().unwrap();
        assert!(refused.contains(words), "{refused}");
        assert_eq!(listed["items"][1]["file"], "good.md");
    }
}

/// A name that was written wrongly is no empty library, and what is not asked is said.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_missing_is_said() {
    let worker = Worker::alone();
    let said = worker.refusal(&["--library", "nowhere"]).await;
    assert!(said.contains("nowhere is no directory"), "{said}");
    let listed = worker
        .shell
        .run(&["prompt", "list", "--library", "nowhere"])
        .await;
    assert_eq!(listed.code, 1, "{}", listed.text());
    let ran = worker.run(&[], &[]).await;
    assert!(
        ran.stderr.contains("--repository says it"),
        "{}",
        ran.stderr
    );
    let ran = worker.run(&["--repository", "github.com/a/b"], &[]).await;
    assert!(!ran.stderr.contains("--repository"), "{}", ran.stderr);
    worker.tree(".conductor/review.md", "---\nfields: fix\n---\nx\n");
    let plain = [
        "prompt",
        "resolve",
        "--no-registry",
        "--worktree",
        "tree",
        "--workflow",
        "w",
        "--role",
        "review",
    ];
    let ran = worker.shell.run(&plain).await;
    assert!(ran.stderr.contains("part of the prompt"), "{}", ran.stderr);
    let both = worker.run(&["--inputs", "-", "--context", "-"], &[]).await;
    assert_eq!(both.code, 2, "{}", both.stderr);
    worker.put(
        "large.json",
        format!("{{\"a\": \"{}\"}}", "x".repeat(2 << 20)),
    );
    let said = worker.refusal(&["--context", "large.json"]).await;
    assert!(said.contains("bytes; shorten it"), "{said}");
}

/// Issue 8: README shows it in three commands.
#[tokio::test(flavor = "multi_thread")]
async fn the_three_commands_of_the_readme_work() {
    let readme =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../README.md")).unwrap();
    let section = readme
        .split("## A worker's prompt in three commands")
        .nth(1)
        .unwrap();
    let commands = section.split("```\n").nth(1).unwrap();
    assert_eq!(commands.lines().count(), 3, "{commands}");
    let worker = Worker::alone();
    let program = crate::harness::program();
    let script = format!(
        "set -e\nvestry() {{ '{}' \"$@\"; }}\n{commands}",
        program.display()
    );
    let ran = std::process::Command::new("sh")
        .args(["-c", &script])
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", worker.shell.home.path())
        .env("VESTRY_CONFIG", worker.shell.config())
        .current_dir(worker.shell.home.path())
        .output()
        .unwrap();
    let printed = String::from_utf8(ran.stdout).unwrap();
    assert!(
        ran.status.success(),
        "{printed}{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    assert!(
        printed.ends_with(
            "Review fix/41 for lost data first.\n\n## Context\n\n### ticket\n\nRows vanish.\n"
        ),
        "{printed}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_library_is_listed_shown_added_to_and_edited() {
    let worker = Worker::alone();
    let shell = &worker.shell;
    std::fs::remove_dir(worker.path("config/prompts")).unwrap();
    let none = shell.ok(&["prompt", "list"]).await;
    assert!(none.contains("vestry prompt add"), "{none}");
    let text = "---\nfields: [review]\nrepos:\n- git@github.com:Acme/App\n---\nReview.\n";
    worker.put("review.md", text);
    shell.ok(&["prompt", "add", "review.md"]).await;
    let listed = shell.ok(&["prompt", "list"]).await;
    assert!(
        listed.contains("github.com/acme/app") && listed.contains("review.md"),
        "{listed}"
    );
    assert_eq!(shell.ok(&["prompt", "show", "review"]).await, text);
    let again = shell.run(&["prompt", "add", "review.md"]).await;
    assert_eq!(again.code, 1);
    assert!(again.stderr.contains("--replace"), "{}", again.stderr);
    worker.put("bad.md", "---\nrepo: x\n---\nx");
    let bad = shell.run(&["prompt", "add", "bad.md"]).await;
    assert_eq!(bad.code, 1);
    assert!(
        bad.stderr.contains("line 2: the key `repo`"),
        "{}",
        bad.stderr
    );
    let stdin = shell
        .run_with(&["prompt", "add", "-", "--name", "plan"], "Plan.\n")
        .await;
    assert_eq!(stdin.code, 0, "{}", stdin.stderr);
    for name in ["../x", ".x", "a/b", "a b"] {
        let refused = shell.run(&["prompt", "show", name]).await;
        assert_eq!(refused.code, 2, "{name}: {}", refused.stderr);
    }
    // What an editor leaves is checked before it is kept, and not lost.
    let edit = [
        "prompt",
        "edit",
        "plan",
        "--editor",
        "printf 'Better.\\n' > \"$1\"; true",
    ];
    shell.ok(&edit).await;
    assert_eq!(shell.ok(&["prompt", "show", "plan"]).await, "Better.\n");
    let edit = [
        "prompt",
        "edit",
        "plan",
        "--editor",
        "printf -- '---\\nrepo: x\\n---\\nx' > \"$1\"; true",
    ];
    let refused = shell.run(&edit).await;
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.contains("the key `repo`"),
        "{}",
        refused.stderr
    );
    let kept = refused.stderr.split("kept in ").nth(1).unwrap().trim();
    assert_eq!(
        std::fs::read_to_string(kept).unwrap(),
        "---\nrepo: x\n---\nx"
    );
    assert_eq!(shell.ok(&["prompt", "show", "plan"]).await, "Better.\n");
}

/// A library may be links into a repository of templates that others read too.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_link_leads_to_is_changed_and_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt as _;

    let worker = Worker::alone();
    let shell = &worker.shell;
    worker.put("team/plan.md", "Plan.\n");
    let file = worker.path("team/plan.md");
    let mode = || file.metadata().unwrap().permissions().mode() & 0o777;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    super::link("../../team/plan.md", worker.path("config/prompts/plan.md"));
    let edit = [
        "prompt",
        "edit",
        "plan",
        "--editor",
        "printf 'Better.\\n' > \"$1\"; true",
    ];
    shell.ok(&edit).await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "Better.\n");
    worker.put("new.md", "New.\n");
    shell
        .ok(&["prompt", "add", "new.md", "--name", "plan", "--replace"])
        .await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "New.\n");
    assert_eq!(mode(), 0o644);
    assert!(worker.path("config/prompts/plan.md").is_symlink());
    // An editor that removes its file leaves nothing to keep, and the template as it was.
    let edit = ["prompt", "edit", "plan", "--editor", "rm \"$1\"; true"];
    let refused = shell.run(&edit).await;
    assert_eq!(refused.code, 1);
    assert!(!refused.stderr.contains("kept in"), "{}", refused.stderr);
    assert_eq!(shell.ok(&["prompt", "show", "plan"]).await, "New.\n");
}

/// Nothing waits for a pipe, or reads a device for ever.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_file_is_not_waited_for() {
    let worker = Worker::alone();
    let pipe = worker.path("config/prompts/pipe.md");
    let made = std::process::Command::new("mkfifo").arg(pipe).status();
    assert!(made.unwrap().success());
    super::link("/dev/zero", worker.path("config/prompts/zero.md"));
    for name in ["pipe", "zero"] {
        for command in ["show", "edit"] {
            let refused = worker.shell.run(&["prompt", command, name]).await;
            assert_eq!(refused.code, 1);
            assert!(
                refused.stderr.contains("no regular file"),
                "{command} {name}: {}",
                refused.stderr
            );
        }
    }
}
