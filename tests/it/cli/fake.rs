//! A server that answers what no honest one would.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::body::Body;
use axum::http::{Request, Response};
use serde_json::Value;

/// What the fake answers: status, headers, body.
pub(super) struct Said {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

impl Said {
    pub(super) fn json(status: u16, body: &Value) -> Self {
        Self {
            status,
            headers: vec![("content-type", "application/json".to_owned())],
            body: body.to_string().into_bytes(),
        }
    }

    pub(super) fn bytes(body: &[u8]) -> Self {
        Self::of("application/octet-stream", body)
    }

    /// 200 with a body of this type.
    pub(super) fn of(content_type: &str, body: &[u8]) -> Self {
        Self {
            status: 200,
            headers: vec![("content-type", content_type.to_owned())],
            body: body.to_vec(),
        }
    }

    pub(super) fn status(status: u16) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: Vec::new(),
        }
    }

    pub(super) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// A running fake.
pub(super) struct Fake {
    pub(super) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Fake {
    /// Answers by method and target, such as `GET /v1/skills?limit=200`.
    pub(super) async fn start(
        answer: impl Fn(&str) -> Said + Clone + Send + Sync + 'static,
    ) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let router = axum::Router::new().fallback(move |request: Request<Body>| {
            let asked = format!("{} {}", request.method(), request.uri());
            let token = request
                .headers()
                .get("authorization")
                .map(|value| value.to_str().unwrap().to_owned())
                .unwrap_or_default();
            seen.lock().unwrap().push(format!("{asked} {token}"));
            let said = answer(&asked);
            async move {
                let mut response = Response::builder().status(said.status);
                for (name, value) in said.headers {
                    response = response.header(name, value);
                }
                response.body(Body::from(said.body)).unwrap()
            }
        });
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { address, requests }
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request so far, with its token.
    pub(super) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}
