//! A client that sends what it is told, also what no honest client would send.

use std::net::SocketAddr;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap};
use hyper::{Method, Request, StatusCode};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde_json::Value;

/// A client of one server, with or without a bearer token. Clones share connections.
#[derive(Clone)]
pub(crate) struct Client {
    pool: Pool<HttpConnector, Full<Bytes>>,
    address: SocketAddr,
    token: Option<String>,
}

/// An answer, read whole.
#[derive(Debug, Clone)]
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// The bytes of the body.
    pub(crate) bytes: Bytes,
    /// The body as JSON; null when it is not.
    pub(crate) body: Value,
}

impl Response {
    /// The problem's `code`, or an empty text.
    pub(crate) fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }

    /// The problem's `rule`, or an empty text.
    pub(crate) fn rule(&self) -> &str {
        self.body["rule"].as_str().unwrap_or_default()
    }

    /// The problem's `detail`, or an empty text.
    pub(crate) fn detail(&self) -> &str {
        self.body["detail"].as_str().unwrap_or_default()
    }

    /// The entity tag without its quotes.
    pub(crate) fn etag(&self) -> String {
        self.headers["etag"]
            .to_str()
            .unwrap()
            .trim_matches('"')
            .to_owned()
    }

    /// This answer, which must have this status.
    #[track_caller]
    pub(crate) fn expect(self, status: u16) -> Self {
        assert_eq!(
            self.status.as_u16(),
            status,
            "{}",
            String::from_utf8_lossy(&self.bytes)
        );
        self
    }

    /// This answer, which must have one of these statuses.
    #[track_caller]
    pub(crate) fn expect_one_of(self, statuses: &[u16]) -> Self {
        assert!(
            statuses.contains(&self.status.as_u16()),
            "{}: {}",
            self.status,
            String::from_utf8_lossy(&self.bytes)
        );
        self
    }

    /// This answer, which must be a problem with this status and code.
    #[track_caller]
    pub(crate) fn expect_problem(self, status: u16, code: &str) -> Self {
        let this = self.expect(status);
        assert_eq!(this.code(), code, "{}", this.body);
        assert!(
            !this.detail().is_empty(),
            "a problem says what to do: {}",
            this.body
        );
        this
    }

    /// A text field of the body.
    #[track_caller]
    pub(crate) fn text(&self, field: &str) -> String {
        self.body[field]
            .as_str()
            .unwrap_or_else(|| panic!("no {field} in {}", self.body))
            .to_owned()
    }
}

impl Client {
    pub(crate) fn new(address: SocketAddr) -> Self {
        Self {
            pool: Pool::builder(TokioExecutor::new()).build_http(),
            address,
            token: None,
        }
    }

    /// This client with another token.
    pub(crate) fn with_token(&self, token: impl Into<String>) -> Self {
        Self {
            token: Some(token.into()),
            ..self.clone()
        }
    }

    /// This client without a token.
    pub(crate) fn anonymous(&self) -> Self {
        Self {
            token: None,
            ..self.clone()
        }
    }

    pub(crate) fn token(&self) -> &str {
        self.token.as_deref().unwrap_or_default()
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.send(Method::GET, path, &[], None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Response {
        self.send(Method::POST, path, &[], Some(body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: Value) -> Response {
        self.send(Method::PUT, path, &[], Some(body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Response {
        self.send(Method::DELETE, path, &[], None).await
    }

    /// A JSON request with further headers.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Value>,
    ) -> Response {
        let mut all: Vec<(&str, &str)> = headers.to_vec();
        let names_a_type = headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        if body.is_some() && !names_a_type {
            all.push((CONTENT_TYPE.as_str(), "application/json"));
        }
        let bytes = body
            .map(|body| body.to_string().into_bytes())
            .unwrap_or_default();
        self.raw(method, path, &all, bytes).await
    }

    /// What a counter of `/metrics` shows.
    pub(crate) async fn counter(&self, name: &str) -> u64 {
        let metrics = self.anonymous().get("/metrics").await.expect(200);
        let text = String::from_utf8(metrics.bytes.to_vec()).unwrap();
        let total = format!("{name}_total ");
        let line = text.lines().find_map(|line| line.strip_prefix(&total));
        line.unwrap_or_else(|| panic!("no {name} in {text}"))
            .parse()
            .unwrap()
    }

    /// Any bytes with any headers.
    pub(crate) async fn raw(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Response {
        self.try_raw(method, path, headers, body)
            .await
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// Sends a GET, and gives the answer as soon as its head is there.
    pub(crate) async fn open(
        &self,
        path: &str,
        headers: &[(&str, &str)],
    ) -> Result<hyper::Response<Incoming>, String> {
        let request = self.request(Method::GET, path, headers, Vec::new())?;
        let answer = self.pool.request(request).await;
        answer.map_err(|error| format!("{error:?}"))
    }

    fn request(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Result<Request<Full<Bytes>>, String> {
        let mut request = Request::builder()
            .method(method)
            .uri(format!("http://{}{path}", self.address));
        if let Some(token) = &self.token {
            request = request.header(AUTHORIZATION, format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request
            .body(Full::new(Bytes::from(body)))
            .map_err(|error| error.to_string())
    }

    /// As `raw`, for servers that may be gone.
    pub(crate) async fn try_raw(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: Vec<u8>,
    ) -> Result<Response, String> {
        let request = self.request(method, path, headers, body)?;
        let answer = self
            .pool
            .request(request)
            .await
            .map_err(|error| format!("{error:?}"))?;
        let (parts, body) = answer.into_parts();
        let bytes = body
            .collect()
            .await
            .map_err(|error| error.to_string())?
            .to_bytes();
        Ok(Response {
            status: parts.status,
            headers: parts.headers,
            body: serde_json::from_slice(&bytes).unwrap_or_default(),
            bytes,
        })
    }
}
