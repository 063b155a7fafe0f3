//! A request as bytes, with a number in it that is never used twice where the text says `{n}`.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What is asked, and where.
#[derive(Clone)]
pub(crate) struct Load {
    pub(crate) address: SocketAddr,
    /// Everything of the head but the content length, with the line ends.
    pub(crate) head: String,
    pub(crate) body: String,
    numbers: Arc<AtomicU64>,
}

impl Load {
    pub(crate) fn new(
        address: SocketAddr,
        method: &str,
        path: &str,
        token: &str,
        headers: &str,
        body: impl Into<String>,
    ) -> Self {
        Self {
            address,
            head: format!(
                "{method} {path} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\n{headers}"
            ),
            body: body.into(),
            numbers: Arc::new(AtomicU64::new(1)),
        }
    }

    /// The same request, sent elsewhere.
    pub(crate) fn at(&self, address: SocketAddr, path: &str) -> Self {
        let (method, rest) = self.head.split_once(' ').unwrap();
        let (_, rest) = rest.split_once(' ').unwrap();
        Self {
            address,
            head: format!("{method} {path} {rest}"),
            body: self.body.clone(),
            numbers: Arc::default(),
        }
    }

    /// Whether each request is another one.
    pub(crate) fn is_numbered(&self) -> bool {
        self.body.contains("{n}")
    }

    /// Sets so many numbers aside; gives the first of them.
    pub(crate) fn numbers(&self, count: u64) -> u64 {
        self.numbers.fetch_add(count, Ordering::Relaxed)
    }

    /// The bytes of one request.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let body = if self.is_numbered() {
            self.body.replace("{n}", &self.numbers(1).to_string())
        } else {
            self.body.clone()
        };
        format!("{}content-length: {}\r\n\r\n{body}", self.head, body.len()).into_bytes()
    }
}
