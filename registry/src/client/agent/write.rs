//! What an agent writes: skills of its own, and proposals for others.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{AgentError, Answered, Caller, Useless, ask, read};
use crate::client::{Call, path};

/// Content that is put forward for a scope that its author may not write.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Proposal {
    /// The scope that it is for: the tenant's, or `global`.
    pub scope: String,
    /// The name that it is for.
    pub name: String,
    /// Why, for whoever decides: 1 to 4,000 characters.
    pub rationale: String,
    /// Where it was learned.
    #[serde(skip_serializing_if = "Evidence::is_empty")]
    pub evidence: Evidence,
    /// The content: `skill_md`, or `description` and `body` and the rest, as a publication has it.
    #[serde(flatten)]
    pub content: Map<String, Value>,
}

/// What speaks for a proposal.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Evidence {
    /// The turn that it was learned in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// Up to 10 `https` links.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
}

impl Evidence {
    fn is_empty(&self) -> bool {
        self.turn.is_none() && self.links.is_empty()
    }
}

/// What a proposal is after it was made.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Proposed {
    /// Its id.
    pub id: String,
    /// `open` at first.
    pub state: String,
    /// The digest of its content.
    pub digest: String,
}

/// What a publication came to: a revision, or, where the tenant reviews its agents' writes, a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Published {
    /// It is the proposal with this id.
    Proposed(Proposed),
    /// It is the current revision.
    Revision {
        /// Its number.
        revision: u64,
        /// Its digest, which the next update names.
        digest: String,
    },
}

/// Puts content forward. With the same `key` (1 to 128 visible ASCII characters) it is done once, however often it is sent.
///
/// # Errors
/// As the server refuses; when there is no answer.
pub async fn propose<C: Caller>(
    caller: &C,
    proposal: &Proposal,
    key: &str,
) -> Result<Answered<Proposed>, AgentError<C::Error>> {
    let body = serde_json::to_value(proposal).unwrap_or_default();
    let call = Call::post("/v1/proposals", &body)
        .header("idempotency-key", key)
        .repeatable();
    read(ask(caller, &call).await?)
}

/// Writes a skill at the caller's own scope: a new one, or, with `replaces`, instead of the revision with this digest (`*`
/// for any). `content` is as [`Proposal::content`].
///
/// # Errors
/// As the server refuses: `precondition-failed` where a skill of this name is or is not there; when there is no answer, or
/// the caller has no scope of its own.
pub async fn write_own_skill<C: Caller>(
    caller: &C,
    name: &str,
    content: &Map<String, Value>,
    replaces: Option<&str>,
) -> Result<Answered<Published>, AgentError<C::Error>> {
    #[derive(Deserialize)]
    struct Me {
        scopes: Vec<String>,
    }
    let me: Answered<Me> = read(ask(caller, &Call::get("/v1/me")).await?)?;
    let own = me
        .typed
        .scopes
        .into_iter()
        .find(|scope| scope.starts_with("actor:"))
        .ok_or(Useless::Scopeless)?;
    let body = Value::Object(content.clone());
    let call = Call::put(path(&["v1", "skills", &own, name]), &body);
    read(ask(caller, &precondition(call, replaces)).await?)
}

/// A publication as a new skill, or instead of the revision with this digest (`*` for any).
pub(crate) fn precondition(call: Call, replaces: Option<&str>) -> Call {
    match replaces {
        None => call.header("if-none-match", "*"),
        Some("*") => call.header("if-match", "*"),
        Some(digest) => call.header("if-match", format!("\"{digest}\"")),
    }
}
