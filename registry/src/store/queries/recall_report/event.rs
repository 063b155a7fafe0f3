//! What is reported, and how it stands in the journal.

use serde::Deserialize;

/// What happened to a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happened {
    /// A turn that its caller named was taken; its row says so.
    Taken,
    /// It was in an offer that was handed out.
    Offered,
    /// Its body was asked for.
    Loaded {
        /// The tool call that asked.
        tool_call: Option<String>,
        /// Whether the conversation had the body, so that it was not sent.
        already_loaded: bool,
    },
    /// A run was opened with it.
    Opened,
    /// One of its files was loaded.
    LoadedFile {
        /// The path.
        path: String,
    },
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reported {
    /// What.
    pub happened: Happened,
    /// When, in microseconds since the Unix epoch.
    pub at: i64,
    /// Who.
    pub principal: String,
    /// The actor that an agent acted for.
    pub acts_for: Option<String>,
    /// The turn.
    pub turn: String,
    /// The offer; a turn's own row has none, and an opening has none either.
    pub offer: Option<String>,
    /// The conversation, where it was said.
    pub session: Option<String>,
    /// What of the content that was asked about it was.
    pub skills: Vec<ReportedSkill>,
}

/// A revision that was offered or loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportedSkill {
    /// The name.
    pub name: String,
    /// The number; 0 for a skill of a read-only source.
    pub revision: u32,
    /// The digest.
    pub digest: String,
}

/// A line of the journal, read back.
#[derive(Debug, Deserialize)]
#[serde(tag = "record", rename_all = "kebab-case")]
pub(super) enum StoredLine {
    Offer {
        #[serde(flatten)]
        who: Who,
        snapshot: String,
        #[serde(default)]
        session: Option<String>,
    },
    Load {
        #[serde(flatten)]
        who: Who,
        #[serde(flatten)]
        what: What,
        #[serde(default)]
        tool_call: Option<String>,
        already_loaded: bool,
    },
    LoadFile {
        #[serde(flatten)]
        who: Who,
        #[serde(flatten)]
        what: What,
        path: String,
    },
    Open {
        #[serde(flatten)]
        who: Who,
        #[serde(flatten)]
        what: What,
        #[serde(default)]
        session: Option<String>,
    },
    /// Whatever else the journal holds.
    #[serde(other)]
    Other,
}

/// Who took or used an offer.
#[derive(Debug, Deserialize)]
pub(super) struct Who {
    at: i64,
    principal: String,
    #[serde(default)]
    acts_for: Option<String>,
    turn: String,
    #[serde(default)]
    offer: Option<String>,
}

/// What was loaded.
#[derive(Debug, Deserialize)]
pub(super) struct What {
    pub(super) name: String,
    pub(super) scope: String,
    pub(super) revision: u32,
    pub(super) digest: String,
}

impl Who {
    pub(super) fn did(
        self,
        happened: Happened,
        session: Option<String>,
        skills: Vec<ReportedSkill>,
    ) -> Reported {
        Reported {
            happened,
            at: self.at,
            principal: self.principal,
            acts_for: self.acts_for,
            turn: self.turn,
            offer: self.offer,
            session,
            skills,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::StoredLine;
    use crate::store::journal::Line;

    /// What is written is what is read back.
    #[test]
    fn every_line_of_the_journal_is_read_back() {
        let load = Line::Load {
            at: 1,
            principal: "agent:bot",
            acts_for: Some("tom"),
            offer: "o",
            turn: "t",
            name: "n",
            scope: "global",
            revision: 2,
            digest: "d",
            tool_call: Some("c"),
            already_loaded: true,
        };
        let file = Line::LoadFile {
            at: 1,
            principal: "human:tom",
            acts_for: None,
            offer: "o",
            turn: "t",
            name: "n",
            scope: "global",
            revision: 2,
            digest: "d",
            path: "a",
            file: "f",
        };
        let offer = Line::Offer {
            at: 1,
            principal: "human:tom",
            acts_for: None,
            turn: "t",
            snapshot: "s",
            offer: "o",
            session: Some("\u{e9}\"\\"),
        };
        let open = Line::Open {
            at: 1,
            principal: "agent:bot",
            acts_for: Some("tom"),
            turn: "t",
            session: Some("s"),
            name: "role:support",
            scope: "tenant:a",
            revision: 3,
            digest: "d",
        };
        let mint = Line::Mint {
            at: 1,
            principal: "service:s",
            acts_for: "tom",
            agent: "bot",
            token: "j",
            expires_at: 2,
        };
        let read = |line: &Line<'_>| -> StoredLine {
            serde_json::from_slice(&serde_json::to_vec(line).unwrap()).unwrap()
        };
        match read(&load) {
            StoredLine::Load {
                who,
                what,
                tool_call,
                already_loaded: true,
            } => {
                assert_eq!(who.acts_for.as_deref(), Some("tom"));
                assert_eq!((what.name.as_str(), what.revision), ("n", 2));
                assert_eq!(tool_call.as_deref(), Some("c"));
            }
            other => panic!("{other:?}"),
        }
        assert!(matches!(read(&file), StoredLine::LoadFile { path, .. } if path == "a"));
        match read(&offer) {
            StoredLine::Offer { session, .. } => {
                assert_eq!(session.as_deref(), Some("\u{e9}\"\\"));
            }
            other => panic!("{other:?}"),
        }
        match read(&open) {
            StoredLine::Open { who, what, session } => {
                assert_eq!((what.name.as_str(), what.revision), ("role:support", 3));
                assert_eq!((who.offer, session.as_deref()), (None, Some("s")));
            }
            other => panic!("{other:?}"),
        }
        assert!(matches!(read(&mint), StoredLine::Other));
    }
}
