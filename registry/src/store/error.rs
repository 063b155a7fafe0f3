//! What can go wrong in the store. No HTTP in here: the HTTP layer maps these to problems in one place.

use std::borrow::Cow;

use crate::template::Diagnostics;
use crate::template::builder::BuildFault;
use crate::template::schema::SchemaFault;
use sea_orm::{ConnAcquireErr, DbErr, RuntimeErr, SqlErr, sqlx};
use vestry_policies::Rule;

use super::templates::SchemaReport;
use crate::content::FilesError;

/// Why the store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// `decide` refused, by this rule.
    #[error("refused by the rule `{}`", .0.as_str())]
    Refused(Rule),
    /// The caller's authority has ended since its token was issued.
    #[error("the caller's authority has ended")]
    AuthorityEnded,
    /// Username, password, tenant or refresh token are not right; which of them is not said.
    #[error("the credentials are not valid")]
    BadCredentials,
    /// The thing does not exist, or the caller may not know that it does.
    #[error("{0} does not exist")]
    NotFound(String),
    /// The thing exists already.
    #[error("{0} exists already")]
    AlreadyExists(String),
    /// The id of this actor has skills already, so that the human who joins must claim them.
    #[error("actor `{0}` has skills already")]
    ActorIdTaken(String),
    /// The state of the thing does not allow this; the text says why and what to do.
    #[error("{0}")]
    Conflict(String),
    /// The skill has changed since the proposal was compared with it.
    #[error("the proposal is stale")]
    ProposalStale,
    /// The proposal has ended; holds its state.
    #[error("the proposal is {0}")]
    ProposalOver(&'static str),
    /// A precondition did not hold; holds the current digest when there is one.
    #[error("the precondition does not hold")]
    PreconditionFailed(Option<String>),
    /// A precondition is required.
    #[error("a precondition is required")]
    PreconditionRequired,
    /// The content breaks a rule; the text says which and what to do.
    #[error("{detail}")]
    InvalidContent {
        /// The field that breaks it.
        field: Cow<'static, str>,
        /// What to do.
        detail: String,
    },
    /// A limit would be exceeded; the text says which.
    #[error("{0}")]
    LimitReached(String),
    /// The idempotency key was used with another payload.
    #[error("the idempotency key was used with another payload")]
    IdempotencyMismatch,
    /// The turn was asked for with another cap, budget or role before.
    #[error("the turn was taken with another cap, budget or role")]
    TurnConflict,
    /// The offer is not one to this caller.
    #[error("the offer is not valid for this caller")]
    OfferInvalid,
    /// The offer has expired.
    #[error("the offer has expired")]
    OfferExpired,
    /// The name is not in the offer; holds the offered names.
    #[error("the name is not in the offer")]
    NotOffered(Vec<String>),
    /// The skill has no file with this path.
    #[error("the skill has no file with this path")]
    NoSuchFile {
        /// The path that was asked for.
        path: String,
        /// The paths that it has.
        available: Vec<String>,
    },
    /// The offered revision has been recalled.
    #[error("the skill has been recalled")]
    Recalled,
    /// What went wrong with one of several items, and its name.
    #[error("`{name}`: {error}")]
    OfItem {
        /// The name, `role:support` for the instruction of a role.
        name: String,
        /// What went wrong.
        error: Box<StoreError>,
    },
    /// The stored bytes are not those that were pinned.
    #[error("the stored body is not the one that was pinned")]
    Corrupt,
    /// The template is refused; holds all that is wrong with it.
    #[error("the template is refused")]
    TemplateRefused(Box<Diagnostics>),
    /// The document is no context schema, or none that may become the active one; holds all that is wrong with it.
    #[error("the context schema is refused")]
    InvalidSchema(Vec<SchemaFault>),
    /// The schema may break something, and that was not accepted; holds what.
    #[error("the context schema is breaking")]
    SchemaBreaking(Box<SchemaReport>),
    /// The context is not one of the schema.
    #[error("the context is not one of the schema")]
    InvalidContext(Vec<BuildFault>),
    /// A template that was accepted failed all the same; holds where and why.
    #[error("{0}")]
    TemplateFailed(String),
    /// The database is busy; trying again will do.
    #[error("the database is busy")]
    Busy,
    /// The database cannot be reached, or takes no writes; nothing was written.
    #[error("the database is not available")]
    Unavailable,
    /// The database went away while it committed: whether it has the write is not known.
    #[error("whether the database has the write is not known")]
    OutcomeUnknown,
    /// The database failed.
    #[error("database: {0}")]
    Database(DbErr),
    /// Something else inside failed.
    #[error("{0}")]
    Internal(String),
}

impl StoreError {
    /// Whether the same may succeed a moment later, on another connection. What was waited for long enough already is not.
    pub(super) fn is_transient(error: &DbErr) -> bool {
        matches!(condition(error), Condition::Busy | Condition::Gone)
    }

    /// Whether nothing came from the database for as long as it is waited for.
    pub(super) fn is_silence(error: &DbErr) -> bool {
        matches!(error, DbErr::Conn(RuntimeErr::SqlxError(inner))
            if matches!(&**inner, sqlx::Error::Io(io) if io.kind() == std::io::ErrorKind::TimedOut))
    }

    /// Whether there was no connection to be had for as long as one is waited for.
    pub(super) fn is_without_connection(error: &DbErr) -> bool {
        matches!(error, DbErr::ConnectionAcquire(ConnAcquireErr::Timeout))
    }
}

impl From<DbErr> for StoreError {
    fn from(error: DbErr) -> Self {
        if let Some(SqlErr::UniqueConstraintViolation(_)) = error.sql_err() {
            return Self::Conflict(
                "Something with this name was created at the same moment; read it and try again."
                    .to_owned(),
            );
        }
        match condition(&error) {
            // What no text can have, nothing is called.
            Condition::NoText => Self::NotFound("What the request names".to_owned()),
            Condition::Busy | Condition::Late => Self::Busy,
            Condition::Unavailable => {
                // Nothing that a client can do, and nothing wrong with the request: it may be sent again.
                tracing::error!(error = %error, "the database cannot be written");
                Self::Busy
            }
            Condition::Gone => {
                tracing::error!(error = %error, "the database is not available");
                Self::Unavailable
            }
            Condition::Other => Self::Database(error),
        }
    }
}

/// What an error of the database says about the database.
enum Condition {
    /// Somebody else has it; a moment later it is free.
    Busy,
    /// Somebody else has it, and it was waited for as long as anything is.
    Late,
    /// It cannot be written: no space, no permission, a failing disk.
    Unavailable,
    /// It cannot be reached, or takes no writes.
    Gone,
    /// It was asked about a text with a NUL, which PostgreSQL has none of.
    NoText,
    /// Something else.
    Other,
}

fn condition(error: &DbErr) -> Condition {
    let inner = match error {
        DbErr::ConnectionAcquire(ConnAcquireErr::Timeout) => return Condition::Late,
        DbErr::ConnectionAcquire(_) => return Condition::Gone,
        DbErr::Exec(RuntimeErr::SqlxError(inner))
        | DbErr::Query(RuntimeErr::SqlxError(inner))
        | DbErr::Conn(RuntimeErr::SqlxError(inner)) => inner,
        _ => return Condition::Other,
    };
    let database = match &**inner {
        sqlx::Error::Database(database) => database,
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::Protocol(_)
        | sqlx::Error::BeginFailed
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => return Condition::Gone,
        sqlx::Error::PoolTimedOut => return Condition::Late,
        _ => return Condition::Other,
    };
    let Some(code) = database.code() else {
        return Condition::Other;
    };
    // Five characters are PostgreSQL's (https://www.postgresql.org/docs/current/errcodes-appendix.html).
    if code.len() == 5 {
        return condition_of_state(&code);
    }
    let code = code.parse::<i32>().ok();
    // SQLite's primary result codes; their extended codes are in the higher bits (https://sqlite.org/rescode.html).
    match code.map(|code| code & 0xff) {
        Some(5 | 6) => Condition::Busy,
        Some(8 | 10 | 13 | 14) => Condition::Unavailable,
        _ => Condition::Other,
    }
}

/// What an SQLSTATE says about the database.
fn condition_of_state(state: &str) -> Condition {
    match state {
        // Serialization failure, deadlock.
        "40001" | "40P01" => Condition::Busy,
        // A lock or a statement that took too long.
        "55P03" | "57014" | "25P03" => Condition::Late,
        "22021" => Condition::NoText,
        // A standby, or a primary that takes no writes.
        "25006" => Condition::Gone,
        // Connections that broke, no resources (a full disk, too many connections), an operator's intervention, a failing disk.
        _ if ["08", "53", "57", "58"]
            .iter()
            .any(|class| state.starts_with(class)) =>
        {
            Condition::Gone
        }
        _ => Condition::Other,
    }
}

impl From<FilesError> for StoreError {
    fn from(FilesError { field, detail }: FilesError) -> Self {
        Self::InvalidContent { field, detail }
    }
}

impl From<crate::entropy::EntropyError> for StoreError {
    fn from(error: crate::entropy::EntropyError) -> Self {
        Self::Internal(error.to_string())
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        Self::Internal(format!(
            "a stored document could not be read or written: {error}"
        ))
    }
}

/// What a store operation gives.
pub type StoreResult<T> = Result<T, StoreError>;
