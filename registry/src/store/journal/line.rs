//! The lines of the journal.

use serde::Serialize;

use crate::store::error::StoreResult;

/// A line of the journal.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub(in crate::store) enum Line<'a> {
    /// A catalog was offered.
    Offer {
        at: i64,
        principal: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        acts_for: Option<&'a str>,
        turn: &'a str,
        snapshot: &'a str,
        offer: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        session: Option<&'a str>,
    },
    /// An offered skill was loaded.
    Load {
        at: i64,
        principal: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        acts_for: Option<&'a str>,
        offer: &'a str,
        turn: &'a str,
        name: &'a str,
        scope: &'a str,
        revision: u32,
        digest: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        tool_call: Option<&'a str>,
        already_loaded: bool,
    },
    /// A file of an offered skill was loaded.
    LoadFile {
        at: i64,
        principal: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        acts_for: Option<&'a str>,
        offer: &'a str,
        turn: &'a str,
        name: &'a str,
        scope: &'a str,
        revision: u32,
        digest: &'a str,
        path: &'a str,
        file: &'a str,
    },
    /// A run was opened with this.
    Open {
        at: i64,
        principal: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        acts_for: Option<&'a str>,
        turn: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        session: Option<&'a str>,
        name: &'a str,
        scope: &'a str,
        revision: u32,
        digest: &'a str,
    },
    /// A service minted a token.
    Mint {
        at: i64,
        principal: &'a str,
        acts_for: &'a str,
        agent: &'a str,
        token: &'a str,
        expires_at: i64,
    },
}

/// What the lines of a batch are counted by.
pub(super) const KINDS: [&str; 4] = ["offers", "loads", "mints", "openings"];

impl Line<'_> {
    /// When it happened, and which of [`KINDS`] it is.
    pub(super) fn at_and_kind(&self) -> (i64, usize) {
        match self {
            Self::Offer { at, .. } => (*at, 0),
            Self::Load { at, .. } | Self::LoadFile { at, .. } => (*at, 1),
            Self::Mint { at, .. } => (*at, 2),
            Self::Open { at, .. } => (*at, 3),
        }
    }

    /// Its bytes, with the line feed.
    pub(super) fn text(&self) -> StoreResult<Vec<u8>> {
        let mut text = Vec::with_capacity(384);
        serde_json::to_writer(&mut text, self)?;
        text.push(b'\n');
        Ok(text)
    }
}
