//! A command's connection to its server: the right token for each request, refreshed when it has ended.

use std::sync::Arc;

use hyper::StatusCode;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use super::failure::{Failure, Refusal};
use super::options::Options;
use super::output::{Out, value};
use super::profile::{Profile, ProfileFile, Tokens};
use crate::client::{Answer, Call, Client, ClientError, ServerUrl, query};
use crate::clock::{Clock, SystemClock};

/// The most items of a page.
const PAGE: &str = "200";

/// As what a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum As<'a> {
    /// Nobody: without a token.
    Nobody,
    /// Whoever is logged in.
    Oneself,
    /// Elevated for this scope, where there is an elevation in the profile.
    Elevated(&'a str),
    /// Elevated for this tenant, or else for `global`.
    Administrator(&'a str),
}

enum Credential {
    /// None: for what needs none.
    None,
    /// A token that was given.
    Given(String),
    /// A profile.
    Profile {
        file: ProfileFile,
        profile: Mutex<Profile>,
    },
}

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
                    profile: Mutex::new(profile),
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

    /// Sends a request that has to succeed.
    pub(super) async fn ask(&self, as_: As<'_>, call: &Call) -> Result<Answer, Failure> {
        let answer = self.send(as_, call).await?;
        if answer.status.is_success() {
            Ok(answer)
        } else {
            Err(Failure::refused(&answer, as_.scope().as_deref()))
        }
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
        loop {
            let mut pairs = filter.to_vec();
            pairs.push(("limit", Some(PAGE)));
            pairs.push(("cursor", cursor.as_deref()));
            let call = Call::get(query(path, &pairs));
            let answer = self.send_patiently(As::Oneself, &call).await?;
            if !answer.status.is_success() {
                return Err(Failure::refused(&answer, None));
            }
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
    }

    async fn send_by(&self, as_: As<'_>, call: &Call, is_patient: bool) -> Result<Answer, Trouble> {
        let token = self.token(as_).await.map_err(Trouble::Other)?;
        let answer = self.once(call, token.as_ref(), is_patient).await?;
        let Some(token) = token else {
            return Ok(answer);
        };
        if answer.status != StatusCode::UNAUTHORIZED || answer.text("code") != "unauthenticated" {
            return Ok(answer);
        }
        // The token ended earlier than this machine's clock says. An elevation cannot be had again; a session can.
        let again = match token {
            Token::Given(_) => return Ok(answer),
            Token::Elevated { token, scope } => {
                self.forget_elevation(&scope, &token)
                    .await
                    .map_err(Trouble::Other)?;
                self.token(As::Oneself).await
            }
            Token::Session(used) => self
                .refresh(&used)
                .await
                .map(|token| Some(Token::Session(token))),
        }
        .map_err(Trouble::Other)?;
        self.once(call, again.as_ref(), is_patient).await
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

    /// The token to use, refreshed when it has ended.
    async fn token(&self, as_: As<'_>) -> Result<Option<Token>, Failure> {
        let (profile, now) = match &self.credential {
            _ if as_ == As::Nobody => return Ok(None),
            Credential::None => return Ok(None),
            Credential::Given(token) => return Ok(Some(Token::Given(token.clone()))),
            Credential::Profile { profile, .. } => (profile, self.clock.now()),
        };
        let used = {
            let profile = profile.lock().await;
            for scope in as_.scopes() {
                if let Some(elevation) = profile.elevation(&scope, now) {
                    return Ok(Some(Token::Elevated {
                        token: elevation.access_token.clone(),
                        scope,
                    }));
                }
            }
            if !profile.tokens.has_ended(now) {
                return Ok(Some(Token::Session(profile.tokens.access_token.clone())));
            }
            profile.tokens.access_token.clone()
        };
        self.refresh(&used)
            .await
            .map(|token| Some(Token::Session(token)))
    }

    /// The access token after `used`. Whoever has the lock asks for it; the others read it from the file.
    async fn refresh(&self, used: &str) -> Result<String, Failure> {
        let Credential::Profile { file, profile } = &self.credential else {
            return Err(Failure::new("there is no session to refresh"));
        };
        let mut profile = profile.lock().await;
        if profile.tokens.access_token != used {
            return Ok(profile.tokens.access_token.clone());
        }
        let _lock = file.lock().await?;
        let ended = || {
            Failure::new(format!(
                "the session of profile {} has ended: run `vestry login`",
                file.name()
            ))
        };
        let mut kept = file.read()?.ok_or_else(ended)?;
        if kept.server != profile.server {
            return Err(ended());
        }
        if kept.tokens.access_token == used {
            let body = json!({"refresh_token": kept.tokens.refresh_token});
            let answer = self
                .client
                .send(&Call::post("/v1/refresh", &body), None)
                .await?;
            if answer.status == StatusCode::UNAUTHORIZED {
                return Err(ended());
            }
            if !answer.status.is_success() {
                return Err(Failure::new(Refusal::of(&answer).sentence(None)));
            }
            kept.tokens = tokens(&answer)?;
            file.write(&kept)?;
        }
        *profile = kept;
        Ok(profile.tokens.access_token.clone())
    }

    async fn forget_elevation(&self, scope: &str, token: &str) -> Result<(), Failure> {
        if let Credential::Profile { file, profile } = &self.credential {
            let is_it = |kept: &super::profile::Elevation| {
                kept.scope == scope && kept.access_token == token
            };
            profile.lock().await.elevations.retain(|kept| !is_it(kept));
            file.change(|profile| profile.elevations.retain(|kept| !is_it(kept)))
                .await?;
        }
        Ok(())
    }
}

/// The tokens of a login's or a refresh's answer.
pub(super) fn tokens(answer: &Answer) -> Result<Tokens, Failure> {
    let tokens = Tokens {
        access_token: answer.text("access_token").to_owned(),
        expires_at: answer.text("expires_at").to_owned(),
        refresh_token: answer.text("refresh_token").to_owned(),
    };
    if tokens.access_token.is_empty() || tokens.refresh_token.is_empty() {
        return Err(Failure::new(
            "the server's answer has no tokens; is it a vestry server?",
        ));
    }
    Ok(tokens)
}

enum Token {
    Given(String),
    Session(String),
    Elevated { token: String, scope: String },
}

impl Token {
    fn text(&self) -> &str {
        match self {
            Self::Given(token) | Self::Session(token) | Self::Elevated { token, .. } => token,
        }
    }
}

impl As<'_> {
    /// The scopes whose elevation would do, the first one first.
    fn scopes(self) -> Vec<String> {
        match self {
            As::Nobody | As::Oneself => Vec::new(),
            As::Elevated(scope) => vec![scope.to_owned()],
            As::Administrator(tenant) => vec![format!("tenant:{tenant}"), "global".to_owned()],
        }
    }

    /// The scope to step up for.
    fn scope(self) -> Option<String> {
        self.scopes().into_iter().next()
    }
}
