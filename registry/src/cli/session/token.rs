//! Tokens: which one a request is sent with, and where the next one comes from.

use hyper::StatusCode;
use serde_json::json;
use tokio::sync::Mutex;

use super::{As, Session};
use crate::cli::failure::{Failure, Refusal};
use crate::cli::profile::{Elevation, Profile, ProfileFile, Tokens};
use crate::client::{Answer, Call};

/// What a session authenticates with.
pub(super) enum Credential {
    /// None: for what needs none.
    None,
    /// A token that was given.
    Given(String),
    /// A profile.
    Profile {
        file: ProfileFile,
        profile: Box<Mutex<Profile>>,
    },
}

/// A token, and where it is from.
pub(super) enum Token {
    Given(String),
    Session(String),
    Elevated { token: String, scope: String },
}

impl Token {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Given(token) | Self::Session(token) | Self::Elevated { token, .. } => token,
        }
    }
}

impl Session {
    /// The token to use, refreshed when it has ended.
    pub(super) async fn token(&self, as_: As<'_>) -> Result<Option<Token>, Failure> {
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
    pub(super) async fn refresh(&self, used: &str) -> Result<String, Failure> {
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

    /// Drops an elevation that has ended at the server.
    pub(super) async fn forget_elevation(&self, scope: &str, token: &str) -> Result<(), Failure> {
        if let Credential::Profile { file, profile } = &self.credential {
            let is_it = |kept: &Elevation| kept.scope == scope && kept.access_token == token;
            profile.lock().await.elevations.retain(|kept| !is_it(kept));
            file.change(|profile| profile.elevations.retain(|kept| !is_it(kept)))
                .await?;
        }
        Ok(())
    }
}

/// The tokens of a login's or a refresh's answer.
pub(in crate::cli) fn tokens(answer: &Answer) -> Result<Tokens, Failure> {
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
