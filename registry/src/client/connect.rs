//! The connections to one server.

use std::time::Duration;

use axum::body::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, HeaderValue, LOCATION, USER_AGENT};
use hyper::{Request, Response};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as Pool;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

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
    /// When there is no answer, or one that sends elsewhere. Refusals are answers.
    pub(crate) async fn send(
        &self,
        call: &Call,
        token: Option<&str>,
    ) -> Result<Answer, ClientError> {
        tokio::time::timeout(ANSWER_TIMEOUT, self.exchange(call, token))
            .await
            .unwrap_or_else(|_| {
                Err(broken(
                    call,
                    &format!("it took longer than {} seconds", ANSWER_TIMEOUT.as_secs()),
                ))
            })
    }

    async fn exchange(&self, call: &Call, token: Option<&str>) -> Result<Answer, ClientError> {
        let request = self.request(call, token)?;
        let answer = match &self.connections {
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
        })?;
        self.read(call, answer).await
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

    async fn read(&self, call: &Call, answer: Response<Incoming>) -> Result<Answer, ClientError> {
        let (parts, body) = answer.into_parts();
        if parts.status.is_redirection() {
            let to = parts.headers.get(LOCATION).map(HeaderValue::as_bytes);
            return Err(ClientError::Redirected {
                server: self.server.to_string(),
                to: String::from_utf8_lossy(to.unwrap_or(b"nowhere")).into_owned(),
            });
        }
        let bytes = Limited::new(body, MAX_ANSWER_BYTES)
            .collect()
            .await
            .map_err(|error| broken(call, &error))?
            .to_bytes();
        let is_json = parts
            .headers
            .get(hyper::header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .is_some_and(|value| value.contains("json"));
        Ok(Answer {
            status: parts.status,
            headers: parts.headers,
            body: if is_json {
                serde_json::from_slice(&bytes).unwrap_or_default()
            } else {
                serde_json::Value::Null
            },
            bytes,
        })
    }
}

fn broken(call: &Call, reason: &dyn std::fmt::Display) -> ClientError {
    ClientError::Broken {
        call: format!("{} {}", call.method, call.path),
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
