//! What each problem says: one sentence, for whoever sent the request.

use std::borrow::Cow;

use super::Problem;
use crate::store::templates::SchemaReport;
use crate::template::schema::SchemaFault;
use crate::template::{Diagnostics, Severity};

/// The longest name that is repeated in an answer: no skill has a longer one.
const LONGEST_ECHO: usize = vestry_policies::name::MAX_NAME_LEN;

/// The longest path that is repeated, and how many paths are listed.
const LONGEST_PATH: usize = crate::content::paths::MAX_PATH_BYTES;
const MOST_PATHS: usize = 50;

fn echo(name: &str) -> Cow<'_, str> {
    shortened(name, LONGEST_ECHO)
}

fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.chars().take(most).chain(['…']).collect()),
    }
}

fn no_file(path: &str, available: &[String]) -> String {
    let path = shortened(path, LONGEST_PATH);
    let listed: Vec<&str> = available
        .iter()
        .take(MOST_PATHS)
        .map(String::as_str)
        .collect();
    match available.len().saturating_sub(listed.len()) {
        _ if listed.is_empty() => {
            format!("The skill has no file \"{path}\", and no others either.")
        }
        0 => format!(
            "The skill has no file \"{path}\". It has: {}.",
            listed.join(", ")
        ),
        more => format!(
            "The skill has no file \"{path}\". It has: {}, and {more} more.",
            listed.join(", ")
        ),
    }
}

fn refused_template(diagnostics: &Diagnostics) -> String {
    let errors = || {
        diagnostics
            .iter()
            .filter(|one| one.severity == Severity::Error)
    };
    let first = errors().next().map_or_else(String::new, |first| {
        let message = first.message.trim_end_matches('.');
        format!(" Line {}: {message}.", first.line)
    });
    match errors().count().saturating_sub(1) {
        0 => format!("The template is refused.{first}"),
        more => {
            format!("The template is refused.{first} There are {more} more; see `diagnostics`.")
        }
    }
}

fn invalid_schema(faults: &[SchemaFault]) -> String {
    let first = faults.first().map_or_else(String::new, |first| {
        format!(" {}", first.to_string().trim_end_matches('.')) + "."
    });
    match faults.len().saturating_sub(1) {
        0 => format!("The context schema is refused.{first}"),
        more => {
            format!("The context schema is refused.{first} There are {more} more; see `faults`.")
        }
    }
}

fn breaking(report: &SchemaReport) -> String {
    let breaking = report
        .changes
        .iter()
        .filter(|change| change.breaking)
        .count();
    format!(
        "{breaking} of the changes may break templates or hosts, and {} of {} live templates fail under this schema. Correct it, or send `accept_breaking: true` to activate it all the same.",
        report.failing_count, report.checked
    )
}

impl Problem {
    /// The one sentence that says what to do. Written to be shown to whoever sent the request.
    #[must_use]
    pub fn detail(&self) -> Cow<'_, str> {
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
            | Self::WeakPassword(fault) => Cow::Borrowed(&fault.detail),
            Self::Unauthenticated(detail)
            | Self::Refused { detail, .. }
            | Self::Conflict(detail)
            | Self::PreconditionFailed(detail)
            | Self::PreconditionRequired(detail)
            | Self::TemplateFailed(detail)
            | Self::Busy { detail, .. } => Cow::Borrowed(detail),
            Self::TemplateRefused(diagnostics) => refused_template(diagnostics).into(),
            Self::InvalidSchema(faults) => invalid_schema(faults).into(),
            Self::SchemaBreaking(report) => breaking(report).into(),
            Self::DatabaseUnavailable => "The database cannot be reached or takes no writes at the moment. Nothing was changed; send the request again.".into(),
            Self::OutcomeUnknown => "The database went away while it took this down, and may have it. Send the request again with the same Idempotency-Key, or read first.".into(),
            Self::InvalidCursor => "This cursor does not belong to this list. Start again without a cursor.".into(),
            Self::AuthorityEnded => "What this credential stood for has been revoked or removed. Log in again, or ask the service for a new token.".into(),
            Self::OfferInvalid => "This offer is not one to this caller. Ask `POST /v1/catalog` for one and use its `offer`.".into(),
            Self::OfferExpired => "This offer has expired. Ask `POST /v1/catalog` for the same turn again and use its new `offer`.".into(),
            Self::NotFound => "There is nothing here. Check the path and the names in it.".into(),
            Self::SkillNotOffered { name, available } if available.is_empty() => {
                format!("No skill named \"{}\" is available to you, and no others are either.", echo(name)).into()
            }
            Self::SkillNotOffered { name, available } => {
                format!("No skill named \"{}\" is available to you. Available: {}.", echo(name), available.join(", ")).into()
            }
            Self::FileNotFound { path, available } => no_file(path, available).into(),
            Self::MethodNotAllowed { allow } => {
                format!("This path does not have this method. It has: {allow}.").into()
            }
            Self::TurnConflict => "This turn was already offered a catalog with another cap, budget or role, or was opened with another role or context. Repeat the first request, or name a new turn.".into(),
            Self::ProposalStale => "The skill has changed since this was compared with it. Rebase the proposal, and read it again.".into(),
            Self::ProposalEnded { state } => {
                format!("This proposal is {state}, and nothing can become of it any more. Propose the content anew.").into()
            }
            Self::SkillRecalled { name } => {
                format!("Skill \"{}\" has been recalled since it was offered. Go on without it, or take a new turn.", echo(name)).into()
            }
            Self::TooLarge { limit } => format!("The body may have at most {limit} bytes. Send less.").into(),
            Self::UnsupportedMediaType { expected } => {
                format!("Send the body with `Content-Type: {}`.", expected.join("` or `")).into()
            }
            Self::IdempotencyMismatch => "This `Idempotency-Key` was used with another request. Use a new key for a new request.".into(),
            Self::TooManyRequests { retry_after } => {
                format!("Too many attempts. Wait {} seconds before the next one.", (*retry_after).max(1)).into()
            }
            Self::Internal(_) => "The server failed. Tell its operator the `x-request-id` of this answer.".into(),
            Self::BodyUnreadable { name, .. } => {
                format!("Skill \"{}\" is listed but its body could not be read.", echo(name)).into()
            }
            Self::Timeout => "The request took too long. A change may still have happened: repeat it with the same `Idempotency-Key`, or read first.".into(),
        }
    }
}
