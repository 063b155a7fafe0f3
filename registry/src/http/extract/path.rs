//! Paths: each part is parsed into its type, and what does not parse is the problem of that type.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use vestry_policies::{
    ActorId, AgentId, Digest, ItemName, Scope, ScopeError, SkillName, TenantId, Username,
};

use super::words::sentence;
use crate::http::problem::{Fault, Problem};

/// A type that one part of a path is parsed into.
pub trait PathPart: Sized {
    /// Parses the decoded text of the part.
    ///
    /// # Errors
    /// The problem of this type; the extractor adds the name of the parameter.
    fn parse(text: &str) -> Result<Self, Problem>;
}

/// One or more [`PathPart`]s: a part, or a tuple of parts in the order of the path.
pub trait PathParts: Sized {
    /// Takes the parts from the parameters of the route.
    ///
    /// # Errors
    /// The problem of the first part that does not parse.
    fn take<'a>(parts: &mut dyn Iterator<Item = (&'a str, &'a str)>) -> Result<Self, Problem>;
}

fn next<'a, P: PathPart>(
    parts: &mut dyn Iterator<Item = (&'a str, &'a str)>,
) -> Result<P, Problem> {
    let Some((key, text)) = parts.next() else {
        return Err(Problem::internal(
            "a handler takes more path parts than its route has",
        ));
    };
    P::parse(text).map_err(|problem| problem.at(key.to_owned()))
}

impl<A: PathPart> PathParts for A {
    fn take<'a>(parts: &mut dyn Iterator<Item = (&'a str, &'a str)>) -> Result<Self, Problem> {
        next(parts)
    }
}

impl<A: PathPart, B: PathPart> PathParts for (A, B) {
    fn take<'a>(parts: &mut dyn Iterator<Item = (&'a str, &'a str)>) -> Result<Self, Problem> {
        Ok((next(parts)?, next(parts)?))
    }
}

impl<A: PathPart, B: PathPart, C: PathPart> PathParts for (A, B, C) {
    fn take<'a>(parts: &mut dyn Iterator<Item = (&'a str, &'a str)>) -> Result<Self, Problem> {
        Ok((next(parts)?, next(parts)?, next(parts)?))
    }
}

/// The parameters of the path, parsed: `Path<SkillName>`, `Path<(ScopeText, SkillName)>`.
#[derive(Debug, Clone)]
pub struct Path<T>(pub T);

impl<T: PathParts, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let params = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_| Problem::malformed("Percent-encode the path in UTF-8."))?;
        T::take(&mut params.iter()).map(Self)
    }
}

impl PathPart for SkillName {
    fn parse(text: &str) -> Result<Self, Problem> {
        Self::parse(text)
            .map_err(|error| Problem::InvalidName(Fault::new(sentence(&error.to_string()))))
    }
}

/// A skill, or `role:support` for what a role is told.
impl PathPart for ItemName {
    fn parse(text: &str) -> Result<Self, Problem> {
        Self::parse(text)
            .map_err(|error| Problem::InvalidName(Fault::new(sentence(&error.to_string()))))
    }
}

macro_rules! id_parts {
    ($($id:ident)*) => {$(
        impl PathPart for $id {
            fn parse(text: &str) -> Result<Self, Problem> {
                Self::parse(text)
                    .map_err(|error| Problem::InvalidId(Fault::new(sentence(&error.to_string()))))
            }
        }
    )*};
}

id_parts! { TenantId ActorId AgentId Username }

/// The written form of a scope. Which actor `actor:7` is depends on the caller's tenant, so that the
/// text becomes a [`Scope`] only once the caller is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeText(String);

impl ScopeText {
    /// The scope that a caller of this tenant means.
    ///
    /// # Errors
    /// Never for a text that was parsed into this type; kept as a problem so that nothing here can panic.
    pub fn resolve(&self, tenant: Option<&TenantId>) -> Result<Scope, Problem> {
        Scope::parse(&self.0, tenant).map_err(|error| invalid_scope(&error))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn invalid_scope(error: &ScopeError) -> Problem {
    Problem::InvalidScope(Fault::new(sentence(&error.to_string())))
}

impl PathPart for ScopeText {
    fn parse(text: &str) -> Result<Self, Problem> {
        match Scope::parse(text, None) {
            Ok(_) => Ok(Self(text.to_owned())),
            Err(error) => Err(invalid_scope(&error)),
        }
    }
}

/// A digest as a path has it: the 64 hexadecimal digits alone.
impl PathPart for Digest {
    fn parse(text: &str) -> Result<Self, Problem> {
        Self::parse(&format!("sha256:{text}")).ok_or_else(|| {
            Problem::InvalidId(Fault::new(
                "Write the SHA-256 of the bytes as 64 lower-case hexadecimal digits.",
            ))
        })
    }
}

/// The number of a revision: a whole number, written without sign or leading zeros. 0 is the revision of what comes from a
/// read-only source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RevisionNumber(pub u64);

impl PathPart for RevisionNumber {
    fn parse(text: &str) -> Result<Self, Problem> {
        // One number has one path: `01` and `+1` are not second names of it.
        let canonical =
            text.bytes().all(|b| b.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
        match text.parse() {
            Ok(number) if canonical => Ok(Self(number)),
            _ => Err(Problem::malformed(
                "Write the number of a revision as a whole number.",
            )),
        }
    }
}

/// An id that the server made: what comes back is compared, never interpreted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpaqueId(pub String);

impl PathPart for OpaqueId {
    fn parse(text: &str) -> Result<Self, Problem> {
        let in_grammar = text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        if in_grammar && (1..=64).contains(&text.len()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Problem::InvalidId(Fault::new(
                "Use an id as the server gave it.",
            )))
        }
    }
}
