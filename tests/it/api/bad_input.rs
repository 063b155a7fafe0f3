//! Input outside the rules, at every route: the right problem, a sentence that says what to do, nothing written.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::samples::{Cast, Sample};
use super::state::State;
use crate::contract::document::Api;
use crate::harness::{People, Response, TestServer};

pub(super) struct Scene {
    _server: TestServer,
    pub(super) cast: Cast,
    pub(super) api: Api,
    state: State,
    before: Vec<(String, String)>,
    wrong: Vec<String>,
    pub(super) requests: usize,
}

impl Scene {
    pub(super) async fn new() -> Self {
        let server = TestServer::start().await;
        let mut people = People::usual(&server).await;
        let cast = Cast::of(&server, &mut people).await;
        let state = State::of(&people).await;
        let before = state.now().await;
        Self {
            _server: server,
            cast,
            api: Api::new(),
            state,
            before,
            wrong: Vec::new(),
            requests: 0,
        }
    }

    /// Holds an answer to one of the codes, to the document, and to the manners of problems.
    pub(super) fn expect(
        &mut self,
        sample: &Sample,
        what: &str,
        answer: &Response,
        codes: &[&str],
    ) {
        self.requests += 1;
        let mut faults = Vec::new();
        if !codes.contains(&answer.code()) {
            faults.push(format!("expected {codes:?}"));
        }
        faults.extend(rude(answer));
        if let Err(fault) = self.api.judge(&sample.method, sample.template, answer) {
            faults.push(fault);
        }
        if !faults.is_empty() {
            self.wrong.push(format!(
                "{} {} ({what}): {} {}: {}",
                sample.method,
                sample.template,
                answer.status,
                answer.body,
                faults.join("; ")
            ));
        }
    }

    /// All answers are as they should be.
    pub(super) fn judged(&self) {
        println!("{} bad requests", self.requests);
        let wrong = self.wrong.join("\n");
        assert!(
            wrong.is_empty(),
            "{} answers are wrong:\n{wrong}",
            self.wrong.len()
        );
    }

    pub(super) async fn done(self) {
        self.judged();
        State::same(&self.before, &self.state.now().await);
    }
}

/// What is wrong with how a problem speaks.
pub(super) fn rude(answer: &Response) -> Vec<String> {
    let mut faults = Vec::new();
    let detail = answer.detail();
    if detail.chars().count() < 15
        || !detail.ends_with(['.', '…'])
        || detail.starts_with(char::is_lowercase)
    {
        faults.push("not a sentence".to_owned());
    }
    let text = String::from_utf8_lossy(&answer.bytes);
    for leak in [
        "struct ",
        "serde",
        "Option",
        "panicked",
        "sqlx",
        "SQL",
        "DbErr",
        "src/",
        ".rs",
        "/dev/shm",
        "unwrap",
        "u32",
        "u64",
        "i64",
        "usize",
        "correct horse",
        "eyJ",
        "vst_",
    ] {
        if text.contains(leak) {
            faults.push(format!("leaks `{leak}`"));
        }
    }
    if answer.headers["content-type"] != "application/problem+json" {
        faults.push("not problem+json".to_owned());
    }
    faults
}

/// The members that a sample's body must have.
pub(super) fn required(api: &Api, sample: &Sample) -> BTreeSet<String> {
    let schema = api.body_schema(&sample.method, sample.template);
    let names = schema.and_then(|schema| schema["required"].as_array());
    names
        .into_iter()
        .flatten()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_are_not_what_the_route_takes() {
    let mut scene = Scene::new().await;
    for sample in scene.cast.samples() {
        let Some(body) = &sample.body else { continue };
        let path = sample.path();
        let text = body.to_string();
        let open = text.strip_suffix('}').unwrap();
        let first = body.as_object().unwrap().iter().next().unwrap();
        let values: Vec<&Value> = body.as_object().unwrap().values().collect();
        let mut cases: Vec<(&str, Vec<u8>)> = vec![
            ("cut", open.into()),
            ("only a brace", "{".into()),
            ("text after it", format!("{text}x").into()),
            ("twice", format!("{text}{text}").into()),
            ("a trailing comma", format!("{open},}}").into()),
            ("a comment", format!("{open}/* */}}").into()),
            ("single quotes", text.replace('"', "'").into()),
            ("a BOM", format!("\u{feff}{text}").into()),
            (
                "UTF-16",
                text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            ),
            (
                "invalid UTF-8",
                [open.as_bytes(), b",\"x\":\"\xff\"}"].concat(),
            ),
            (
                "an overlong NUL",
                [open.as_bytes(), b",\"x\":\"\xc0\x80\"}"].concat(),
            ),
            (
                "a lone surrogate",
                format!("{open},\"x\":\"\\ud800\"}}").into(),
            ),
            ("NaN", format!("{open},\"x\":NaN}}").into()),
            ("an empty array", "[]".into()),
            ("the values as an array", json!(values).to_string().into()),
            ("the object in an array", format!("[{text}]").into()),
            ("a text", json!(text).to_string().into()),
            ("a number", "1".into()),
            ("true", "true".into()),
            ("null", "null".into()),
            ("an unknown member", format!("{open},\"zzz\":1}}").into()),
            (
                "an unknown member, deep",
                format!(
                    "{open},\"zzz\":{}{}}}",
                    "[".repeat(10_000),
                    "]".repeat(10_000)
                )
                .into(),
            ),
            ("10k nested arrays", "[".repeat(10_000).into()),
            ("10k nested objects", "{\"a\":".repeat(10_000).into()),
            (
                "a member twice",
                format!("{open},{}:{}}}", json!(first.0), first.1).into(),
            ),
            (
                "a member in other case",
                text.replacen(first.0, &first.0.to_uppercase(), 1).into(),
            ),
            (
                "__proto__",
                format!("{open},\"__proto__\":{{\"admin\":true}}}}").into(),
            ),
        ];
        for (name, _) in body.as_object().unwrap() {
            let deep = format!(
                "{{{}:{}{}}}",
                json!(name),
                "[".repeat(10_000),
                "]".repeat(10_000)
            );
            cases.push(("a member 10k deep", deep.into()));
            cases.push((
                "a number beyond all numbers",
                format!("{{{}:1e999}}", json!(name)).into(),
            ));
        }
        for (what, body) in cases {
            let answer = sample.send_bytes(&scene.cast, &path, body).await;
            scene.expect(&sample, what, &answer, &["malformed"]);
        }
        if scene.api.needs_body(&sample.method, sample.template) {
            for (what, body) in [("no body", ""), ("white space", " \n\t ")] {
                let answer = sample.send_bytes(&scene.cast, &path, body.into()).await;
                scene.expect(&sample, what, &answer, &["malformed"]);
            }
        }
        for name in required(&scene.api, &sample) {
            let mut body = body.clone();
            body.as_object_mut().unwrap().remove(&name);
            let answer = sample
                .send_bytes(&scene.cast, &path, body.to_string().into())
                .await;
            scene.expect(&sample, &format!("no {name}"), &answer, &["malformed"]);
            assert_eq!(answer.body["field"], json!(name), "{}", sample.template);
        }
    }
    scene.done().await;
}
