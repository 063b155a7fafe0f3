//! What a login leaves behind: a server, who is logged in, and tokens.

mod place;
mod store;

use serde::{Deserialize, Serialize};

pub(super) use place::{ProfileName, Profiles};
pub(super) use store::{ProfileFile, write_private};

use crate::clock::Micros;

/// How long before its end a token is not used any more: a request takes time, and clocks differ.
const MARGIN_SECONDS: i64 = 10;

/// A profile as it is on the disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Profile {
    /// The server's URL. The tokens go to no other.
    pub(super) server: String,
    /// Who is logged in.
    pub(super) username: String,
    /// The tenant that the tokens are for.
    pub(super) tenant: Option<String>,
    /// The tokens.
    #[serde(flatten)]
    pub(super) tokens: Tokens,
    /// The elevations that have not been given up.
    #[serde(default)]
    pub(super) elevations: Vec<Elevation>,
}

/// The tokens of a session.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Tokens {
    /// The access token.
    pub(super) access_token: String,
    /// When it ends, RFC 3339.
    pub(super) expires_at: String,
    /// What the next ones are had for, once.
    pub(super) refresh_token: String,
}

/// An elevated token.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Elevation {
    /// The scope that it is for.
    pub(super) scope: String,
    /// The token.
    pub(super) access_token: String,
    /// When it ends, RFC 3339.
    pub(super) expires_at: String,
}

impl std::fmt::Debug for Tokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tokens")
            .field("expires_at", &self.expires_at)
            .finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Elevation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Elevation")
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

impl Tokens {
    /// Whether the access token has ended, or is about to.
    pub(super) fn has_ended(&self, now: Micros) -> bool {
        has_ended(&self.expires_at, now)
    }
}

impl Profile {
    /// The elevation for this scope that is in force.
    pub(super) fn elevation(&self, scope: &str, now: Micros) -> Option<&Elevation> {
        self.elevations
            .iter()
            .find(|elevation| elevation.scope == scope && !has_ended(&elevation.expires_at, now))
    }

    /// Keeps an elevation, instead of an earlier one for its scope and of those that have ended.
    pub(super) fn keep(&mut self, elevation: Elevation, now: Micros) {
        self.elevations
            .retain(|kept| kept.scope != elevation.scope && !has_ended(&kept.expires_at, now));
        self.elevations.push(elevation);
    }
}

/// A time that cannot be read has not come: the server decides.
fn has_ended(expires_at: &str, now: Micros) -> bool {
    Micros::from_rfc3339(expires_at).is_some_and(|end| end <= now.plus_seconds(MARGIN_SECONDS))
}

#[cfg(test)]
mod tests {
    use super::{Elevation, Profile, Tokens};
    use crate::clock::Micros;

    #[test]
    fn elevations_are_kept_one_a_scope_while_they_last() {
        let elevation = |scope: &str, expires_at: &str, token: &str| Elevation {
            scope: scope.to_owned(),
            access_token: token.to_owned(),
            expires_at: expires_at.to_owned(),
        };
        let mut profile = Profile {
            server: String::new(),
            username: String::new(),
            tenant: None,
            tokens: Tokens {
                access_token: String::new(),
                expires_at: "1970-01-01T00:01:00Z".to_owned(),
                refresh_token: String::new(),
            },
            elevations: Vec::new(),
        };
        let at = |seconds: i64| Micros(seconds * 1_000_000);
        assert!(!profile.tokens.has_ended(at(49)));
        assert!(profile.tokens.has_ended(at(50)));
        profile.keep(elevation("global", "1970-01-01T00:15:00Z", "a"), at(0));
        profile.keep(elevation("tenant:a", "1970-01-01T00:20:00Z", "b"), at(0));
        profile.keep(elevation("global", "1970-01-01T00:16:00Z", "c"), at(60));
        let token = |profile: &Profile, scope: &str, now| {
            profile
                .elevation(scope, now)
                .map(|elevation| elevation.access_token.clone())
        };
        assert_eq!(profile.elevations.len(), 2);
        assert_eq!(token(&profile, "global", at(60)).as_deref(), Some("c"));
        assert_eq!(token(&profile, "tenant:b", at(60)), None);
        assert_eq!(token(&profile, "global", at(16 * 60)), None);
        profile.keep(
            elevation("tenant:b", "1970-01-01T01:00:00Z", "d"),
            at(1_800),
        );
        assert_eq!(profile.elevations.len(), 1);
    }
}
