//! What a turn asks for, and the catalog that it gets.

use serde::{Deserialize, Serialize};

use crate::client::Call;

/// What a turn asks for. The same terms have to be sent whenever the turn is asked again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// The turn. One without a name cannot be asked again, so that its offer ends for good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The most entries; 20, or what the tenant allows, when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap: Option<u64>,
    /// The agent's role.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// The most tokens that the block may take, estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_budget: Option<u64>,
    /// The conversation; recorded only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl Terms {
    /// The request; with the etag of a catalog that is there already, the answer is short while it holds.
    pub(super) fn call(&self, have: Option<&str>) -> Call {
        #[derive(Serialize)]
        struct Body<'a> {
            #[serde(flatten)]
            terms: &'a Terms,
            #[serde(skip_serializing_if = "Option::is_none")]
            have: Option<&'a str>,
        }
        let body = serde_json::to_value(Body { terms: self, have }).unwrap_or_default();
        let call = Call::post("/v1/catalog", &body);
        if self.turn.is_some() {
            call.repeatable()
        } else {
            call
        }
    }
}

/// The catalog of a turn. What older servers leave out is empty.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Catalog {
    /// The turn.
    pub turn: String,
    /// The caller's scopes, narrowest first.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// What is offered, in order.
    pub entries: Vec<Entry>,
    /// How many names are visible beyond the entries.
    #[serde(default)]
    pub omitted: u64,
    /// Up to fifty of them.
    #[serde(default)]
    pub omitted_names: Vec<String>,
    /// Narrower skills that lost to a sealed one.
    #[serde(default)]
    pub blocked: Vec<Blocked>,
    /// What the token budget cut; only when one was asked for.
    #[serde(default)]
    pub report: Option<Report>,
    /// The text for the model; empty when there are no entries.
    pub block: String,
    /// Names this catalog; changes when and only when it does.
    #[serde(default)]
    pub etag: String,
}

/// An offered skill.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// Where it lives.
    pub scope: String,
    /// The number of the pinned revision; 0 for a skill of a read-only source.
    pub revision: u64,
    /// Its digest.
    pub digest: String,
    /// The scopes that it overrides, narrow to wide.
    #[serde(default)]
    pub shadows: Vec<String>,
    /// Whether narrower scopes cannot override it.
    #[serde(default)]
    pub sealed: bool,
    /// Whether its body is a template.
    #[serde(default)]
    pub templated: bool,
}

/// A narrower skill that lost to a sealed one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Blocked {
    /// The name.
    pub name: String,
    /// Where the loser lives.
    pub scope: String,
    /// The scope of the sealed one.
    pub by: String,
}

/// What a token budget cut.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Report {
    /// The budget, in tokens.
    pub token_budget: u64,
    /// How many entries were kept.
    pub kept: u64,
    /// The names that were cut.
    #[serde(default)]
    pub cut: Vec<String>,
    /// Why.
    pub reason: String,
}
