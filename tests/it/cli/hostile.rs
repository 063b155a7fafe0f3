//! A server that means harm: its texts move no cursor, its lists end, its paths lead nowhere.

use serde_json::{Value, json};
use vestry::content::digest::{ManifestFile, of_bytes, of_manifest};

use super::Shell;
use super::fake::{Fake, Said};
use crate::harness::Directory;

const NASTY: &str = "a\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}1A\r\u{202e}b";

/// What a terminal would act on.
fn acts(text: &str) -> bool {
    text.chars()
        .any(|c| (c.is_control() && c != '\n') || c == '\u{202e}')
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_of_the_server_are_escaped_for_people_and_left_alone_for_scripts() {
    let fake = Fake::start(|asked| {
        if asked.contains("/v1/skills/global/denied") {
            return Said::json(403, &json!({"code": "refused", "detail": NASTY, "rule": NASTY, "field": NASTY}));
        }
        let one = json!({
            "name": NASTY, "description": NASTY, "scope": NASTY, "revision": 1, "digest": NASTY, "status": NASTY,
            "author": NASTY, "message": NASTY, "body": NASTY, "principal": NASTY, "scopes": [NASTY], "role": NASTY,
            "turn": NASTY, "block": NASTY, "offer": "x", "expires_at": NASTY, "unified": NASTY, "omitted": 3,
            "omitted_names": [NASTY], "username": NASTY, "tenant": NASTY, "id": NASTY, "key": NASTY, "at": NASTY,
            "warnings": [NASTY], "shadows": [NASTY], "files": [{"path": NASTY, "size": 1}],
            "blocked": [{"name": NASTY, "scope": NASTY, "by": NASTY}], "setting": NASTY,
            "recalled": [{"scope": NASTY, "name": NASTY, "revision": 1, "rule": NASTY}],
            "from": {}, "to": {}, "lines": [{"revision": 1, "author": NASTY, "at": NASTY, "text": NASTY}],
        });
        let mut answer = one.clone();
        answer["access_token"] = NASTY.into();
        answer["hidden"] = true.into();
        answer["max_cap"] = NASTY.into();
        answer["entries"] = json!([one]);
        answer["items"] = json!([one]);
        Said::json(200, &answer)
    })
    .await;
    let shell = Shell::of(fake.url());
    let given = [
        "--server",
        &shell.server,
        "--token",
        "x",
        "--color",
        "never",
    ];
    for arguments in [
        &["whoami"][..],
        &["skill", "list"],
        &["skill", "list", "--scope", "global"],
        &["skill", "show", "global/x"],
        &["skill", "history", "global/x"],
        &["skill", "diff", "global/x", "--from", "1", "--to", "2"],
        &["skill", "blame", "global/x"],
        &["skill", "seal", "global/x", "--reason", "x"],
        &["skill", "hide", "x", "--tenant", "t", "--reason", "x"],
        &["skill", "recall", "x", "--reason", "x"],
        &["catalog"],
        &["users", "list"],
        &["tenants", "list"],
        &["members", "list", "--tenant", "t"],
        &["members", "set", "x", "--tenant", "t", "--role", "member"],
        &["services", "list", "--tenant", "t"],
        &["services", "create", "x", "--tenant", "t"],
        &["keys", "list"],
        &["keys", "create", "x"],
        &["settings", "show", "--tenant", "t"],
        &["audit", "list"],
        &["token", "mint", "--actor", "a", "--agent", "b"],
        &["skill", "archive", "global/denied"],
        &["doctor"],
    ] {
        let mut all = arguments.to_vec();
        all.extend(given);
        let ran = shell.run(&all).await;
        assert_ne!(ran.code, 2, "{arguments:?}: {}", ran.stderr);
        let printed = format!("{}{}", ran.text(), ran.stderr);
        assert!(!printed.is_empty(), "{arguments:?} says nothing");
        assert!(!acts(&printed), "{arguments:?}: {printed:?}");
    }
    // A script gets what the server sent.
    let mut all = vec!["whoami", "--json"];
    all.extend(given);
    assert_eq!(shell.run(&all).await.json()["principal"], NASTY);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_vestry_server_is_said_to_be_none() {
    for said in [
        || Said::of("text/html", b"<html>hello</html>"),
        || Said::status(500),
        || Said::json(418, &json!("teapot")),
    ] {
        let fake = Fake::start(move |_| said()).await;
        let shell = Shell::of(fake.url());
        let arguments = [
            "login",
            "--server",
            &shell.server,
            "--username",
            "x",
            "--password-stdin",
        ];
        let sentence = shell.run_with(&arguments, "a password").await.sentence(1);
        let says_so = ["is it a vestry server?", "this is not a Vestry server"];
        assert!(
            says_so.iter().any(|part| sentence.contains(part)),
            "{sentence}"
        );
        assert!(!shell.profile("default").exists());
    }
    // A list that goes round in circles ends.
    let fake =
        Fake::start(|_| Said::json(200, &json!({"items": [], "next_cursor": "again"}))).await;
    let shell = Shell::of(fake.url());
    shell
        .ok(&["skill", "list", "--server", &shell.server, "--token", "x"])
        .await;
    assert_eq!(fake.requests().len(), 2);
}

/// A server with one skill that has one file at this path.
async fn with_a_file_at(name: &str, path: &str) -> Fake {
    let (name, path) = (name.to_owned(), path.to_owned());
    let skill_md: &[u8] = b"---\nname: x\ndescription: x\n---\nbody\n";
    let file = ManifestFile {
        path: path.clone(),
        size: 5,
        digest: of_bytes(b"owned"),
    };
    let digest = of_manifest(of_bytes(skill_md), &[file]).to_string();
    let skill: Value = json!({
        "name": name, "scope": "global", "revision": 1, "digest": digest,
        "files": [{"path": path, "size": 5, "digest": of_bytes(b"owned").to_string()}],
    });
    Fake::start(move |asked| {
        if asked.starts_with("GET /v1/skills?") {
            Said::json(200, &json!({"items": [skill], "next_cursor": null}))
        } else if asked.contains("/file?") {
            Said::bytes(b"owned")
        } else if asked.ends_with("/revisions/1") {
            Said::of("text/markdown; charset=utf-8", skill_md)
        } else {
            Said::json(200, &skill)
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_writes_below_its_directory_and_nowhere_else() {
    let place = Directory::new();
    let inner = place.path().join("a/b/out");
    for (name, path) in [
        ("x", "../../../escaped"),
        ("x", "/tmp/vestry-escaped"),
        ("x", "sub/../../y/escaped"),
        ("x", "a\\..\\..\\escaped"),
        ("x", "C:escaped"),
        ("x", "a/\u{0}b"),
        ("x", ""),
        ("../x", "plain"),
        ("..", "plain"),
        ("/tmp/x", "plain"),
    ] {
        let fake = with_a_file_at(name, path).await;
        let shell = Shell::of(fake.url());
        let out = inner.to_str().unwrap();
        let arguments = [
            "export",
            out,
            "--scope",
            "global",
            "--server",
            &shell.server,
            "--token",
            "x",
            "--json",
        ];
        let ran = shell.run(&arguments).await;
        assert_eq!(ran.code, 1, "{name} {path:?}: {}{}", ran.text(), ran.stderr);
        let answer = ran.json();
        assert_eq!(answer["refused"].as_array().unwrap().len(), 1, "{answer}");
        assert_eq!(answer["written"], json!([]));
        let found: Vec<_> = std::fs::read_dir(&inner).unwrap().collect();
        assert!(found.is_empty(), "{name} {path:?}: {found:?}");
    }
    let beside: Vec<_> = std::fs::read_dir(place.path()).unwrap().collect();
    assert_eq!(beside.len(), 1, "nothing is beside the directory");
    assert!(!std::path::Path::new("/tmp/vestry-escaped").exists());

    // The same server with an honest path is written.
    let fake = with_a_file_at("x", "sub/plain.txt").await;
    let shell = Shell::of(fake.url());
    let out = inner.to_str().unwrap();
    shell
        .ok(&[
            "export",
            out,
            "--scope",
            "global",
            "--server",
            &shell.server,
            "--token",
            "x",
        ])
        .await;
    assert_eq!(
        std::fs::read(inner.join("x/sub/plain.txt")).unwrap(),
        b"owned"
    );
}
