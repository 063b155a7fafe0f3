//! What events say.

use axum::response::sse::Event as Sent;
use serde::Serialize;

use crate::http::api::words::time;
use crate::store::events::{Event, EventKind};
use crate::store::queries::EventGap;

/// A change of a skill or of a proposal.
#[derive(Debug, Serialize)]
struct Change {
    /// The action.
    action: String,
    /// The scope; of hiding and showing, the tenant's that does it.
    scope: String,
    /// The name of the skill.
    name: String,
    /// The revision that is current since, or that was recalled or released.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u32>,
    /// Its digest; of a proposal, that of its content.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    /// The id of the proposal.
    #[serde(skip_serializing_if = "Option::is_none")]
    proposal: Option<String>,
    /// When, RFC 3339.
    at: String,
    /// Who, where the caller may know it.
    #[serde(skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    /// The actor that an agent acted for.
    #[serde(skip_serializing_if = "Option::is_none")]
    acts_for: Option<String>,
}

/// What cannot be told.
#[derive(Debug, Serialize)]
struct Gap {
    /// `tenant` or `global`.
    log: &'static str,
    /// The last position that the client knows of.
    after: i64,
    /// The position with which it goes on.
    next: i64,
}

/// Why a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "reason")]
pub(super) enum End {
    /// The token is over.
    TokenEnded,
    /// What the credential stood for has been revoked or removed.
    AuthorityEnded,
    /// The server shuts down.
    ShuttingDown,
}

/// A change as it is sent. What cannot be written, which nothing is, is left out.
pub(super) fn change(event: Event) -> Option<Sent> {
    let Event {
        id,
        kind,
        action,
        scope,
        name,
        revision,
        digest,
        proposal,
        at,
        principal,
        acts_for,
    } = event;
    let change = Change {
        action,
        scope,
        name,
        revision,
        digest,
        proposal,
        at: time(at),
        principal,
        acts_for,
    };
    let word = match kind {
        EventKind::Skill => "skill",
        EventKind::Proposal => "proposal",
    };
    let sent = Sent::default().id(id.to_string()).event(word);
    sent.json_data(change).ok()
}

pub(super) fn gap(gap: EventGap) -> Option<Sent> {
    let EventGap {
        id,
        log,
        after,
        next,
    } = gap;
    let sent = Sent::default().id(id.to_string()).event("gap");
    sent.json_data(Gap { log, after, next }).ok()
}

pub(super) fn end(end: End) -> Option<Sent> {
    Sent::default().event("end").json_data(end).ok()
}
