//! The worlds of `policies/cases`, asked over HTTP: the same requests as `policies/tests/laws/cases.rs` asks of the pure
//! function, with the same verdicts and rules.

mod built;
mod credentials;
mod requests;

use std::path::Path;

use self::built::{Built, SEED};
use super::case_format::{RequestRow, Shown, World};
use crate::harness::Response;

/// What no request over HTTP can say, and why. Each line has to be needed.
const NOT_OVER_HTTP: &[(&str, &str, &str)] = &[
    ("identity.toml", "and for no other", NO_TENANT_NAMED),
    (
        "administration.toml",
        "a global admin does not read a tenant's audit",
        NO_TENANT_NAMED,
    ),
    (
        "proposals.toml",
        "so does a rollback",
        "the skills of a world have one revision, and rolling back to it changes nothing",
    ),
    (
        "administration.toml",
        "and not about those of a tenant",
        NO_TENANT_NAMED,
    ),
    (
        "seals.toml",
        "nobody hides from everyone",
        "the body of the request names a tenant, and global is none",
    ),
    (
        "writes.toml",
        "a publisher of the tenant does not write global",
        "nobody who is no administrator comes to an elevation for global, and no route ends an administrator",
    ),
    (
        "writes.toml",
        "a human without a tenant has a scope of its own",
        "a session without a tenant has no actor: actors belong to tenants (design §4.4)",
    ),
];
const NO_TENANT_NAMED: &str = "the tenant is always the caller's own; no request names another";

/// What is wrong with the answer, if anything is.
fn judge(request: &RequestRow, removed: bool, answer: &Response) -> Option<String> {
    let status = answer.status.as_u16();
    let said = format!("HTTP {status} {} {}", answer.code(), answer.rule());
    let is_body = request.action == "read-body";
    let shows = answer.body["body"].is_string();
    let holds = if removed {
        // Stricter than the rules: the credential ended with the membership.
        status == 401 && answer.code() == "authority-ended"
    } else {
        match (request.verdict.as_str(), request.rule.as_str()) {
            ("allow", _) => answer.status.is_success() && status != 202 && (shows || !is_body),
            ("review", _)
                if matches!(request.action.as_str(), "publish-skill" | "rollback-skill") =>
            {
                status == 202
            }
            // No proposal can say that something is archived.
            ("review", rule) => status == 403 && answer.rule() == rule,
            ("deny", "not-your-proposal") => status == 404 && answer.rule().is_empty(),
            ("deny", "not-in-scope") => {
                status == 404 || (status == 403 && answer.rule() == "not-in-scope")
            }
            ("deny", "quota-exceeded") => status == 422 && answer.code() == "quota-exceeded",
            // Metadata is no secret to whoever is in the scope: the body is left out, and no rule is said.
            ("deny", _) if is_body => status == 200 && !shows,
            ("deny", rule) => status == 403 && answer.code() == "refused" && answer.rule() == rule,
            _ => false,
        }
    };
    (!holds).then_some(said)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_gets_its_verdict_over_http() {
    println!("seed {SEED}");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies/cases");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    files.sort();
    let (mut faults, mut asked, mut wrong_target, mut worlds) = (Vec::new(), 0, 0, 0);
    let mut skipped = Vec::new();
    for path in &files {
        let file = path.file_name().unwrap().to_str().unwrap();
        let world: World = toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        assert!(!world.about.is_empty());
        let mut built: Option<Built<'_>> = None;
        for request in &world.request {
            let at = format!("{file}: {}", request.name);
            if let Some((_, name, _)) = NOT_OVER_HTTP
                .iter()
                .find(|(of, name, _)| *of == file && *name == request.name)
            {
                skipped.push(*name);
                continue;
            }
            if request.rule == "wrong-target" {
                wrong_target += 1;
                continue;
            }
            let place = match built.take() {
                Some(place) => place,
                None => {
                    worlds += 1;
                    Built::new(&world).await
                }
            };
            let (client, home) = place.client(request).await;
            let Some(answer) = place.send(request, &client, home.as_deref()).await else {
                faults.push(format!("{at}: no route says this"));
                continue;
            };
            asked += 1;
            let id = request.r#as.strip_prefix("human:").unwrap_or_default();
            if let Some(said) = judge(request, place.removed.contains_key(id), &answer) {
                faults.push(format!(
                    "{at}: {} {}, but {said}",
                    request.verdict, request.rule
                ));
            }
            let reads = ["read-", "list-", "explain", "use-"]
                .iter()
                .any(|verb| request.action.starts_with(verb));
            let changes = matches!(request.verdict.as_str(), "allow" | "review") && !reads;
            if changes && request.verdict == "allow" {
                let rules = place.recorded().await;
                if rules.iter().any(|rule| *rule != request.rule) {
                    faults.push(format!("{at}: recorded under {rules:?}"));
                }
            }
            // What nothing changed is as good as new; a clock that was moved is a change.
            if !changes && request.elevation != Shown::Expired {
                built = Some(place);
            }
        }
    }
    println!(
        "{asked} cases asked in {worlds} worlds; {wrong_target} with targets that no route can name; {} left out",
        skipped.len()
    );
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_eq!(
        skipped.len(),
        NOT_OVER_HTTP.len(),
        "every exemption is needed: {skipped:?}"
    );
}
