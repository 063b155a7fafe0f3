//! A command's connection to its server: the right token for each request, refreshed when it has ended.

mod token;
mod who;

use std::sync::Arc;

use hyper::StatusCode;
use serde_json::Value;
use tokio::sync::Mutex;

pub(super) use self::token::tokens;
use self::token::{Credential, Token};
pub(super) use self::who::As;
use super::failure::Failure;
use super::options::Options;
use super::output::{Out, value};
use crate::client::agent::{AgentError, Caller};
use crate::client::{Answer, Call, Client, ClientError, Opened, ServerUrl, query};
use crate::clock::{Clock, Micros, SystemClock};

/// The most items of a page.
const PAGE: &str = "200";
/// The most pages of a list that are followed: 400,000 items. Who goes on after that may go on for ever.
const MAX_PAGES: usize = 2_000;

/// How a request goes wrong.
#[derive(Debug)]
pub(super) enum Trouble {
    /// No answer.
    Client(ClientError),
    /// Something else.
    Other(Failure),
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Client(error) => error.into(),
            Trouble::Other(failure) => failure,
        }
    }
}

impl From<AgentError<Trouble>> for Failure {
    fn from(error: AgentError<Trouble>) -> Self {
        match error {
            AgentError::Unanswered(trouble) => trouble.into(),
            AgentError::Refused(answer) => Self::refused(&answer, None),
            AgentError::Useless(useless) => useless.into(),
        }
    }
}

/// A connection to a server.
pub(super) struct Session {
    client: Client,
    credential: Credential,
    clock: Arc<dyn Clock>,
    tenant: Option<String>,
    /// How to print.
    pub(super) out: Out,
}

impl Session {
    /// As the options say: a server and a token that were given, or those of the profile.
    ///
    /// # Errors
    /// When no server is known, or the profile's token is for another one.
    pub(super) fn open(options: &Options) -> Result<Self, Failure> {
        let file = options.profiles()?.file(&options.profile);
        let given = |token: &String| Credential::Given(token.clone());
        // With both given, a profile is not looked at, so that a broken one is in nobody's way.
        let profile = match (&options.server, &options.token) {
            (Some(_), Some(_)) => None,
            _ => file.read()?,
        };
        let server = match (&options.server, &profile) {
            (Some(server), _) => server.clone(),
            (None, Some(profile)) => ServerUrl::parse(&profile.server)?,
            (None, None) => {
                return Err(Failure::usage(
                    "no server is known: run `vestry login --server URL`, or give --server",
                ));
            }
        };
        let tenant = profile.as_ref().and_then(|profile| profile.tenant.clone());
        let credential = match (&options.token, profile) {
            (Some(token), _) => given(token),
            (None, None) => Credential::None,
            (None, Some(profile)) => {
                if profile.server != server.as_str() {
                    return Err(Failure::usage(format!(
                        "the profile {} is logged in to {}, not to {server}: run `vestry login --server {server} --profile NAME`",
                        options.profile, profile.server
                    )));
                }
                Credential::Profile {
                    file,
                    profile: Box::new(Mutex::new(profile)),
                }
            }
        };
        Ok(Self {
            client: Client::new(server)?,
            credential,
            clock: Arc::new(SystemClock),
            tenant,
            out: options.out(),
        })
    }

    /// The server.
    pub(super) fn server(&self) -> &ServerUrl {
        self.client.server()
    }

    /// The token that was given on the command line or in the environment.
    pub(super) fn given(&self) -> Option<&String> {
        match &self.credential {
            Credential::Given(token) => Some(token),
            Credential::None | Credential::Profile { .. } => None,
        }
    }

    /// The tenant that was given, or the profile's.
    ///
    /// # Errors
    /// When neither is known.
    pub(super) fn tenant(&self, given: Option<String>) -> Result<String, Failure> {
        given
            .or_else(|| self.tenant.clone())
            .ok_or_else(|| Failure::usage("no tenant is known: give --tenant, or log in with one"))
    }

    /// Whether the profile has an elevation for this scope that is in force.
    pub(super) async fn is_elevated(&self, scope: &str) -> bool {
        match &self.credential {
            Credential::Profile { profile, .. } => profile
                .lock()
                .await
                .elevation(scope, self.clock.now())
                .is_some(),
            Credential::None | Credential::Given(_) => false,
        }
    }

    /// Sends a request, and gives whatever is answered.
    pub(super) async fn send(&self, as_: As<'_>, call: &Call) -> Result<Answer, Trouble> {
        self.send_by(as_, call, false).await
    }

    /// As `send`, and again while the server is busy.
    pub(super) async fn send_patiently(&self, as_: As<'_>, call: &Call) -> Result<Answer, Trouble> {
        self.send_by(as_, call, true).await
    }

    /// Opens a stream of events. What is no stream is the server's answer.
    pub(super) async fn follow(&self, call: &Call) -> Result<Opened, Trouble> {
        let token = self.token(As::Oneself).await.map_err(Trouble::Other)?;
        let open = async |token: Option<&str>| {
            let opened = self.client.open(call, token).await;
            opened.map_err(Trouble::Client)
        };
        let opened = open(token.as_ref().map(Token::text)).await?;
        match (&opened, &token) {
            // The session may have ended earlier than this machine's clock says.
            (Opened::Answer(answer), Some(Token::Session(used)))
                if answer.status == StatusCode::UNAUTHORIZED
                    && answer.text("code") == "unauthenticated" =>
            {
                let next = self.refresh(used).await.map_err(Trouble::Other)?;
                open(Some(&next)).await
            }
            _ => Ok(opened),
        }
    }

    /// Sends a request that has to succeed.
    pub(super) async fn ask(&self, as_: As<'_>, call: &Call) -> Result<Answer, Failure> {
        let answer = self.send(as_, call).await?;
        if answer.status.is_success() {
            Ok(answer)
        } else {
            Err(Failure::refused(&answer, as_.scope().as_deref()))
        }
    }

    /// As `ask`, of an answer that has these fields.
    pub(super) async fn ask_for(
        &self,
        as_: As<'_>,
        call: &Call,
        fields: &[&str],
    ) -> Result<Answer, Failure> {
        let answer = self.ask(as_, call).await?;
        value::needs(&answer.body, fields)?;
        Ok(answer)
    }

    /// Every item of a list, or the first `most`; and whether there are more.
    pub(super) async fn list(
        &self,
        path: &str,
        filter: &[(&str, Option<&str>)],
        most: Option<usize>,
    ) -> Result<(Vec<Value>, bool), Failure> {
        let mut items: Vec<Value> = Vec::new();
        let mut cursor: Option<String> = None;
        for _ in 0..MAX_PAGES {
            let mut pairs = filter.to_vec();
            pairs.push(("limit", Some(PAGE)));
            pairs.push(("cursor", cursor.as_deref()));
            let call = Call::get(query(path, &pairs));
            let answer = self.send_patiently(As::Oneself, &call).await?;
            if !answer.status.is_success() {
                return Err(Failure::refused(&answer, None));
            }
            value::needs(&answer.body, &["items"])?;
            items.extend_from_slice(value::items(&answer.body, "items"));
            let next = answer.text("next_cursor");
            if let Some(most) = most
                .filter(|most| items.len() > *most || (items.len() == *most && !next.is_empty()))
            {
                items.truncate(most);
                return Ok((items, true));
            }
            // A list that goes nowhere ends here.
            if next.is_empty() || Some(next) == cursor.as_deref() {
                return Ok((items, false));
            }
            cursor = Some(next.to_owned());
        }
        Err(Failure::new(format!(
            "the list at {path} has more than {MAX_PAGES} pages, and was not followed further: ask for less of it, or check --server"
        )))
    }

    async fn send_by(&self, as_: As<'_>, call: &Call, is_patient: bool) -> Result<Answer, Trouble> {
        let mut token = self.token(as_).await.map_err(Trouble::Other)?;
        // An elevation may have ended, and then the session, both earlier than this machine's clock says.
        for _ in 0..2 {
            let answer = self.once(call, token.as_ref(), is_patient).await?;
            let has_ended = answer.status == StatusCode::UNAUTHORIZED
                && answer.text("code") == "unauthenticated";
            token = match token {
                _ if !has_ended => return Ok(answer),
                None | Some(Token::Given(_)) => return Ok(answer),
                Some(Token::Elevated { token, scope }) => {
                    self.forget_elevation(&scope, &token)
                        .await
                        .map_err(Trouble::Other)?;
                    self.token(As::Oneself).await.map_err(Trouble::Other)?
                }
                Some(Token::Session(used)) => {
                    let next = self.refresh(&used).await.map_err(Trouble::Other)?;
                    Some(Token::Session(next))
                }
            };
        }
        self.once(call, token.as_ref(), is_patient).await
    }

    async fn once(
        &self,
        call: &Call,
        token: Option<&Token>,
        is_patient: bool,
    ) -> Result<Answer, Trouble> {
        let token = token.map(Token::text);
        let sent = if is_patient {
            self.client.send_patiently(call, token).await
        } else {
            self.client.send(call, token).await
        };
        sent.map_err(Trouble::Client)
    }
}

impl Caller for Session {
    type Error = Trouble;

    async fn answer(&self, call: &Call) -> Result<Answer, Trouble> {
        self.send_patiently(As::Oneself, call).await
    }

    fn now(&self) -> Micros {
        self.clock.now()
    }
}
