//! Every command is in the reference, every route has a command, and shells can complete them.

use std::collections::BTreeSet;

use vestry::http::routes::table;

use super::Shell;

/// Which command asks which route. A route without one has a reason in [`EXEMPT`].
const ROUTES: &[(&str, &str)] = &[
    ("POST /v1/login", "login"),
    ("POST /v1/refresh", "whoami"),
    ("POST /v1/logout", "logout"),
    ("POST /v1/elevate", "elevate"),
    ("DELETE /v1/elevate", "stepdown"),
    ("GET /v1/me", "whoami"),
    ("POST /v1/token", "token mint"),
    ("POST /v1/keys", "keys create"),
    ("GET /v1/keys", "keys list"),
    ("DELETE /v1/keys/{id}", "keys revoke"),
    ("POST /v1/users", "users create"),
    ("GET /v1/users", "users list"),
    ("POST /v1/tenants", "tenants create"),
    ("GET /v1/tenants", "tenants list"),
    ("GET /v1/tenants/{tenant}/members", "members list"),
    ("PUT /v1/tenants/{tenant}/members/{username}", "members set"),
    (
        "DELETE /v1/tenants/{tenant}/members/{username}",
        "members remove",
    ),
    ("GET /v1/tenants/{tenant}/settings", "settings show"),
    ("PUT /v1/tenants/{tenant}/settings", "settings set"),
    ("POST /v1/services", "services create"),
    ("GET /v1/tenants/{tenant}/services", "services list"),
    (
        "DELETE /v1/tenants/{tenant}/services/{service}",
        "services revoke",
    ),
    ("GET /v1/audit", "audit list"),
    ("GET /v1/audit/checkpoint", "audit checkpoint"),
    ("GET /v1/audit/key", "audit key"),
    ("GET /v1/events", "watch"),
    ("GET /v1/explain", "explain"),
    ("GET /v1/explain/catalog", "explain catalog"),
    ("GET /v1/reference", "templates reference"),
    ("GET /v1/context-schema", "schema show"),
    ("PUT /v1/context-schema", "schema activate"),
    ("POST /v1/context-schema/check", "schema check"),
    ("POST /v1/templates/check", "templates check"),
    ("POST /v1/templates/render", "templates render"),
    ("POST /v1/catalog", "catalog"),
    ("POST /v1/load", "load"),
    ("POST /v1/load/file", "load"),
    ("POST /v1/openings", "opening"),
    ("POST /v1/prompts/resolve", "prompt resolve"),
    ("GET /v1/roles/{scope}/{role}", "skill show"),
    ("PUT /v1/roles/{scope}/{role}", "skill publish"),
    ("DELETE /v1/roles/{scope}/{role}", "skill archive"),
    ("GET /v1/roles/{scope}/{role}/attachments", "role show"),
    ("PUT /v1/roles/{scope}/{role}/attachments", "role attach"),
    ("GET /v1/skills", "skill list"),
    ("GET /v1/skills/{scope}/{name}", "skill show"),
    ("PUT /v1/skills/{scope}/{name}", "skill publish"),
    ("DELETE /v1/skills/{scope}/{name}", "skill archive"),
    ("PUT /v1/blobs/{sha256}", "import"),
    ("GET /v1/skills/{scope}/{name}/revisions", "skill history"),
    (
        "GET /v1/skills/{scope}/{name}/revisions/{revision}",
        "skill show",
    ),
    (
        "GET /v1/skills/{scope}/{name}/revisions/{revision}/file",
        "export",
    ),
    ("GET /v1/skills/{scope}/{name}/diff", "skill diff"),
    ("GET /v1/skills/{scope}/{name}/blame", "skill blame"),
    ("POST /v1/skills/{scope}/{name}/check", "skill check"),
    ("GET /v1/skills/{scope}/{name}/impact", "skill seal"),
    ("POST /v1/skills/{scope}/{name}/rollback", "skill rollback"),
    ("POST /v1/skills/{scope}/{name}/disable", "skill disable"),
    ("POST /v1/skills/{scope}/{name}/enable", "skill enable"),
    (
        "POST /v1/skills/{scope}/{name}/quarantine",
        "skill quarantine",
    ),
    ("POST /v1/skills/{scope}/{name}/release", "skill release"),
    ("POST /v1/skills/{scope}/{name}/revoke", "skill revoke"),
    ("POST /v1/skills/{scope}/{name}/seal", "skill seal"),
    ("POST /v1/skills/{scope}/{name}/unseal", "skill unseal"),
    ("POST /v1/skills/global/{name}/hide", "skill hide"),
    ("POST /v1/skills/global/{name}/show", "skill unhide"),
    ("POST /v1/recall", "skill recall"),
    ("GET /v1/recall/turns", "skill recall-report"),
    ("GET /v1/recall/tenants", "skill recall-report"),
    ("POST /v1/proposals", "proposal create"),
    ("GET /v1/proposals", "proposal list"),
    ("GET /v1/proposals/{id}", "proposal show"),
    ("PUT /v1/proposals/{id}", "proposal edit"),
    ("GET /v1/proposals/{id}/file", "proposal show"),
    ("POST /v1/proposals/{id}/decision", "proposal approve"),
    ("POST /v1/proposals/{id}/comments", "proposal comment"),
    ("POST /v1/proposals/{id}/withdraw", "proposal withdraw"),
    ("POST /v1/proposals/{id}/rebase", "proposal rebase"),
];

/// Routes without a command, and why.
const EXEMPT: &[(&str, &str)] = &[];

/// Every command that does something: it has none below it, such as `skill list`, or takes what it works on itself.
pub(super) fn leaves() -> BTreeSet<String> {
    fn walk(command: &clap::Command, path: &str, leaves: &mut BTreeSet<String>) {
        let mut below = command
            .get_subcommands()
            .filter(|command| command.get_name() != "help")
            .peekable();
        if below.peek().is_none() || command.get_positionals().next().is_some() {
            leaves.insert(path.trim_start().to_owned());
        }
        for command in below {
            walk(command, &format!("{path} {}", command.get_name()), leaves);
        }
    }
    let mut leaves = BTreeSet::new();
    walk(&vestry::cli::command(), "", &mut leaves);
    leaves
}

#[test]
fn every_command_is_in_the_reference_and_nothing_else() {
    let reference = include_str!("../../../docs/cli.md");
    let headings: BTreeSet<String> = reference
        .lines()
        .filter_map(|line| line.strip_prefix("### `vestry "))
        .filter_map(|rest| rest.split_once('`'))
        .map(|(command, _)| command.to_owned())
        .collect();
    assert_eq!(headings, leaves(), "docs/cli.md has one heading a command");
}

#[test]
fn every_option_of_a_client_command_is_in_the_reference() {
    let reference = include_str!("../../../docs/cli.md");
    fn walk(command: &clap::Command, reference: &str, missing: &mut Vec<String>) {
        for argument in command
            .get_arguments()
            .filter(|argument| !argument.is_hide_set())
        {
            let Some(long) = argument.get_long() else {
                continue;
            };
            if !matches!(long, "help" | "version") && !reference.contains(&format!("--{long}")) {
                missing.push(format!("{} --{long}", command.get_name()));
            }
        }
        for below in command.get_subcommands() {
            walk(below, reference, missing);
        }
    }
    let mut missing = Vec::new();
    walk(&vestry::cli::command(), reference, &mut missing);
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn every_route_has_a_command_or_a_reason() {
    let leaves = leaves();
    for (route, command) in ROUTES {
        assert!(
            leaves.contains(*command),
            "{route}: there is no `vestry {command}`"
        );
    }
    let covered: BTreeSet<&str> = ROUTES
        .iter()
        .chain(EXEMPT)
        .map(|(route, _)| *route)
        .collect();
    let served: BTreeSet<String> = table()
        .rows()
        .into_iter()
        .filter(|(_, path, _)| path.starts_with("/v1/"))
        .map(|(method, path, _)| format!("{method} {path}"))
        .collect();
    let missing: Vec<&String> = served
        .iter()
        .filter(|route| !covered.contains(route.as_str()))
        .collect();
    assert!(missing.is_empty(), "routes without a command: {missing:?}");
    let unknown: Vec<&&str> = covered
        .iter()
        .filter(|route| !served.contains(**route))
        .collect();
    assert!(unknown.is_empty(), "routes that do not exist: {unknown:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn shells_can_complete_the_commands() {
    let shell = Shell::of("http://127.0.0.1:1".to_owned());
    for name in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = shell.ok(&["completions", name]).await;
        for word in ["vestry", "elevate", "quarantine", "completions"] {
            assert!(script.contains(word), "{name} without {word}");
        }
    }
    assert_eq!(shell.run(&["completions", "dos"]).await.code, 2);
}
