//! How the server is called from outside, which it cannot find out by itself.

use axum::http::header;
use axum::http::request::Parts;
use axum::http::uri::Authority;

/// The names of the machine itself, by which it may always be called.
pub const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// How the server is called from outside, and by which web pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    /// The names or addresses, with or without port, that a `Host` header may have besides those of the machine itself.
    pub hosts: Vec<String>,
    /// The origins of web pages (`https://app.example.com:443`) that may call besides those of the machine itself.
    pub origins: Vec<String>,
    /// The URL that clients reach the server by, without a path; made of the `Host` header when left out.
    pub public_url: Option<String>,
}

impl Reach {
    /// The URL of the server as this request's client knows it, without a path; none when it has no usable `Host`.
    #[must_use]
    pub fn base_url(&self, parts: &Parts) -> Option<String> {
        if let Some(url) = &self.public_url {
            return Some(url.trim_end_matches('/').to_owned());
        }
        let host = parts.headers.get(header::HOST)?.to_str().ok()?;
        let authority: Authority = host.parse().ok()?;
        self.is_known(&authority)
            .then(|| format!("http://{authority}"))
    }

    /// Whether it is a name that this server may be called by.
    fn is_known(&self, authority: &Authority) -> bool {
        let host = authority
            .host()
            .trim_start_matches('[')
            .trim_end_matches(']');
        let is_allowed = |allowed: &String| {
            allowed.eq_ignore_ascii_case(authority.as_str())
                || allowed.eq_ignore_ascii_case(authority.host())
        };
        !authority.as_str().contains('@')
            && (LOOPBACK.iter().any(|name| name.eq_ignore_ascii_case(host))
                || self.hosts.iter().any(is_allowed))
    }

    /// The host, with its port if it has one, of the URL that clients reach the server by.
    #[must_use]
    pub fn public_host(&self) -> Option<&str> {
        let (_, rest) = self.public_url.as_deref()?.split_once("://")?;
        rest.split('/').next().filter(|host| !host.is_empty())
    }
}
