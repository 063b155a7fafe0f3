//! One batch of the journal: what waits to be written, in the order that it came.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use tokio::sync::oneshot;

use super::waiting::{Packed, Waiting};
use super::{Answer, Flush, SnapshotToKeep, TurnClaim};
use crate::store::audit::{Draft, Head};
use crate::store::error::StoreError;

/// What waits to be written.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) claims: Vec<(TurnClaim, Answer)>,
    pub(super) lines: BTreeMap<String, Packed>,
    pub(super) line_count: usize,
    pub(super) snapshots: Vec<SnapshotToKeep>,
    /// Refusals that were counted, and wait to be recorded.
    pub(super) refusals: Vec<(String, Draft)>,
    /// Digests of snapshots that are known to be kept, so that most batches write none.
    pub(super) known_snapshots: HashSet<(String, String)>,
    pub(super) journal_numbers: HashMap<String, i64>,
    pub(super) doubt: Option<Doubt>,
}

/// Lines, refusals and what belongs to them that were committed, and nobody said whether they are there.
pub(super) struct Doubt {
    /// The end of one of the chains, as it is where they are.
    pub(super) end: Head,
    pub(super) with_lines: bool,
}

impl Batch {
    /// Takes in what waited; gives who waits for it to be written, and who waits for the end.
    pub(super) fn take_in(&mut self, taken: Waiting) -> (Vec<Flush>, Option<oneshot::Sender<()>>) {
        self.line_count += taken.lines();
        self.claims.extend(taken.claims);
        for (tenant, packed) in taken.lines {
            self.lines.entry(tenant).or_default().append(packed);
        }
        self.snapshots.extend(taken.snapshots);
        (taken.flushed, taken.closing)
    }

    /// Takes in refusals.
    pub(super) fn refuse(&mut self, refusals: Vec<(String, Draft)>) {
        self.refusals.extend(refusals);
    }

    /// Takes in what came later.
    pub(super) fn append(&mut self, later: Self) {
        self.claims.extend(later.claims);
        for (tenant, packed) in later.lines {
            self.lines.entry(tenant).or_default().append(packed);
        }
        self.line_count += later.line_count;
        self.snapshots.extend(later.snapshots);
        self.refusals.extend(later.refusals);
    }

    /// Takes out what is of these tenants.
    pub(super) fn take_out(&mut self, tenants: &BTreeSet<String>) -> Self {
        let mut out = Self::default();
        let is_of = |tenant: &String| tenants.contains(tenant);
        let claims = std::mem::take(&mut self.claims).into_iter();
        (out.claims, self.claims) = claims.partition(|(claim, _)| is_of(&claim.snapshot.tenant));
        let lines = std::mem::take(&mut self.lines).into_iter();
        (out.lines, self.lines) = lines.partition(|(tenant, _)| is_of(tenant));
        let snapshots = std::mem::take(&mut self.snapshots).into_iter();
        (out.snapshots, self.snapshots) = snapshots.partition(|kept| is_of(&kept.tenant));
        let refusals = std::mem::take(&mut self.refusals).into_iter();
        (out.refusals, self.refusals) = refusals.partition(|(tenant, _)| is_of(tenant));
        let lines = |lines: &BTreeMap<String, Packed>| {
            let count: u64 = lines.values().map(Packed::lines).sum();
            usize::try_from(count).unwrap_or(usize::MAX)
        };
        out.line_count = lines(&out.lines);
        self.line_count = lines(&self.lines);
        out
    }

    /// Tells those who claim turns in these tenants to come again.
    pub(super) fn put_off_claims(&mut self, tenants: &BTreeSet<String>) {
        let claims = std::mem::take(&mut self.claims).into_iter();
        let (put_off, kept): (Vec<_>, Vec<_>) =
            claims.partition(|(claim, _)| tenants.contains(&claim.snapshot.tenant));
        self.claims = kept;
        for (_, answer) in put_off {
            let _ = answer.send(Err(StoreError::Busy));
        }
    }

    pub(super) fn has_claims(&self) -> bool {
        !self.claims.is_empty()
    }

    pub(super) fn has_refusals(&self) -> bool {
        !self.refusals.is_empty()
    }

    pub(super) fn lines(&self) -> usize {
        self.line_count
    }

    /// Whether nobody knows yet whether some of it is written.
    pub(super) fn is_in_doubt(&self) -> bool {
        self.doubt.is_some()
    }

    /// Whether something of this tenant waits; of any, when none is named.
    pub(super) fn has(&self, tenant: Option<&str>) -> bool {
        let tenants = self.tenants();
        tenant.map_or(!tenants.is_empty(), |tenant| tenants.contains(tenant))
    }

    /// Whose rows it has.
    pub(super) fn tenants(&self) -> BTreeSet<String> {
        self.tenants_of(true)
    }

    /// Housekeeping may have dropped snapshots, and wants to know which are still offered: the database is asked again.
    pub(super) fn forget_known(&mut self) {
        self.known_snapshots.clear();
    }

    /// Drops lines when the database has refused too many for too long; better than running out of memory. True when their
    /// snapshots were dropped with them.
    pub(super) fn trim(&mut self, most: usize) -> bool {
        if self.refusals.len() > most {
            tracing::error!("the journal could not be written for long; its refusals are dropped");
            self.refusals.clear();
        }
        if self.line_count > most {
            tracing::error!(
                lines = self.line_count,
                "the journal could not be written for long; its lines are dropped"
            );
            self.lines.clear();
            self.snapshots.clear();
            self.line_count = 0;
            return true;
        }
        false
    }

    /// Whose rows are written.
    pub(super) fn tenants_of(&self, with_lines: bool) -> BTreeSet<String> {
        let of_claims = self.claims.iter().map(|(claim, _)| &claim.snapshot.tenant);
        let of_lines = self.lines.keys().filter(|_| with_lines);
        let of_snapshots = self.snapshots.iter().filter(|_| with_lines);
        of_claims
            .chain(of_lines)
            .chain(of_snapshots.map(|snapshot| &snapshot.tenant))
            .chain(self.refusals.iter().map(|(tenant, _)| tenant))
            .cloned()
            .collect()
    }
}
