//! Random input at every route: never a 500, never the end of the server.
//!
//! A few thousand requests in the normal run; `VESTRY_CASES=100` makes it a hundred times as many. The seed is printed,
//! and `VESTRY_SEED` sets it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use hyper::Method;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use serde_json::{Value, json};

use super::samples::{Cast, Sample, Who};
use crate::harness::{People, Response, TestServer};

const CASES: u32 = 3_000;

/// A number from the environment.
#[expect(
    clippy::disallowed_methods,
    reason = "a test has no command line of its own"
)]
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

#[derive(Debug, Clone)]
enum Mutation {
    /// Any bytes as the body.
    Bytes(Vec<u8>),
    /// Any JSON as the body.
    Json(Value),
    /// One member of the valid body becomes this.
    Member(Index, Value),
    /// One byte of the valid body becomes this.
    Byte(Index, u8),
    /// The valid body is cut.
    Cut(Index),
    /// A part of the path becomes this text.
    Part(Index, String),
    /// The query becomes this text.
    Query(String),
    /// A header more.
    Header(usize, String),
    /// Another method.
    Method(usize),
    /// Nothing but what another sample has as its body.
    Other(Index),
}

const HEADERS: [&str; 9] = [
    "if-match",
    "if-none-match",
    "idempotency-key",
    "content-type",
    "authorization",
    "x-request-id",
    "x-forwarded-for",
    "accept",
    "range",
];
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"];

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,40}".prop_map(Value::from),
        prop::sample::select(vec![
            "global",
            "tenant:acme",
            "actor:tom",
            "refunds",
            "acme",
            "member",
            "sha256:",
            "*"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec(("[a-z_]{0,12}", inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn mutation() -> impl Strategy<Value = Mutation> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300).prop_map(Mutation::Bytes),
        any_json().prop_map(Mutation::Json),
        (any::<Index>(), any_json()).prop_map(|(which, value)| Mutation::Member(which, value)),
        (any::<Index>(), any::<u8>()).prop_map(|(which, byte)| Mutation::Byte(which, byte)),
        any::<Index>().prop_map(Mutation::Cut),
        (any::<Index>(), "[ -~]{0,80}|(%[0-9a-fA-F]{2}){1,20}")
            .prop_map(|(which, text)| Mutation::Part(which, text)),
        "([a-z]{1,7}=[ -~]{0,20}&?){0,4}|[ -~]{0,60}".prop_map(Mutation::Query),
        (0..HEADERS.len(), "[ -~\u{e9}]{0,60}")
            .prop_map(|(which, text)| Mutation::Header(which, text)),
        (0..METHODS.len()).prop_map(Mutation::Method),
        any::<Index>().prop_map(Mutation::Other),
    ]
}

/// What may stand in a path or query as it is; the rest is percent-encoded, `%` itself only sometimes.
fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b'-'
            | b'.'
            | b'_'
            | b'~'
            | b':'
            | b'@'
            | b'+'
            | b'%'
            | b'='
            | b'&'
            | b'/'
            | b'*'
            | b','
            | b';'
            | b'!'
            | b'\'' => char::from(byte).to_string(),
            _ => format!("%{byte:02x}"),
        })
        .collect()
}

async fn send(
    cast: &Cast,
    samples: &[Sample],
    which: Index,
    as_who: Option<Who>,
    mutations: &[Mutation],
) -> Result<Response, String> {
    let sample = which.get(samples).clone();
    let mut body = sample
        .body
        .as_ref()
        .map(|body| body.to_string().into_bytes())
        .unwrap_or_default();
    let mut path = sample.path();
    let mut headers: Vec<(String, String)> = sample
        .headers
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let mut method = sample.method.clone();
    for mutation in mutations {
        match mutation {
            Mutation::Bytes(bytes) => body.clone_from(bytes),
            Mutation::Json(value) => body = value.to_string().into_bytes(),
            Mutation::Member(index, value) => {
                let mut valid = sample.body.clone().unwrap_or_else(|| json!({}));
                let names: Vec<String> = valid.as_object().unwrap().keys().cloned().collect();
                if !names.is_empty() {
                    valid[index.get(&names).as_str()] = value.clone();
                    body = valid.to_string().into_bytes();
                }
            }
            Mutation::Byte(index, byte) if !body.is_empty() => {
                let place = index.index(body.len());
                body[place] = *byte;
            }
            Mutation::Cut(index) if !body.is_empty() => body.truncate(index.index(body.len())),
            Mutation::Part(index, text) if !sample.parts.is_empty() => {
                path = sample.path_with(index.get(&sample.parts).0, &encoded(text));
            }
            Mutation::Query(text) => {
                path = format!("{}?{}", path.split('?').next().unwrap(), encoded(text));
            }
            Mutation::Header(which, text) => {
                headers.push((HEADERS[*which].to_owned(), text.clone()))
            }
            Mutation::Method(which) => {
                method = Method::from_bytes(METHODS[*which].as_bytes()).unwrap()
            }
            Mutation::Other(index) => {
                let other = index.get(samples).body.clone().unwrap_or(Value::Null);
                body = other.to_string().into_bytes();
            }
            Mutation::Byte(..) | Mutation::Cut(_) | Mutation::Part(..) => {}
        }
    }
    if !headers.iter().any(|(name, _)| name == "content-type") {
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
    }
    // A stream without an end has no answer to wait for.
    if sample.template == "/v1/events" && !path.contains("wait=") {
        let glue = if path.contains('?') { '&' } else { '?' };
        path = format!("{path}{glue}wait=0");
    }
    let headers: Vec<(&str, &str)> = headers
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    // What would end the senders' own authority is sent by nobody: else all that follows would be a 401.
    let ends = matches!(
        (method.as_str(), sample.template),
        ("POST", "/v1/logout")
            | (
                "DELETE",
                "/v1/elevate" | "/v1/tenants/{tenant}/services/{service}"
            )
    );
    let who = if ends {
        Who::Nobody
    } else {
        as_who.unwrap_or(sample.who)
    };
    let client = cast.client(who);
    let sent = client.try_raw(method, &path, &headers, body);
    tokio::time::timeout(Duration::from_secs(30), sent)
        .await
        .map_err(|_| "no answer in 30 s".to_owned())?
}

#[test]
fn random_requests_never_break_the_server() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let seed = number("VESTRY_SEED", 20_270_115);
    let cases = CASES * u32::try_from(number("VESTRY_CASES", 1)).unwrap();
    println!("VESTRY_SEED={seed}, {cases} cases");
    let config = Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 200,
        ..Config::default()
    };
    let mut bytes = [0_u8; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes));

    let (server, mut people) = runtime.block_on(async {
        let server = TestServer::start().await;
        let people = People::usual(&server).await;
        (server, people)
    });
    let cast = runtime.block_on(Cast::of(&server, &mut people));
    let samples = cast.samples();
    let who = prop::option::weighted(
        0.3,
        prop::sample::select(vec![
            Who::Nobody,
            Who::Root,
            Who::Maria,
            Who::Agent,
            Who::Service,
        ]),
    );
    let strategy = (any::<Index>(), who, prop::collection::vec(mutation(), 1..4));
    let statuses = RefCell::new(BTreeMap::<u16, u32>::new());
    let result = runner.run(&strategy, |(which, as_who, mutations)| {
        let answer = runtime.block_on(send(&cast, &samples, which, as_who, &mutations));
        let answer = match answer {
            Ok(answer) => answer,
            // What the client itself does not want to send was never sent.
            Err(error) if error.contains("invalid") => return Ok(()),
            Err(error) => return Err(TestCaseError::fail(error)),
        };
        *statuses
            .borrow_mut()
            .entry(answer.status.as_u16())
            .or_default() += 1;
        prop_assert!(
            answer.status.as_u16() < 500,
            "{} {}",
            answer.status,
            answer.body
        );
        Ok(())
    });
    println!("{:?}", statuses.borrow());
    if let Err(TestError::Fail(reason, case)) = &result {
        let sample = case.0.get(&samples);
        panic!(
            "VESTRY_SEED={seed}: {reason} at {} {} by {:?} with {:?}",
            sample.method, sample.template, case.1, case.2
        );
    }
    result.unwrap();
    let counts = statuses.borrow();
    let refused = counts.get(&401).copied().unwrap_or_default();
    assert!(
        refused * 3 < counts.values().sum::<u32>(),
        "most requests never came past their credentials: {counts:?}"
    );
    runtime.block_on(async {
        server.client().get("/healthz").await.expect(200);
        server.client().get("/readyz").await.expect(200);
        let metrics = server.client().get("/metrics").await.expect(200);
        let text = String::from_utf8_lossy(&metrics.bytes).into_owned();
        for line in text
            .lines()
            .filter(|line| line.contains("panic") && !line.starts_with('#'))
        {
            assert!(line.ends_with(" 0"), "{line}");
        }
    });
}
