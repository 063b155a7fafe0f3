//! Every error that the API answers: one closed enum, answered as `application/problem+json` (RFC 9457).
//!
//! A problem says what to do, never what broke inside: the cause behind a 500 travels beside the
//! response as a [`Failure`], which the middleware logs once with the request id and which is never sent.

mod answer;
mod from_store;
mod page;
mod table;
mod wording;

use std::borrow::Cow;
use std::fmt;

use vestry_policies::Rule;

use crate::store::templates::SchemaReport;
use crate::template::Diagnostics;
use crate::template::schema::SchemaFault;

pub use answer::{Document, Failure};
pub use page::routes;
pub use table::Code;

/// The media type of every problem.
pub const PROBLEM_JSON: &str = "application/problem+json";

/// What is wrong, in one sentence that says what to do, and with which field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The sentence.
    pub detail: Cow<'static, str>,
    /// The path of the field in the body (`files[0].path`), or the name of the parameter or header.
    pub field: Option<Cow<'static, str>>,
}

impl Fault {
    /// A fault of the request as a whole.
    pub fn new(detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            detail: detail.into(),
            field: None,
        }
    }

    /// A fault of one field.
    pub fn at(field: impl Into<Cow<'static, str>>, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            detail: detail.into(),
            field: Some(field.into()),
        }
    }
}

/// The cause of a failure: kept for the log, never sent.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// A problem: all that the API answers instead of what was asked for.
///
/// The variants are the rows of [`Code::ALL`], in the same order.
#[derive(Debug)]
pub enum Problem {
    /// 400: the request cannot be read.
    Malformed(Fault),
    /// 400: the cursor is not one of this list's.
    InvalidCursor,
    /// 401: no valid credential; the text says what to do and never why a credential failed.
    Unauthenticated(Cow<'static, str>),
    /// 401: the credential's owner lost it.
    AuthorityEnded,
    /// 401: not an offer to this caller.
    OfferInvalid,
    /// 401: the offer has expired.
    OfferExpired,
    /// 403: refused by a rule.
    Refused {
        /// The rule.
        rule: Rule,
        /// What the caller can do instead.
        detail: Cow<'static, str>,
    },
    /// 404: nothing that the caller may know of.
    NotFound,
    /// 404: the name is not in the offer. The answer is made of the request and the offer alone.
    SkillNotOffered {
        /// The name that was asked for.
        name: String,
        /// The names that the offer has, in its order.
        available: Vec<String>,
    },
    /// 404: the skill has no such file. The answer is made of the request and of what the caller may know of the skill.
    FileNotFound {
        /// The path that was asked for.
        path: String,
        /// The paths of the files that it has, in their order.
        available: Vec<String>,
    },
    /// 405: the path has other methods.
    MethodNotAllowed {
        /// The value of the `Allow` header.
        allow: String,
    },
    /// 409: a state that does not allow this.
    Conflict(Cow<'static, str>),
    /// 409: the turn has another catalog.
    TurnConflict,
    /// 409: the skill has changed since the proposal was compared with it.
    ProposalStale,
    /// 409: the proposal has ended.
    ProposalEnded {
        /// The state that it ended in.
        state: &'static str,
    },
    /// 409: a context schema that may break something, with what.
    SchemaBreaking(Box<SchemaReport>),
    /// 409: the name is taken.
    AlreadyExists(Fault),
    /// 409: the actor id has skills that nobody claimed.
    ActorIdTaken(Fault),
    /// 410: recalled since it was offered.
    SkillRecalled {
        /// The name of the skill.
        name: String,
    },
    /// 412: a precondition does not hold.
    PreconditionFailed(Cow<'static, str>),
    /// 413: the body is too large.
    TooLarge {
        /// The most bytes that are taken.
        limit: usize,
    },
    /// 415: another content type is needed.
    UnsupportedMediaType {
        /// The types that the route takes.
        expected: &'static [&'static str],
    },
    /// 422: the content breaks a rule of skills.
    InvalidContent(Fault),
    /// 422: not a scope.
    InvalidScope(Fault),
    /// 422: not a name.
    InvalidName(Fault),
    /// 422: not an id.
    InvalidId(Fault),
    /// 422: not a cap.
    InvalidCap(Fault),
    /// 422: not the name of a turn.
    InvalidTurn(Fault),
    /// 422: a template that could fail, with all that is wrong with it.
    TemplateRefused(Box<Diagnostics>),
    /// 422: not a context of the schema.
    InvalidContext(Fault),
    /// 422: an accepted template failed.
    TemplateFailed(Cow<'static, str>),
    /// 422: no context schema, with all that is wrong with it.
    InvalidSchema(Vec<SchemaFault>),
    /// 422: a quota is used up.
    QuotaExceeded(Fault),
    /// 422: the idempotency key was used for something else.
    IdempotencyMismatch,
    /// 422: the password is too weak.
    WeakPassword(Fault),
    /// 428: a precondition is missing.
    PreconditionRequired(Cow<'static, str>),
    /// 429: wait.
    TooManyRequests {
        /// Seconds to wait; at least 1 is sent.
        retry_after: u64,
    },
    /// 500: the server failed.
    Internal(Cause),
    /// 500: stored content is damaged.
    BodyUnreadable {
        /// The name of the skill.
        name: String,
        /// What was found.
        cause: Cause,
    },
    /// 503: not now.
    Busy {
        /// What the server is busy with.
        detail: Cow<'static, str>,
        /// Seconds to wait; at least 1 is sent.
        retry_after: u64,
    },
    /// 503: the database is away; nothing was changed.
    DatabaseUnavailable,
    /// 503: the database went away during the change.
    OutcomeUnknown,
    /// 503: took too long.
    Timeout,
}

impl Problem {
    /// A [`Problem::Malformed`] of the request as a whole.
    pub fn malformed(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::Malformed(Fault::new(detail))
    }

    /// A [`Problem::Internal`] with its cause.
    pub fn internal(cause: impl Into<Cause>) -> Self {
        Self::Internal(cause.into())
    }

    /// A [`Problem::Unauthenticated`] in the words that serve for every credential alike.
    #[must_use]
    pub fn unauthenticated() -> Self {
        Self::Unauthenticated(Cow::Borrowed(
            "Send a valid access token as `Authorization: Bearer <token>`.",
        ))
    }

    /// The same problem, blamed on this field, where problems of its kind name one.
    #[must_use]
    pub fn at(mut self, field: impl Into<Cow<'static, str>>) -> Self {
        if let Some(fault) = self.fault_mut() {
            fault.field = Some(field.into());
        }
        self
    }

    /// The row of the table.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Malformed(_) => Code::Malformed,
            Self::InvalidCursor => Code::InvalidCursor,
            Self::Unauthenticated(_) => Code::Unauthenticated,
            Self::AuthorityEnded => Code::AuthorityEnded,
            Self::OfferInvalid => Code::OfferInvalid,
            Self::OfferExpired => Code::OfferExpired,
            Self::Refused { .. } => Code::Refused,
            Self::NotFound => Code::NotFound,
            Self::SkillNotOffered { .. } => Code::SkillNotOffered,
            Self::FileNotFound { .. } => Code::FileNotFound,
            Self::MethodNotAllowed { .. } => Code::MethodNotAllowed,
            Self::Conflict(_) => Code::Conflict,
            Self::TurnConflict => Code::TurnConflict,
            Self::ProposalStale => Code::ProposalStale,
            Self::ProposalEnded { .. } => Code::ProposalEnded,
            Self::SchemaBreaking(_) => Code::SchemaBreaking,
            Self::AlreadyExists(_) => Code::AlreadyExists,
            Self::ActorIdTaken(_) => Code::ActorIdTaken,
            Self::SkillRecalled { .. } => Code::SkillRecalled,
            Self::PreconditionFailed(_) => Code::PreconditionFailed,
            Self::TooLarge { .. } => Code::TooLarge,
            Self::UnsupportedMediaType { .. } => Code::UnsupportedMediaType,
            Self::InvalidContent(_) => Code::InvalidContent,
            Self::InvalidScope(_) => Code::InvalidScope,
            Self::InvalidName(_) => Code::InvalidName,
            Self::InvalidId(_) => Code::InvalidId,
            Self::InvalidCap(_) => Code::InvalidCap,
            Self::InvalidTurn(_) => Code::InvalidTurn,
            Self::TemplateRefused(_) => Code::TemplateRefused,
            Self::InvalidContext(_) => Code::InvalidContext,
            Self::TemplateFailed(_) => Code::TemplateFailed,
            Self::InvalidSchema(_) => Code::InvalidSchema,
            Self::QuotaExceeded(_) => Code::QuotaExceeded,
            Self::IdempotencyMismatch => Code::IdempotencyMismatch,
            Self::WeakPassword(_) => Code::WeakPassword,
            Self::PreconditionRequired(_) => Code::PreconditionRequired,
            Self::TooManyRequests { .. } => Code::TooManyRequests,
            Self::Internal(_) => Code::Internal,
            Self::BodyUnreadable { .. } => Code::BodyUnreadable,
            Self::Busy { .. } => Code::Busy,
            Self::DatabaseUnavailable => Code::DatabaseUnavailable,
            Self::OutcomeUnknown => Code::OutcomeUnknown,
            Self::Timeout => Code::Timeout,
        }
    }

    /// The field that is to blame, if one is.
    #[must_use]
    pub fn field(&self) -> Option<&str> {
        self.fault().and_then(|fault| fault.field.as_deref())
    }

    /// The rule that refused, if one did.
    #[must_use]
    pub fn rule(&self) -> Option<Rule> {
        match self {
            Self::Refused { rule, .. } => Some(*rule),
            _ => None,
        }
    }

    fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Malformed(fault)
            | Self::AlreadyExists(fault)
            | Self::ActorIdTaken(fault)
            | Self::InvalidContent(fault)
            | Self::InvalidScope(fault)
            | Self::InvalidName(fault)
            | Self::InvalidId(fault)
            | Self::InvalidCap(fault)
            | Self::InvalidTurn(fault)
            | Self::InvalidContext(fault)
            | Self::QuotaExceeded(fault)
            | Self::WeakPassword(fault) => Some(fault),
            _ => None,
        }
    }

    fn fault_mut(&mut self) -> Option<&mut Fault> {
        match self {
            Self::Malformed(fault)
            | Self::AlreadyExists(fault)
            | Self::ActorIdTaken(fault)
            | Self::InvalidContent(fault)
            | Self::InvalidScope(fault)
            | Self::InvalidName(fault)
            | Self::InvalidId(fault)
            | Self::InvalidCap(fault)
            | Self::InvalidTurn(fault)
            | Self::InvalidContext(fault)
            | Self::QuotaExceeded(fault)
            | Self::WeakPassword(fault) => Some(fault),
            _ => None,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code().as_str(), self.detail())
    }
}

#[cfg(test)]
mod tests;
