//! What answers everything with success and is no server: the login page of a network, a proxy, something older. No
//! command takes that for its own success.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde_json::json;

use super::Shell;
use super::documentation::leaves;
use super::fake::{Fake, Said};
use super::import::{put, skill_md};

/// Commands that ask no server.
const ALONE: [&str; 28] = [
    "admin create",
    "admin keys begin",
    "admin keys create",
    "admin keys promote",
    "admin keys retire",
    "admin keys show",
    "audit verify",
    "backup",
    "completions",
    "db copy",
    "instructions read",
    "instructions scan",
    // It asks once a host has: what comes of that is an answer to the host (`mcp::stdio`).
    "mcp",
    "migrate",
    "prompt add",
    "prompt edit",
    "prompt list",
    "prompt show",
    "quickstart",
    "restore",
    "scan",
    "serve",
    "templates adopt",
    "templates check",
    "templates reference",
    "templates render",
    "templates samples",
    "verify",
];

/// Every other command, with what it needs; `logout` is the last, because it forgets the profile.
const COMMANDS: [&str; 89] = [
    "prompt resolve --workflow w --role review",
    "prompt list --scope tenant:acme",
    "login --username maria --password-stdin",
    "whoami",
    "elevate --scope global --reason x --password-stdin",
    "stepdown",
    "doctor",
    "import skills --scope tenant:acme",
    "import skills --scope tenant:acme --dry-run",
    "export out --scope tenant:acme",
    "export out --scope tenant:acme --name x",
    "catalog",
    "catalog --block",
    "load x --offer-file offer",
    "load x --offer-file offer --file y",
    "load x --offer-file offer --context context",
    "load x --offer-file offer --template",
    "opening --context context",
    "opening --context context --role support --turn t --text",
    "role list --scope tenant:acme",
    "role show tenant:acme/support",
    "role attach tenant:acme/support x",
    "role detach tenant:acme/support x",
    "skill publish skills/x --scope tenant:acme --role",
    "skill list",
    "skill list --scope tenant:acme",
    "skill show tenant:acme/x",
    "skill show tenant:acme/x --raw",
    "skill show tenant:acme/x --file y",
    "skill publish skills/x --scope tenant:acme",
    "skill publish skills/x --scope tenant:acme --if-match *",
    "skill check skills/x --scope tenant:acme",
    "skill edit tenant:acme/x --editor true",
    "skill history tenant:acme/x",
    "skill diff tenant:acme/x",
    "skill diff tenant:acme/x --from 1 --to 2",
    "skill blame tenant:acme/x",
    "skill rollback tenant:acme/x --to 1",
    "skill archive tenant:acme/x",
    "skill seal tenant:acme/x --reason x",
    "skill unseal tenant:acme/x --reason x",
    "skill hide x --tenant acme --reason x",
    "skill unhide x --tenant acme --reason x",
    "skill disable tenant:acme/x --reason x",
    "skill enable tenant:acme/x --reason x",
    "skill quarantine tenant:acme/x --reason x",
    "skill release tenant:acme/x --reason x",
    "skill revoke tenant:acme/x --reason x",
    "skill recall sha256:00 --reason x",
    "skill recall-report tenant:acme/x --revision 1",
    "skill recall-report global/x --revision 1 --tenants",
    "proposal create skills/x --scope tenant:acme --rationale x",
    "proposal list",
    "proposal show p-1",
    "proposal edit p-1 skills/x --rationale x",
    "proposal show p-1 --raw",
    "proposal show p-1 --file y",
    "proposal comment p-1 x",
    "proposal approve p-1 --digest sha256:00",
    "proposal reject p-1 --reason x",
    "proposal withdraw p-1",
    "proposal rebase p-1",
    "users list",
    "users create tom --password-stdin",
    "tenants list",
    "tenants create globex",
    "members list --tenant acme",
    "members set tom --tenant acme --role member",
    "members remove tom --tenant acme",
    "services list --tenant acme",
    "services create desk --tenant acme",
    "services revoke 1 --tenant acme",
    "keys list",
    "keys create x",
    "keys revoke 1",
    "settings show --tenant acme",
    "settings set max_cap=1 --tenant acme",
    "schema show",
    "schema check schema.json",
    "schema activate schema.json",
    "token mint --actor tom --agent bot --token x",
    "audit list",
    "audit key",
    "audit checkpoint",
    "audit export",
    "explain publish-skill global",
    "explain catalog",
    "watch",
    "logout",
];
/// What 204 is the answer to.
const DONE_WITHOUT_A_WORD: [&str; 4] = [
    "stepdown",
    "services revoke 1 --tenant acme",
    "keys revoke 1",
    "logout",
];

/// Somebody who is logged in and elevated at a server that then is none any more.
async fn after_login(said: fn() -> Said) -> (Fake, Shell) {
    let is_honest = Arc::new(AtomicBool::new(true));
    let honest = Arc::clone(&is_honest);
    let fake = Fake::start(move |asked| {
        if !honest.load(Ordering::SeqCst) {
            return said();
        }
        let mut tokens = json!({
            "access_token": "a", "refresh_token": "r", "expires_at": "2100-01-01T00:00:00Z", "tenant": "acme",
        });
        if asked.ends_with("/v1/elevate") {
            tokens["scope"] = "tenant:acme".into();
        }
        Said::json(200, &tokens)
    })
    .await;
    let shell = Shell::of(fake.url());
    shell.login("maria").await;
    shell.elevate("tenant:acme").await;
    is_honest.store(false, Ordering::SeqCst);
    let home = shell.home.path();
    put(home, "skills/x/SKILL.md", skill_md("x", "it matters"));
    put(home, "offer", "an offer");
    put(home, "context", "{}");
    put(home, "schema.json", "{}");
    (fake, shell)
}

#[test]
fn every_command_is_tried() {
    let tried: BTreeSet<String> = leaves()
        .into_iter()
        .filter(|leaf| {
            ALONE.contains(&leaf.as_str())
                || COMMANDS
                    .iter()
                    .any(|command| format!("{command} ").starts_with(&format!("{leaf} ")))
        })
        .collect();
    assert_eq!(tried, leaves());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_command_takes_the_success_of_something_else_for_its_own() {
    let said: [fn() -> Said; 5] = [
        || Said::of("text/html", b"<html><p>Welcome to our network!</p></html>"),
        || Said::of("application/json", b"<html></html>"),
        || Said::json(200, &json!({})),
        || Said::status(200),
        || Said::status(204),
    ];
    for (number, said) in said.into_iter().enumerate() {
        let (fake, shell) = after_login(said).await;
        for command in COMMANDS {
            let before = fake.requests().len();
            let arguments: Vec<&str> = command.split(' ').collect();
            let ran = shell.run_with(&arguments, "seven quiet robes").await;
            let asked = fake.requests().len() - before;
            assert!(asked > 0, "{command} asks nobody: {}", ran.stderr);
            let printed = format!("{}{}", ran.text(), ran.stderr);
            if number == 4 && DONE_WITHOUT_A_WORD.contains(&command) {
                assert_eq!(ran.code, 0, "{command}: {printed}");
                continue;
            }
            assert_eq!(ran.code, 1, "{command}, answer {number}: {printed}");
            let names_it = ["this is not a Vestry server", "is it a vestry server?"];
            // An export of one skill says that what came is not what its digest says.
            assert!(
                names_it.iter().any(|part| printed.contains(part)) || command.starts_with("export"),
                "{command}, answer {number}: {printed}"
            );
            for word in [
                "created  ",
                "created the",
                "revoked",
                "logged out",
                "logged in to",
            ] {
                assert!(!ran.text().contains(word), "{command}: {printed}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_end_is_given_up() {
    // A list that has always one page more.
    let page = Arc::new(AtomicU64::new(0));
    let fake = Fake::start(move |_| {
        let next = page.fetch_add(1, Ordering::SeqCst);
        Said::json(
            200,
            &json!({"items": [], "next_cursor": format!("c{next}")}),
        )
    })
    .await;
    let shell = Shell::of(fake.url());
    let list = ["users", "list", "--server", &shell.server, "--token", "x"];
    let sentence = shell.run(&list).await.sentence(1);
    assert!(sentence.contains("more than 2000 pages"), "{sentence}");
    assert_eq!(fake.requests().len(), 2_000);

    // An answer that is longer than any is asked for once, also by who asks again when a connection breaks.
    let fake = Fake::start(|_| Said::of("application/json", &vec![b' '; 65 << 20])).await;
    let shell = Shell::of(fake.url());
    let list = ["users", "list", "--server", &shell.server, "--token", "x"];
    let sentence = shell.run(&list).await.sentence(1);
    assert!(sentence.contains("does not end"), "{sentence}");
    assert_eq!(fake.requests().len(), 1);
}
