//! The way to the server's MCP endpoint, with a token that has not ended.

use std::sync::Arc;

use hyper::StatusCode;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::message::{Message, is_plain};
use crate::cli::failure::Failure;
use crate::cli::options::Options;
use crate::cli::session::{As, Session};
use crate::client::{Answer, Call, query};
use crate::mcp::PATH;

/// What the keys of services begin with (design §5).
const SERVICE_KEY: &str = "vst_svc_";
/// The header of the version that was agreed on.
const VERSION: &str = "mcp-protocol-version";

/// The way to the endpoint.
pub(super) struct Connection {
    path: String,
    options: Options,
    /// Whom tokens are minted for, when the credential is the key of a service.
    minted_for: Option<(String, String)>,
    /// The connection with the token in use.
    session: Mutex<Arc<Session>>,
    /// The version that `initialize` agreed on.
    version: Mutex<Option<String>>,
}

impl Connection {
    pub(super) fn open(
        options: &Options,
        role: Option<&str>,
        cap: Option<u32>,
        minted_for: Option<(String, String)>,
    ) -> Result<Self, Failure> {
        let session = Session::open(options)?;
        let is_key = |token: &String| token.starts_with(SERVICE_KEY);
        if minted_for.is_some() && !session.given().is_some_and(is_key) {
            return Err(Failure::usage(
                "tokens are minted with the key of a service: give it as VESTRY_TOKEN, or leave out --actor and --agent",
            ));
        }
        let cap = cap.map(|cap| cap.to_string());
        Ok(Self {
            path: query(PATH, &[("role", role), ("cap", cap.as_deref())]),
            session: Mutex::new(Arc::new(session)),
            options: options.clone(),
            minted_for,
            version: Mutex::default(),
        })
    }

    /// Sends a message, and gives the one that answers it; none where none is expected.
    pub(super) async fn exchange(&self, message: &Message) -> Option<Value> {
        let answer = match self.send(message).await {
            Ok(answer) => answer,
            Err(failure) => return message.failed(failure.sentence()),
        };
        if !message.is_request() {
            return None;
        }
        let is_answer = answer.body.get("jsonrpc").is_some();
        if !is_answer {
            return message.failed(Failure::refused(&answer, None).sentence());
        }
        if message.is_initialize() {
            let agreed = answer.body.pointer("/result/protocolVersion");
            *self.version.lock().await = agreed.and_then(Value::as_str).map(ToOwned::to_owned);
        }
        Some(answer.body)
    }

    async fn send(&self, message: &Message) -> Result<Answer, Failure> {
        let call = self.call(message).await;
        let session = self.session().await?;
        let answer = session.send_patiently(As::Oneself, &call).await?;
        if answer.status == StatusCode::UNAUTHORIZED && self.minted_for.is_some() {
            // The minted token has ended; the next one is asked for once, and is refused where the key has ended too.
            let session = self.mint(&session).await?;
            return Ok(session.send_patiently(As::Oneself, &call).await?);
        }
        Ok(answer)
    }

    async fn call(&self, message: &Message) -> Call {
        let mut call = Call::message(&self.path, message.document());
        let agreed = self.version.lock().await.clone();
        let version = message.version().map(ToOwned::to_owned).or(agreed);
        let version = version.filter(|version| is_plain(version) && !message.is_initialize());
        if let Some(version) = version {
            call = call.header(VERSION, version);
        }
        if let Some(method) = message.method().filter(|method| is_plain(method)) {
            call = call.header("mcp-method", method);
        }
        match message.name() {
            Some(name) => call.header("mcp-name", name),
            None => call,
        }
    }

    async fn session(&self) -> Result<Arc<Session>, Failure> {
        let is_key = |token: &String| token.starts_with(SERVICE_KEY);
        let session = Arc::clone(&*self.session.lock().await);
        match &self.minted_for {
            Some(_) if session.given().is_some_and(is_key) => self.mint(&session).await,
            _ => Ok(session),
        }
    }

    /// Mints a token with the key of the service, and uses it from now on; unless another message has done so since `used` was.
    async fn mint(&self, used: &Arc<Session>) -> Result<Arc<Session>, Failure> {
        let Some((actor, agent)) = &self.minted_for else {
            return Err(Failure::usage("give --actor and --agent"));
        };
        let mut current = self.session.lock().await;
        if !Arc::ptr_eq(&current, used) {
            return Ok(Arc::clone(&current));
        }
        let service = Session::open(&self.options)?;
        let body = json!({ "actor": { "id": actor }, "agent": agent, "ttl_seconds": 3600 });
        let answer = service
            .ask_for(
                As::Oneself,
                &Call::post("/v1/token", &body),
                &["access_token"],
            )
            .await?;
        let options = Options {
            server: Some(service.server().clone()),
            token: Some(answer.text("access_token").to_owned()),
            ..self.options.clone()
        };
        *current = Arc::new(Session::open(&options)?);
        Ok(Arc::clone(&current))
    }
}
