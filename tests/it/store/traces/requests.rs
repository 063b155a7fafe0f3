//! A request that goes to both servers.

use hyper::Method;
use serde_json::Value;

/// What everyone reads when a trace is over.
pub(super) const AT_THE_END: [&str; 14] = [
    "/v1/me",
    "/v1/skills?limit=200",
    "/v1/skills?scope=global&limit=200",
    "/v1/skills?scope=tenant:acme&limit=200",
    "/v1/skills?scope=tenant:globex&limit=200",
    "/v1/skills?scope=tenant:acme&status=archived",
    "/v1/audit?limit=200",
    "/v1/audit?log=global&limit=200",
    "/v1/audit/checkpoint",
    "/v1/events?since=start&wait=0",
    "/v1/proposals?limit=100",
    "/v1/keys",
    "/v1/tenants/acme/settings",
    "/v1/tenants/acme/members",
];

#[derive(Debug, Clone)]
pub(super) struct Request {
    /// Who asks; see [`super::world::World`].
    pub(super) who: usize,
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Option<Value>,
}

impl Request {
    pub(super) fn new(who: usize, method: Method, path: impl Into<String>) -> Self {
        Self {
            who,
            method,
            path: path.into(),
            headers: Vec::new(),
            body: None,
        }
    }

    pub(super) fn get(who: usize, path: impl Into<String>) -> Self {
        Self::new(who, Method::GET, path)
    }

    pub(super) fn post(who: usize, path: impl Into<String>, body: Value) -> Self {
        Self::new(who, Method::POST, path).with(body)
    }

    pub(super) fn put(who: usize, path: impl Into<String>, body: Value) -> Self {
        Self::new(who, Method::PUT, path).with(body)
    }

    pub(super) fn with(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    pub(super) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Whether it is one that may change something.
    pub(super) fn changes(&self) -> bool {
        let reads = ["/check", "/render"];
        self.method != Method::GET && !reads.iter().any(|end| self.path.ends_with(end))
    }
}
