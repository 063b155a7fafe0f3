//! The connections to one server.

use std::time::Duration;

use axum::body::Bytes;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, USER_AGENT};
use hyper::{Request, Response, StatusCode};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde_json::Value;

use super::call::{JSON, Wanted};
use super::{Answer, Call, ServerUrl};

/// How long a connection may take to be there.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an answer may take, to its last byte. Servers give up earlier.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(120);
/// How long an idle connection is kept: less than servers keep theirs, so that none is used that is about to close.
const IDLE_TIMEOUT: Duration = Duration::from_secs(10);
/// The most bytes of an answer: a bundled file of 16 MiB, and what JSON makes of it.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address is none.
    #[error("{0}")]
    Address(String),
    /// The server cannot be reached.
    #[error("cannot reach {server}: {reason}; check the address, and that the server runs")]
    Unreachable {
        /// Its address.
        server: String,
        /// What went wrong.
        reason: String,
    },
    /// The connection broke, or what came is no answer.
    #[error("{call} gave no answer: {reason}; try again")]
    Broken {
        /// Method and path.
        call: String,
        /// What went wrong.
        reason: String,
    },
    /// The answer is longer, or takes longer, than any of a server's.
    #[error("the answer to {call} does not end: it has {reason}; check --server")]
    Endless {
        /// Method and path.
        call: String,
        /// How far it was followed.
        reason: String,
    },
    /// A success that no server of this kind answers with, such as the page of a network's login.
    #[error(
        "this is not a Vestry server, or an older one: {call} was answered with {said}; check --server"
    )]
    Foreign {
        /// Method and path.
        call: String,
        /// What came.
        said: String,
    },
    /// The server sends elsewhere.
    #[error("{server} sends on to {to}; if that is right, give it as the server")]
    Redirected {
        /// Its address.
        server: String,
        /// Where to.
        to: String,
    },
    /// The certificates of this machine cannot be read.
    #[error("cannot read the certificates that this machine trusts: {0}; set SSL_CERT_FILE")]
    Certificates(String),
}

impl ClientError {
    /// Whether there was no connection at all, so that nothing was asked.
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Certificates(_))
    }
}

enum Connections {
    Plain(Pool<HttpConnector, Full<Bytes>>),
    Tls(Pool<HttpsConnector<HttpConnector>, Full<Bytes>>),
}

/// A client of one server. Connections are kept and used again.
pub(crate) struct Client {
    server: ServerUrl,
    connections: Connections,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Client")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

impl Client {
    /// A client of this server; connects when it is first asked.
    ///
    /// # Errors
    /// When the server is reached by https and this machine's certificates cannot be read.
    pub(crate) fn new(server: ServerUrl) -> Result<Self, ClientError> {
        let mut http = HttpConnector::new();
        http.set_nodelay(true);
        http.set_connect_timeout(Some(CONNECT_TIMEOUT));
        let mut pool = Pool::builder(TokioExecutor::new());
        pool.pool_idle_timeout(IDLE_TIMEOUT)
            .pool_timer(TokioTimer::new());
        let connections = if server.is_tls() {
            http.enforce_http(false);
            let https = HttpsConnectorBuilder::new()
                .with_native_roots()
                .map_err(|error| ClientError::Certificates(error.to_string()))?
                .https_only()
                .enable_http1()
                .wrap_connector(http);
            Connections::Tls(pool.build(https))
        } else {
            Connections::Plain(pool.build(http))
        };
        Ok(Self {
            server,
            connections,
        })
    }

    /// The server.
    pub(crate) fn server(&self) -> &ServerUrl {
        &self.server
    }

    /// Sends a request once.
    ///
    /// # Errors
    /// When there is no answer, one that sends elsewhere, or a success that is not what was asked for. Refusals are
    /// answers.
    pub(crate) async fn send(
        &self,
        call: &Call,
        token: Option<&str>,
    ) -> Result<Answer, ClientError> {
        tokio::time::timeout(ANSWER_TIMEOUT, self.exchange(call, token))
            .await
            .unwrap_or_else(|_| {
                Err(endless(
                    call,
                    format!("taken more than {} seconds", ANSWER_TIMEOUT.as_secs()),
                ))
            })
    }

    async fn exchange(&self, call: &Call, token: Option<&str>) -> Result<Answer, ClientError> {
        let answer = self.request_once(call, token).await?;
        self.read(call, answer).await
    }

    /// Sends a request, and gives the answer when its head is there.
    pub(super) async fn request_once(
        &self,
        call: &Call,
        token: Option<&str>,
    ) -> Result<Response<Incoming>, ClientError> {
        let request = self.request(call, token)?;
        match &self.connections {
            Connections::Plain(pool) => pool.request(request).await,
            Connections::Tls(pool) => pool.request(request).await,
        }
        .map_err(|error| {
            let reason = innermost(&error);
            if error.is_connect() {
                ClientError::Unreachable {
                    server: self.server.to_string(),
                    reason,
                }
            } else {
                broken(call, &reason)
            }
        })
    }

    fn request(
        &self,
        call: &Call,
        token: Option<&str>,
    ) -> Result<Request<Full<Bytes>>, ClientError> {
        let mut request = Request::builder()
            .method(call.method.clone())
            .uri(format!("{}{}", self.server, call.path))
            .header(
                USER_AGENT,
                HeaderValue::from_static(concat!("vestry/", env!("CARGO_PKG_VERSION"))),
            );
        if let Some(token) = token {
            let mut value = HeaderValue::from_str(&format!("Bearer {token}"))
                .map_err(|_| broken(call, &"the token has characters that no token has"))?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        for (name, value) in &call.headers {
            request = request.header(name.as_str(), value.as_str());
        }
        request
            .body(Full::new(call.body.clone()))
            .map_err(|error| broken(call, &error))
    }

    /// Reads an answer whole.
    pub(super) async fn read(
        &self,
        call: &Call,
        answer: Response<Incoming>,
    ) -> Result<Answer, ClientError> {
        let (parts, body) = answer.into_parts();
        if parts.status.is_redirection() {
            let to = parts.headers.get(LOCATION).map(HeaderValue::as_bytes);
            return Err(ClientError::Redirected {
                server: self.server.to_string(),
                to: String::from_utf8_lossy(to.unwrap_or(b"nowhere")).into_owned(),
            });
        }
        // Looked at before the body is read: whoever answers with something else may send anything.
        if parts.status.is_success() {
            check_kind(call, parts.status, &parts.headers)?;
        }
        let bytes = Limited::new(body, MAX_ANSWER_BYTES)
            .collect()
            .await
            .map_err(|error| {
                if error.is::<LengthLimitError>() {
                    endless(call, format!("more than {} MiB", MAX_ANSWER_BYTES >> 20))
                } else {
                    broken(call, &error)
                }
            })?
            .to_bytes();
        let body = match media_type(&parts.headers) {
            Some(kind) if is_json(kind) => match serde_json::from_slice(&bytes) {
                Ok(body) => body,
                Err(_) if parts.status.is_success() => {
                    return Err(foreign(call, "JSON that cannot be read".to_owned()));
                }
                // Whoever reads refusals says that it has no reason.
                Err(_) => Value::Null,
            },
            _ => Value::Null,
        };
        Ok(Answer {
            status: parts.status,
            headers: parts.headers,
            body,
            bytes,
        })
    }
}

/// The media type, without its parameters.
fn media_type(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    value.split(';').next().map(str::trim)
}

/// JSON itself, or a problem (RFC 9457).
fn is_json(kind: &str) -> bool {
    kind.eq_ignore_ascii_case(JSON) || kind.eq_ignore_ascii_case("application/problem+json")
}

/// Holds a success to what was asked for. Who answers a request that it does not know with a page and 200, as the login
/// of a network does, has done nothing of what was asked.
pub(super) fn check_kind(
    call: &Call,
    status: StatusCode,
    headers: &HeaderMap,
) -> Result<(), ClientError> {
    let kind = media_type(headers);
    let is_it = match call.wanted() {
        Wanted::Nothing => status == StatusCode::NO_CONTENT,
        Wanted::Message => status == StatusCode::ACCEPTED || kind.is_some_and(is_json),
        Wanted::Body(wanted) => {
            status != StatusCode::NO_CONTENT
                && kind.is_some_and(|kind| kind.eq_ignore_ascii_case(wanted))
        }
    };
    if is_it {
        return Ok(());
    }
    let kind = kind.unwrap_or("nothing");
    Err(foreign(call, format!("{} and {kind}", status.as_u16())))
}

fn foreign(call: &Call, said: String) -> ClientError {
    ClientError::Foreign {
        call: name(call),
        said,
    }
}

pub(super) fn endless(call: &Call, reason: String) -> ClientError {
    ClientError::Endless {
        call: name(call),
        reason,
    }
}

/// Method and path.
fn name(call: &Call) -> String {
    format!("{} {}", call.method, call.path)
}

pub(super) fn broken(call: &Call, reason: &dyn std::fmt::Display) -> ClientError {
    ClientError::Broken {
        call: name(call),
        reason: reason.to_string(),
    }
}

/// The cause at the bottom: what is above it says only "client error".
fn innermost(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
