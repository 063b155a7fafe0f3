//! What can be read, one file per kind of thing.

mod attachments;
mod audit_log;
mod blame;
mod check;
mod diff;
mod directory;
mod events;
mod explain;
mod explain_catalog;
mod files;
mod history;
mod identity;
mod impact;
mod listing;
mod proposals;
mod recall_report;
mod recall_targets;
mod skill;
mod templates;

pub use crate::store::upstream::Drift;
pub use attachments::RoleAttachments;
pub use audit_log::{AuditCheckpoint, AuditLog, FoundRecord};
pub use blame::{Blame, BlameSkill, BlamedLine, Traceable};
pub use check::{CheckSkill, Checked};
pub use diff::{Diff, DiffSkill};
pub use directory::{
    KeyRow, Keys, MemberRow, Members, ServiceRow, Services, Settings, TenantRow, Tenants, UserRow,
    Users,
};
pub use events::{EventGap, EventPage, EventsFrom, ReadEvents};
pub use explain::{Asked, ExplainAction, Explained, Principal, PrincipalError, Reasons};
pub use explain_catalog::{ExplainCatalog, ExplainedSkill};
pub use files::{FileChange, MayUpload, RevisionFile};
pub use history::{ReadRevision, RevisionRow, Revisions, SkillRevision};
pub use identity::{Identity, ReadIdentity};
pub use impact::{Foreseen, ImpactOf};
pub use listing::{ListedEntry, ListedSkill, Listing, ScopeListing};
pub use proposals::{
    DecisionRow, ListProposals, LocateProposal, ProposalFile, ProposalPage, ProposalRow, Proposed,
    ReadProposal, SeeProposal, Standing, Word, Words,
};
pub use recall_report::{
    Happened, RecallCounts, RecallReport, Reported, ReportedSkill, TenantCounts, Wanted,
};
pub use recall_targets::{RecallTarget, RecallTargets};
pub use skill::{ReadSkill, SkillView};
pub(in crate::store) use templates::{CheckSchema, MayActivateSchema, MayCheckSchema};
pub use templates::{ReadSchema, UseTemplates};

/// A page of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// The most items.
    pub limit: usize,
    /// The position after which the page begins: the last item of the page before.
    pub after: Option<Vec<String>>,
}

/// Items, and where the next page begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageOf<T> {
    /// The items.
    pub items: Vec<T>,
    /// The position of the last item, when there are more.
    pub next: Option<Vec<String>>,
}

impl PageRequest {
    /// The single position of lists that are ordered by one text.
    fn after_text(&self) -> String {
        self.after
            .as_ref()
            .and_then(|position| position.first())
            .cloned()
            .unwrap_or_default()
    }

    /// One more than the page, to see whether there is more.
    fn fetch(&self) -> u64 {
        u64::try_from(self.limit)
            .unwrap_or(u64::MAX)
            .saturating_add(1)
    }
}

impl<T> PageOf<T> {
    /// A page of `rows`, of which one more than the page were fetched.
    fn of(mut rows: Vec<T>, request: &PageRequest, position: impl Fn(&T) -> Vec<String>) -> Self {
        let has_more = rows.len() > request.limit;
        rows.truncate(request.limit);
        let next = if has_more {
            rows.last().map(position)
        } else {
            None
        };
        Self { items: rows, next }
    }
}
