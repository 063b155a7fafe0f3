//! The examples of `/docs`: each is sent, and answered as the page says. `VESTRY_BLESS=1` records them anew.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::walk::walk;
use crate::api::samples::{Cast, Sample, Who};
use crate::harness::{People, Response, TestServer, blesses};

const FILE: &str = "../registry/src/http/pages/examples.json";

#[tokio::test(flavor = "multi_thread")]
async fn every_example_is_answered_as_the_page_says() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let found = record().await;
    if blesses() {
        let text = serde_json::to_string_pretty(&found).unwrap() + "\n";
        std::fs::write(&file, text).unwrap();
        return;
    }
    let recorded: BTreeMap<String, Value> =
        serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let names = |examples: &BTreeMap<String, Value>| examples.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&recorded), names(&found), "run with VESTRY_BLESS=1");
    let mut wrong = Vec::new();
    for (operation, example) in &found {
        if recorded[operation] != *example {
            wrong.push(format!(
                "{operation}\n- {}\n+ {example}",
                recorded[operation]
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nReview the change, then run with VESTRY_BLESS=1.",
        wrong.join("\n")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_shows_every_operation_and_runs_nothing() {
    let server = TestServer::start().await;
    let page = server.client().get("/docs").await.expect(200);
    let html = String::from_utf8(page.bytes.to_vec()).unwrap();
    let document = server.client().get("/openapi.json").await.expect(200).body;
    let mut examples = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(html.contains(&format!("<article id=\"{id}\">")), "{id}");
            assert!(
                operation.get("x-example").is_some(),
                "{method} {path} has no example"
            );
            examples += 1;
        }
    }
    assert_eq!(html.matches("<summary>Example, by ").count(), examples);
    assert!(!html.contains("<script") && !html.contains(" style=\""));
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"));
    let style = server.client().get("/docs/style.css").await.expect(200);
    assert_eq!(style.headers["content-type"], "text/css; charset=utf-8");
}

/// The examples, as they are answered now.
async fn record() -> BTreeMap<String, Value> {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let cast = Cast::of(&server, &mut people).await;
    let mut examples = BTreeMap::new();
    for (sample, answer) in walk(&cast).await {
        assert!(
            answer.status.is_success(),
            "{} {}: {}",
            sample.method,
            sample.template,
            answer.body
        );
        examples.insert(
            format!("{} {}", sample.method, sample.template),
            example(&sample, &answer),
        );
    }
    examples
}

fn example(sample: &Sample, answer: &Response) -> Value {
    let by = match sample.who {
        Who::Nobody => "nobody",
        Who::Root => "a global administrator",
        Who::Maria => "a publisher of the tenant",
        Who::Agent => "an agent",
        Who::Service => "a service",
    };
    let headers: BTreeMap<&str, &str> = sample.headers.iter().copied().collect();
    let shown = match sample.template {
        // The document in itself, the page in the page, and figures: these are not for reading here.
        "/openapi.json" | "/docs" | "/docs/style.css" | "/metrics" => Value::Null,
        // How many records there are by then, and their hashes, depend on batches.
        "/v1/audit/checkpoint" => {
            "vestry/audit/acme\n42\n…\ntime 2027-01-15T08:00:00Z\n\n\u{2014} vestry/audit …\n"
                .into()
        }
        _ if !answer.body.is_null() => answer.body.clone(),
        _ if answer.bytes.is_empty() => Value::Null,
        _ => String::from_utf8_lossy(&answer.bytes).into_owned().into(),
    };
    let mut example = json!({
        "by": by,
        "path": sample.path(),
        "headers": headers,
        "body": sample.body,
        "status": answer.status.as_u16(),
        "answer": shown,
    });
    settle(&mut example);
    example
}

/// Replaces what is random or secret: tokens, keys, ids. What is long is shown by its beginning.
fn settle(value: &mut Value) {
    match value {
        Value::String(text) => *text = settled(text),
        Value::Array(items) => items.iter_mut().for_each(settle),
        Value::Object(fields) => fields.values_mut().for_each(settle),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn settled(text: &str) -> String {
    text.split_inclusive(['/', '"', ' ', '\n', '?', '='])
        .map(|part| {
            let word = part.trim_end_matches(['/', '"', ' ', '\n', '?', '=']);
            let rest = &part[word.len()..];
            let prefix = [
                "eyJ", "vst_svc_", "vst_usr_", "svc_", "key_", "ses_", "req_", "t-", "vrt_",
            ]
            .into_iter()
            .find(|prefix| word.starts_with(prefix) && word.len() >= prefix.len() + 16);
            let random = word.len() >= 40
                && word
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
                && word.bytes().any(|b| b.is_ascii_digit())
                && word.bytes().any(|b| b.is_ascii_uppercase());
            // The hash of a record has what is random in it.
            let hash = word.len() == 64 && word.bytes().all(|b| b.is_ascii_hexdigit());
            match prefix {
                Some(prefix) => format!("{prefix}…{rest}"),
                None if random || hash => format!("…{rest}"),
                None => part.to_owned(),
            }
        })
        .collect()
}
