//! The corpus of `examples/corpus`: what is taken comes back byte for byte, what is refused says why, and the reference
//! validator agrees where `docs/api-design.md` says that it does.

mod directories;
mod exported;
mod files;
mod reference;

use hyper::Method;
use serde_json::Value;

use self::files::{Case, accepted, refused};
use crate::harness::{Client, People, Response, TestServer};

/// Kinds of warnings that say that another reader may not take the frontmatter.
const BEYOND_THE_SPECIFICATION: [&str; 7] = [
    "unknown-key",
    "not-a-text",
    "flow-style",
    "metadata-not-a-map",
    "nested-metadata",
    "hyphens-in-frontmatter",
    "tab-in-frontmatter",
];

const MARKDOWN: (&str, &str) = ("content-type", "text/markdown");

async fn publisher(server: &TestServer) -> Client {
    let people = People::usual(server).await;
    people.elevated("maria", "tenant:acme").await
}

fn path_of(case: &Case) -> String {
    let name: String = case
        .name
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect();
    format!("/v1/skills/tenant:acme/{name}")
}

async fn check(client: &Client, case: &Case) -> Response {
    let path = format!("{}/check", path_of(case));
    client
        .raw(Method::POST, &path, &[MARKDOWN], case.skill_md.clone())
        .await
}

fn codes(answer: &Response) -> Vec<String> {
    let warnings = answer.body.get("warnings").and_then(Value::as_array);
    warnings
        .into_iter()
        .flatten()
        .map(|warning| warning["code"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_taken_comes_back_byte_for_byte() {
    let server = TestServer::start().await;
    let maria = publisher(&server).await;
    let cases = accepted();
    assert!(cases.len() >= 150, "{}", cases.len());
    let mut wrong = Vec::new();
    for case in &cases {
        let path = path_of(case);
        let headers = [MARKDOWN, ("if-none-match", "*")];
        let made = maria
            .raw(Method::PUT, &path, &headers, case.skill_md.clone())
            .await;
        if made.status != 201 {
            wrong.push(format!("{}/{}: {}", case.group, case.name, made.body));
            continue;
        }
        let accept = [("accept", "text/markdown")];
        let read = maria.send(Method::GET, &path, &accept, None).await;
        if read.bytes != case.skill_md {
            wrong.push(format!("{}/{}: other bytes", case.group, case.name));
        }
        // The body is the end of the SKILL.md.
        let json = maria.get(&path).await.expect(200);
        if !case.skill_md.ends_with(json.text("body").as_bytes()) {
            wrong.push(format!("{}/{}: another body", case.group, case.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} skills went in and came out", cases.len());
}

/// What each refusal says, as one reviewed list.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_says_what_to_write() {
    let server = TestServer::start().await;
    let maria = publisher(&server).await;
    let mut list = String::new();
    for case in refused() {
        let answer = check(&maria, &case).await;
        assert!(
            matches!(answer.status.as_u16(), 400 | 413 | 422),
            "{} ({}): {} {}",
            case.name,
            case.reason,
            answer.status,
            answer.body
        );
        list.push_str(&format!(
            "{}: {} {}\n  expected: {}\n",
            case.name,
            answer.status.as_u16(),
            answer.detail(),
            case.reason
        ));
    }
    insta::assert_snapshot!(list);
}
