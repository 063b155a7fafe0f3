//! The tutorials as their readers run them: every block of shell in one session, and what it prints beside what the page
//! says that it prints. `...` and `…` on a page stand for anything, alone on a line for any lines.
//!
//! `import.md` is left out: it goes on from another page, and asks for a password and an editor.

use std::net::TcpListener;
use std::path::Path;
use std::process::Stdio;

use tokio::process::Command;

use crate::harness::{Directory, program, skipped};

/// The port that the pages name, which somebody may use on this machine.
const PORT: &str = "7700";
/// The home that the pages name.
const HOME: &str = "/home/maria";
/// Ends what a block prints.
const MARK: &str = "@@ the end of a block @@";

/// A block of shell, and what the page says that it prints.
struct Step {
    shell: String,
    printed: Option<String>,
}

#[tokio::test]
async fn your_first_skill() {
    run("first-skill.md").await;
}

#[tokio::test]
async fn from_nothing_with_the_command_line() {
    run("command-line.md").await;
}

#[tokio::test]
async fn from_an_agents_lesson_to_a_tenant_skill() {
    run("lesson.md").await;
}

async fn run(page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../docs/tutorials")
        .join(page);
    let steps = steps(&std::fs::read_to_string(&path).unwrap());
    assert!(steps.len() > 3, "{page} has hardly any steps");
    for tool in ["bash", "curl", "jq"] {
        let is_used = tool == "bash" || steps.iter().any(|step| step.shell.contains(tool));
        if is_used && Command::new(tool).arg("--version").output().await.is_err() {
            skipped(&format!("{page} needs {tool}"));
            return;
        }
    }
    let printed = run_in_bash(&steps).await;
    assert_eq!(
        printed.len(),
        steps.len(),
        "{page} did not come to its end: {printed:#?}"
    );
    for (step, printed) in steps.iter().zip(&printed) {
        if let Some(expected) = &step.printed {
            assert!(
                is_as_expected(expected, printed),
                "{page}: this block\n{}\nis said to print\n{expected}\nand printed\n{printed}",
                step.shell
            );
        } else {
            assert!(
                !printed.contains("vestry: "),
                "{page}: this block\n{}\nfailed with\n{printed}",
                step.shell
            );
        }
    }
}

/// The blocks of shell of a page; a block without a language that follows one is what it prints.
fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut lines = page.lines();
    let mut may_print = false;
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            continue;
        };
        let mut block = String::new();
        for line in lines.by_ref().take_while(|line| !line.starts_with("```")) {
            block.push_str(line);
            block.push('\n');
        }
        match (language, steps.last_mut()) {
            ("sh", _) => steps.push(Step {
                shell: block,
                printed: None,
            }),
            ("", Some(step)) if may_print => step.printed = Some(block),
            _ => {}
        }
        may_print = language == "sh";
    }
    steps
}

/// What each block printed, on either stream.
async fn run_in_bash(steps: &[Step]) -> Vec<String> {
    let directory = Directory::new();
    let home = directory.path().join("home");
    let bin = directory.path().join("bin");
    for made in [&home, &bin] {
        std::fs::create_dir_all(made).unwrap();
    }
    std::os::unix::fs::symlink(program(), bin.join("vestry")).unwrap();
    // Free a moment ago; the server says so if it is not any more.
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
        .to_string();
    let mut script = String::from("exec 2>&1\ntrap 'kill $SERVER 2>/dev/null' EXIT\n");
    for step in steps {
        // Records of refusals are written up to a second after they happen.
        if step.shell.contains("audit list") || step.shell.contains("/v1/audit") {
            script.push_str("sleep 1.2\n");
        }
        for line in step.shell.lines() {
            if line.starts_with("vestry serve") {
                // "Leave it running, and open another terminal."
                script.push_str(&format!(
                    "{line} --listen 127.0.0.1:{port} >serve.out 2>serve.err & SERVER=$!\n\
                     until grep -q listening serve.out || ! kill -0 $SERVER; do sleep 0.05; done\n"
                ));
            } else {
                script.push_str(&line.replace(PORT, &port));
                script.push('\n');
            }
        }
        script.push_str(&format!("echo '{MARK}'\n"));
    }
    let output = Command::new("bash")
        .arg("-c")
        .arg(&script)
        .env_clear()
        .env("PATH", path_with(&bin))
        .env("HOME", &home)
        .env("LANG", "C.UTF-8")
        .current_dir(&home)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .unwrap();
    let text = String::from_utf8(output.stdout)
        .unwrap()
        .replace(home.to_str().unwrap(), HOME)
        .replace(&format!(":{port}"), &format!(":{PORT}"));
    let mut printed: Vec<String> = text
        .split(&format!("{MARK}\n"))
        .map(str::to_owned)
        .collect();
    // Behind the last mark.
    printed.pop();
    printed
}

/// The tools of the machine are where its PATH says.
fn path_with(bin: &Path) -> std::ffi::OsString {
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(bin.to_path_buf()).chain(std::env::split_paths(&inherited));
    std::env::join_paths(all).unwrap()
}

/// Whether what was printed is what the page says. The lines may stand in another order, as records of refusals do.
fn is_as_expected(expected: &str, printed: &str) -> bool {
    let mut unseen: Vec<&str> = printed.trim_end().lines().collect();
    let mut may_be_more = false;
    for line in expected.trim_end().lines() {
        if matches!(line, "..." | "…") {
            may_be_more = true;
            continue;
        }
        match unseen.iter().position(|printed| fits(line, printed)) {
            Some(at) => drop(unseen.remove(at)),
            None => return false,
        }
    }
    may_be_more || unseen.is_empty()
}

/// Whether a line is the one of the page, whose `...` and `…` stand for anything.
fn fits(pattern: &str, line: &str) -> bool {
    let pattern = pattern.replace("...", "…");
    let mut parts = pattern.split('…');
    let mut rest = match parts.next().and_then(|first| line.strip_prefix(first)) {
        Some(rest) => rest,
        None => return false,
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[test]
fn a_page_is_compared_with_what_is_printed() {
    for (expected, printed, fits) in [
        ("a\nb\n", "a\nb\n", true),
        ("a\nb\n", "b\na\n", true),
        ("a\n", "a\nb\n", false),
        ("a\nb\n", "a\n", false),
        ("a\n...\n", "a\nb\nc\n", true),
        ("until …; `x` ends\n", "until 12:00; `x` ends\n", true),
        ("until …; `x` ends\n", "until 12:00; `y` ends\n", false),
        ("[\"...\",1]\n", "[\"abc\",1]\n", true),
        ("a…b…c\n", "a1b2c\n", true),
        ("a…b…c\n", "a1c2b\n", false),
    ] {
        assert_eq!(
            is_as_expected(expected, printed),
            fits,
            "{expected:?} {printed:?}"
        );
    }
    let page = "x\n```sh\none\n```\n\ntext\n\n```\nprinted\n```\n```json\nno\n```\n```\nno\n```\n```sh\ntwo\n```\n";
    let steps = steps(page);
    let shown: Vec<_> = steps
        .iter()
        .map(|step| (step.shell.as_str(), step.printed.as_deref()))
        .collect();
    assert_eq!(shown, [("one\n", Some("printed\n")), ("two\n", None)]);
}
