//! A small table with two routes, asked everything that can be asked wrongly.

mod bad_input;
mod document;
mod operation;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body as Bytes;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Request, StatusCode};
use axum::response::Response;
use http_body_util::BodyExt as _;
use prometheus_client::registry::Registry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower::ServiceExt as _;
use vestry_policies::{Action, SkillName};

use super::cursor::Listed;
use super::extract::*;
use super::metrics::HttpMetrics;
use super::middleware::{Edge, EdgeLayer};
use super::openapi::with_openapi;
use super::problem::{Code, PROBLEM_JSON, Problem};
use super::route::{Access, Operation, Route, Table};
use crate::clock::{ManualClock, Micros};
use crate::entropy::SeededEntropy;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Put {
    description: String,
    #[schemars(with = "String")]
    copy_of: Option<SkillName>,
    #[serde(default)]
    files: Vec<File>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct File {
    size: u32,
}

#[derive(Serialize, JsonSchema)]
struct Answer {
    name: String,
    description: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Filter {
    status: Option<String>,
}

async fn put(
    Path((_, name)): Path<(ScopeText, SkillName)>,
    _: IfMatch,
    _: ClientAddress,
    Body(body): Body<Put>,
) -> axum::Json<Answer> {
    let Put {
        description,
        copy_of,
        files,
    } = body;
    assert!(copy_of.is_none() && files.iter().all(|file| file.size > 0));
    axum::Json(Answer {
        name: name.to_string(),
        description,
    })
}

async fn list(Paged { page, query }: Paged<Filter>) -> axum::Json<Listed<String>> {
    axum::Json(Listed {
        items: vec![page.limit.to_string(), query.status.unwrap_or_default()],
        next_cursor: page.cursor,
    })
}

async fn slow() {
    tokio::time::sleep(Duration::from_secs(3600)).await;
}

async fn panics() {
    panic!("secret");
}

async fn fails() -> Problem {
    Problem::internal("secret")
}

fn table() -> Table<()> {
    let plain = || Operation::new("Something");
    with_openapi(
        Table(vec![
            Route::put(
                "/v1/skills/{scope}/{name}",
                Access::Does(Action::PublishSkill),
                put,
                Operation::new("Publish a skill")
                    .tag("skills")
                    .body::<Put>()
                    .answer::<Answer>(StatusCode::OK)
                    .if_match(),
            ),
            Route::get(
                "/v1/skills",
                Access::Does(Action::ListSkills),
                list,
                Operation::new("List skills")
                    .query::<Filter>()
                    .paged()
                    .answer::<Listed<String>>(StatusCode::OK),
            ),
            Route::get("/slow", Access::Public, slow, plain()),
            Route::get("/panics", Access::Public, panics, plain()),
            Route::get("/fails", Access::Public, fails, plain()),
        ]),
        "0.1.0",
    )
}

fn app() -> Router {
    table().router().layer(edge(&mut Registry::default()))
}

fn edge(registry: &mut Registry) -> EdgeLayer {
    EdgeLayer::new(Edge {
        large_bodies: table().large_bodies(),
        clock: Arc::new(ManualClock::new(Micros(0))),
        entropy: Arc::new(SeededEntropy::new(1)),
        metrics: HttpMetrics::register(registry),
        proxies: TrustedProxies::default(),
        request_timeout: Duration::from_millis(200),
    })
}

async fn send(request: Request<Bytes>) -> (StatusCode, HeaderMap, Vec<u8>) {
    send_to(app(), request).await
}

async fn send_to(app: Router, mut request: Request<Bytes>) -> (StatusCode, HeaderMap, Vec<u8>) {
    request
        .extensions_mut()
        .insert(ConnectInfo(SocketAddr::from(([127, 0, 0, 1], 1))));
    let response: Response = app.oneshot(request).await.unwrap();
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes().to_vec();
    (parts.status, parts.headers, bytes)
}

fn request(method: &str, path: &str) -> axum::http::request::Builder {
    Request::builder().method(method).uri(path)
}

fn put_json(path: &str, body: impl Into<Bytes>) -> Request<Bytes> {
    request("PUT", path)
        .header("content-type", "application/json")
        .body(body.into())
        .unwrap()
}

#[track_caller]
fn expect((status, headers, body): (StatusCode, HeaderMap, Vec<u8>), code: Code) -> Value {
    assert_eq!(headers["content-type"], PROBLEM_JSON);
    let document: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(document["code"], code.as_str(), "{document}");
    assert_eq!(status, code.status());
    assert_eq!(document["status"], status.as_u16());
    assert_eq!(document["title"], code.title());
    let detail = document["detail"].as_str().unwrap();
    assert!(detail.ends_with('.'), "{detail}");
    assert!(!detail.contains("secret"), "{detail}");
    document
}

const SKILL: &str = "/v1/skills/global/refunds";

#[tokio::test]
async fn serves_what_is_asked_rightly() {
    let (status, headers, body) = send(put_json(SKILL, r#"{"description":"d"}"#)).await;
    assert_eq!(status, StatusCode::OK, "{}", String::from_utf8_lossy(&body));
    assert_eq!(headers["cache-control"], "no-store");
    assert_eq!(headers["x-content-type-options"], "nosniff");
    assert!(
        headers["x-request-id"]
            .to_str()
            .unwrap()
            .starts_with("req_")
    );

    let get = request("GET", "/v1/skills?status=a%20b&limit=7&cursor=c")
        .header("x-request-id", "mine-1")
        .body(Bytes::empty())
        .unwrap();
    let (_, headers, body) = send(get).await;
    assert_eq!(headers["x-request-id"], "mine-1");
    assert_eq!(
        serde_json::from_slice::<Value>(&body).unwrap(),
        json!({ "items": ["7", "a b"], "next_cursor": "c" })
    );

    let head = request("HEAD", "/v1/skills").body(Bytes::empty()).unwrap();
    let (status, _, body) = send(head).await;
    assert_eq!((status, body.len()), (StatusCode::OK, 0));
}

#[tokio::test]
async fn answers_unknown_paths_and_methods() {
    let get = |path: &str| request("GET", path).body(Bytes::empty()).unwrap();
    expect(send(get("/nothing")).await, Code::NotFound);
    expect(send(get("/v1/skills/")).await, Code::NotFound);
    let answer = send(get(SKILL)).await;
    assert_eq!(answer.1["allow"], "PUT");
    expect(answer, Code::MethodNotAllowed);
    let answer = send(
        request("OPTIONS", "/v1/skills")
            .body(Bytes::empty())
            .unwrap(),
    )
    .await;
    assert_eq!(answer.1["allow"], "GET, HEAD");
    expect(answer, Code::MethodNotAllowed);
}

#[tokio::test]
async fn keeps_its_own_failures_to_itself() {
    let get = |path: &str| request("GET", path).body(Bytes::empty()).unwrap();
    expect(send(get("/panics")).await, Code::Internal);
    expect(send(get("/fails")).await, Code::Internal);
    expect(send(get("/slow")).await, Code::Timeout);
}

#[tokio::test]
#[ignore = "a measurement, run by hand"]
async fn overhead() {
    let bare = Table(vec![Route::<()>::get(
        "/x",
        Access::Public,
        async || "x",
        Operation::new("x"),
    )])
    .router();
    let layered = bare.clone().layer(edge(&mut Registry::default()));
    for (name, app) in [("bare", bare), ("layered", layered)] {
        let begun = std::time::Instant::now();
        for _ in 0..100_000 {
            let response = app
                .clone()
                .oneshot(request("GET", "/x").body(Bytes::empty()).unwrap())
                .await
                .unwrap();
            assert_eq!(response.status(), 200);
        }
        println!("{name} {:?}", begun.elapsed() / 100_000);
    }
}
