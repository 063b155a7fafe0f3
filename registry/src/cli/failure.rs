//! Why a command failed, and what the program exits with.

use std::process::ExitCode;

use serde_json::Value;

use super::output::{safe, value};
use crate::client::Answer;

/// How much of what is wrong with a template is told in a sentence.
const MOST_DIAGNOSTICS: usize = 20;

/// Why a command failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// One sentence that says what to do; exits with 1.
    Sentence(String),
    /// The command line makes no sense, in one sentence that says what to write; exits with 2.
    Usage(String),
    /// Everything has been said already; exits with 1.
    Said,
    /// Whoever read the output has had enough; exits with 0, without a word.
    Unread,
}

/// What a command comes to.
pub(super) type Outcome = Result<(), Failure>;

impl<E: std::fmt::Display> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Sentence(error.to_string())
    }
}

impl Failure {
    /// A failure with this sentence.
    pub(super) fn new(sentence: impl Into<String>) -> Self {
        Self::Sentence(sentence.into())
    }

    /// Wrong usage.
    pub(super) fn usage(sentence: impl Into<String>) -> Self {
        Self::Usage(sentence.into())
    }

    /// What the server's refusal means for whoever sits at the command line.
    pub(super) fn refused(answer: &Answer, scope: Option<&str>) -> Self {
        Self::Sentence(Refusal::of(answer).sentence(scope))
    }

    /// The sentence, for whoever reports it in another place.
    pub(super) fn sentence(&self) -> &str {
        match self {
            Self::Sentence(sentence) | Self::Usage(sentence) => sentence,
            Self::Said | Self::Unread => "failed",
        }
    }

    /// Says it on standard error, and gives the exit code.
    #[expect(
        clippy::print_stderr,
        reason = "this is how a command says that it failed"
    )]
    pub(super) fn report(&self) -> ExitCode {
        match self {
            Self::Sentence(sentence) => {
                eprintln!("vestry: {}", safe::line(sentence));
                ExitCode::from(1)
            }
            Self::Usage(sentence) => {
                eprintln!("vestry: {}", safe::line(sentence));
                ExitCode::from(2)
            }
            Self::Said => ExitCode::from(1),
            Self::Unread => ExitCode::SUCCESS,
        }
    }
}

/// A refusal of the server, as it said it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The status.
    pub(super) status: u16,
    /// The problem's code; empty when it is no problem of ours.
    pub(super) code: String,
    /// The rule that refused, or empty.
    pub(super) rule: String,
    /// The problem's detail, with the field to blame.
    pub(super) detail: String,
}

impl Refusal {
    /// The refusal that this answer is.
    pub(super) fn of(answer: &Answer) -> Self {
        let mut detail = answer.text("detail").to_owned();
        if detail.is_empty() {
            detail = format!(
                "the server answered {} without a reason; is it a vestry server?",
                answer.status
            );
        }
        let diagnostics = value::items(&answer.body, "diagnostics");
        if diagnostics.len() > 1 {
            // What is wrong with a template is told whole, where the detail tells the first.
            let all: Vec<String> = diagnostics
                .iter()
                .take(MOST_DIAGNOSTICS)
                .map(|one| {
                    let line = value::number(one, "line");
                    format!("line {line}: {}", value::text(one, "message"))
                })
                .collect();
            detail = format!(
                "the template is refused, by the lines of its body: {}; `vestry templates check` shows each in its place",
                all.join("; ")
            );
        }
        let field = answer.body.get("field").and_then(Value::as_str);
        if let Some(field) = field.filter(|field| !field.is_empty()) {
            detail = format!("{detail} (field {field})");
        }
        Self {
            status: answer.status.as_u16(),
            code: answer.text("code").to_owned(),
            rule: answer.text("rule").to_owned(),
            detail,
        }
    }

    /// One sentence, in the words of the command line where those of the API would not help.
    pub(super) fn sentence(&self, scope: Option<&str>) -> String {
        let scope = scope.unwrap_or("SCOPE");
        match (self.code.as_str(), self.rule.as_str()) {
            (_, "needs-elevation") => format!(
                "this needs an elevation for {scope}: run `vestry elevate --scope {scope} --reason …` first"
            ),
            (_, "needs-session") => {
                "this needs an interactive login: run `vestry login`; an API key or a minted token will not do"
                    .to_owned()
            }
            (_, "not-in-scope") => format!(
                "{scope} is not one of your scopes: `vestry whoami` lists them"
            ),
            ("unauthenticated" | "authority-ended", _) => {
                "you are not logged in, or not any more: run `vestry login`, or give another --token".to_owned()
            }
            ("offer-expired" | "offer-invalid", _) => {
                "the offer has ended or is not yours: run `vestry catalog` again".to_owned()
            }
            (_, "") => self.detail.clone(),
            (_, rule) => format!("{} (rule {rule})", self.detail),
        }
    }

    /// Whether everything else of its kind would be refused for the same reason.
    pub(super) fn is_of_the_caller(&self) -> bool {
        matches!(
            self.rule.as_str(),
            "needs-elevation"
                | "needs-session"
                | "not-in-scope"
                | "humans-only"
                | "needs-role"
                | "agents-denied"
                | "shared-scopes-only"
        ) || matches!(self.code.as_str(), "unauthenticated" | "authority-ended")
    }
}
