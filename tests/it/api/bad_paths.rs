//! Paths, queries and headers outside the rules, at every route.

use hyper::Method;

use super::bad_input::Scene;

/// Texts that no part of a path allows, with what they are called.
const NEVER: [(&str, &str); 12] = [
    (".", "invalid"),
    ("..", "invalid"),
    ("%2e%2e", "invalid"),
    ("a%2Fb", "invalid"),
    ("..%2F..%2Fetc%2Fpasswd", "invalid"),
    ("a%00", "invalid"),
    ("%20a", "invalid"),
    ("a%0Ab", "invalid"),
    ("%E2%80%AEa", "invalid"),
    ("%C3%A9", "invalid"),
    ("%FF", "malformed"),
    ("%C0%80", "malformed"),
];

fn bad_values(part: &str) -> (Vec<String>, &'static str) {
    let (texts, code): (&[&str], _) = match part {
        "scope" => (
            &[
                "tenant:null",
                "actor:undefined",
                "tenant:undefined",
                "actor:null",
                "actor:NULL",
                "tenant:",
                "actor:",
                "actor:.",
                "actor:..",
                "global:",
                "global:x",
                "Global",
                "GLOBAL",
                "tenant",
                "team:x",
                ":",
                "::",
                "actor:a%20b",
                "tenant:acme%00",
                "actor:%C3%A9",
                "actor:a%2Fb",
                "*",
                "actor:*",
                "tenant:acme,global",
            ],
            "invalid-scope",
        ),
        "name" | "role" => (
            &[
                "A",
                "Refunds",
                "a--b",
                "-a",
                "a-",
                "-",
                "a_b",
                "a.b",
                "a:b",
                "*",
                "refunds%20",
                "%EF%BD%81",
            ],
            "invalid-name",
        ),
        "tenant" | "username" => (
            &["null", "undefined", "Undefined", "a*b", "a,b", "a%25"],
            "invalid-id",
        ),
        "sha256" => (
            &[
                "x",
                "sha256:",
                "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855",
            ],
            "invalid-id",
        ),
        "archive" | "path" => (
            &["refunds", ".zip", "SKILL.MD", "skill.md", "SKILL.md/", "*"],
            "not-found",
        ),
        "service" | "id" => (&["a.b", "a:b", "*", "svc_%20", "'"], "invalid-id"),
        "revision" => (
            &[
                "00",
                "01",
                "+1",
                "-1",
                "1.0",
                "1e3",
                "a",
                "0x1",
                "99999999999999999999",
                "%31x",
            ],
            "malformed",
        ),
        other => panic!("no bad values for the path parameter `{other}`"),
    };
    let mut texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    if part != "revision" {
        let prefix = if part == "scope" { "actor:" } else { "" };
        texts.push(format!("{prefix}{}", "a".repeat(65)));
        texts.push(format!("{prefix}{}", "a".repeat(5000)));
    }
    (texts, code)
}

#[tokio::test(flavor = "multi_thread")]
async fn path_parts_outside_their_rules() {
    let mut scene = Scene::new().await;
    for sample in scene.cast.samples() {
        for (part, _) in &sample.parts {
            if *part == "code" {
                continue; // A page about a code that there is not is 404, as any page.
            }
            let (mut values, code) = bad_values(part);
            values.extend(NEVER.iter().map(|(text, _)| (*text).to_owned()));
            for value in values {
                let mut path = sample.path_with(part, &value);
                if !sample.query.is_empty() {
                    path = format!("{path}?{}", sample.query);
                }
                let body = sample
                    .body
                    .clone()
                    .map(|body| body.to_string().into_bytes());
                let answer = sample
                    .send_bytes(&scene.cast, &path, body.unwrap_or_default())
                    .await;
                let expected = match NEVER.iter().find(|(text, _)| *text == value) {
                    Some((_, "malformed")) => "malformed",
                    // A name that there cannot be is there as little as any other.
                    _ if sample.template.starts_with("/.well-known/") => "not-found",
                    _ => code,
                };
                let what: String = format!("{part} = {value}").chars().take(60).collect();
                scene.expect(&sample, &what, &answer, &[expected]);
            }
        }
    }
    scene.done().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_that_no_route_has() {
    let scene = Scene::new().await;
    let client = scene.cast.client(super::samples::Who::Root);
    for path in [
        "/",
        "//",
        "/v1",
        "/v1/",
        "/v1/nothing",
        "/V1/skills",
        "/v1/skills/",
        "/v1//skills",
        "/v1/skills/global",
        "/v1/skills/global/",
        "/v1/skills/global/a/b/c/d",
        "/v1/skills/global/refunds/",
        "/v1/skills/tenant:acme/refunds/hide",
        "/v1/skills/global/a/../b",
        "/..",
        "/../keys.json",
        "/keys.json",
        "/%2e%2e/keys.json",
        "/v1/%6de",
        "/v1/me;x=1",
        "/problems/nothing",
        "/problems/..",
        "/problems/%2e%2e%2fkeys.json",
    ] {
        for method in [Method::GET, Method::POST, Method::DELETE, Method::OPTIONS] {
            let answer = client.send(method.clone(), path, &[], None).await;
            let is_page = path.starts_with("/problems/") && method != Method::GET;
            let (status, code) = if is_page {
                (405, "method-not-allowed")
            } else {
                (404, "not-found")
            };
            assert_eq!(answer.status, status, "{method} {path} {}", answer.body);
            answer.expect_problem(status, code);
        }
    }
    scene.done().await;
}
