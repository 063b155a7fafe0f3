//! What waits for the journal's task.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::oneshot;

use super::line::{KINDS, Line};
use super::{Answer, Flush, SnapshotToKeep, TurnClaim, closed};
use crate::store::error::StoreResult;

/// Lines of one tenant, packed.
#[derive(Debug, Default)]
pub(super) struct Packed {
    /// One line of JSON each.
    pub(super) content: Vec<u8>,
    /// How many there are of each of [`KINDS`].
    pub(super) counts: [u64; KINDS.len()],
    /// When the first of them happened.
    pub(super) first_at: i64,
}

impl Packed {
    /// How many lines there are.
    pub(super) fn lines(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn push(&mut self, line: &Line<'_>, text: &[u8]) {
        let (at, kind) = line.at_and_kind();
        self.first_at = if self.lines() == 0 {
            at
        } else {
            self.first_at.min(at)
        };
        if let Some(count) = self.counts.get_mut(kind) {
            *count += 1;
        }
        self.content.extend_from_slice(text);
    }

    /// Takes in what came later.
    pub(super) fn append(&mut self, later: Self) {
        if self.lines() == 0 {
            *self = later;
            return;
        }
        self.first_at = self.first_at.min(later.first_at);
        for (count, more) in self.counts.iter_mut().zip(later.counts) {
            *count += more;
        }
        self.content.extend_from_slice(&later.content);
    }
}

/// Whether the snapshot of a prepared catalog has been handed to the journal: most turns need not hand it over again.
#[derive(Debug, Default)]
pub(in crate::store) struct Kept(AtomicU64);

/// What waits.
#[derive(Default)]
pub(super) struct Waiting {
    pub(super) claims: Vec<(TurnClaim, Answer)>,
    pub(super) lines: BTreeMap<String, Packed>,
    line_count: usize,
    pub(super) snapshots: Vec<SnapshotToKeep>,
    pub(super) flushed: Vec<Flush>,
    pub(super) closing: Option<oneshot::Sender<()>>,
    /// Snapshots that were handed over before this was counted up are to be handed over again.
    handed_over: u64,
    is_closed: bool,
}

/// How many lines are written without waiting for company.
pub(super) const LINES_DUE: usize = 4_096;

impl Waiting {
    /// Takes a claim; true when the task is not awake for one yet.
    pub(super) fn claim(&mut self, claim: TurnClaim, answer: Answer) -> StoreResult<bool> {
        if self.is_closed {
            return Err(closed());
        }
        self.claims.push((claim, answer));
        Ok(self.claims.len() == 1)
    }

    /// Takes a line; true when so many wait that they are due.
    pub(super) fn line(
        &mut self,
        tenant: &str,
        line: &Line<'_>,
        text: &[u8],
        snapshot: Option<(&Kept, &(dyn Fn() -> SnapshotToKeep + Sync))>,
    ) -> StoreResult<bool> {
        if self.is_closed {
            return Err(closed());
        }
        match self.lines.get_mut(tenant) {
            Some(packed) => packed.push(line, text),
            None => self
                .lines
                .entry(tenant.to_owned())
                .or_default()
                .push(line, text),
        }
        self.line_count += 1;
        // The mark is one more than the count, so that a new one is below it.
        if let Some((kept, snapshot)) = snapshot
            && kept.0.load(Ordering::Relaxed) <= self.handed_over
        {
            kept.0.store(self.handed_over + 1, Ordering::Relaxed);
            self.snapshots.push(snapshot());
        }
        Ok(self.line_count == LINES_DUE)
    }

    /// How many lines wait.
    pub(super) fn lines(&self) -> usize {
        self.line_count
    }

    /// Takes whoever waits for everything before to be durable; false when there is nobody to do it any more.
    pub(super) fn flush(&mut self, flush: Flush) -> bool {
        self.flushed.push(flush);
        !self.is_closed
    }

    /// Takes nothing after this; false when that was so already.
    pub(super) fn close(&mut self, done: oneshot::Sender<()>) -> bool {
        self.closing = Some(done);
        !std::mem::replace(&mut self.is_closed, true)
    }

    /// Has every snapshot handed over again: what was, may not be kept.
    pub(super) fn forget_handed_over(&mut self) {
        self.handed_over += 1;
    }

    /// Everything that waits; what comes later waits for the next time.
    pub(super) fn take(&mut self) -> Self {
        let next = Self {
            handed_over: self.handed_over,
            is_closed: self.is_closed,
            ..Self::default()
        };
        std::mem::replace(self, next)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn line(at: i64) -> Line<'static> {
        Line::Mint {
            at,
            principal: "service:svc_1",
            acts_for: "tom",
            agent: "bot",
            token: "t",
            expires_at: 0,
        }
    }

    fn put(waiting: &mut Waiting, tenant: &str, at: i64, kept: Option<&Kept>) {
        let line = line(at);
        let text = line.text().unwrap();
        let snapshot = || SnapshotToKeep {
            tenant: tenant.to_owned(),
            digest: "d".to_owned(),
            content: Arc::from([]),
        };
        let snapshot: &(dyn Fn() -> SnapshotToKeep + Sync) = &snapshot;
        waiting
            .line(tenant, &line, &text, kept.map(|kept| (kept, snapshot)))
            .unwrap();
    }

    #[test]
    fn lines_are_packed_by_tenant_and_appended_in_order() {
        let mut waiting = Waiting::default();
        put(&mut waiting, "a", 5, None);
        put(&mut waiting, "b", 6, None);
        let mut first = waiting.take();
        put(&mut waiting, "a", 4, None);
        assert_eq!((first.lines(), waiting.lines()), (2, 1));
        let later = waiting.take();
        let mut packed = first.lines.remove("a").unwrap();
        packed.append(later.lines.into_values().next().unwrap());
        assert_eq!((packed.lines(), packed.first_at), (2, 4));
        let text = String::from_utf8(packed.content).unwrap();
        let times: Vec<i64> = text
            .lines()
            .map(|line| {
                serde_json::from_str::<serde_json::Value>(line).unwrap()["at"]
                    .as_i64()
                    .unwrap()
            })
            .collect();
        assert_eq!(times, [5, 4]);
    }

    #[test]
    fn a_snapshot_is_handed_over_once_until_it_is_forgotten() {
        let kept = Kept::default();
        let mut waiting = Waiting::default();
        for _ in 0..3 {
            put(&mut waiting, "a", 1, Some(&kept));
        }
        assert_eq!(waiting.take().snapshots.len(), 1);
        put(&mut waiting, "a", 1, Some(&kept));
        assert_eq!(waiting.take().snapshots.len(), 0);
        waiting.forget_handed_over();
        put(&mut waiting, "a", 1, Some(&kept));
        put(&mut waiting, "a", 1, Some(&kept));
        assert_eq!(waiting.take().snapshots.len(), 1);
    }

    #[test]
    fn what_is_closed_takes_nothing() {
        let mut waiting = Waiting::default();
        let (done, _) = oneshot::channel();
        assert!(waiting.close(done));
        assert!(waiting.take().closing.is_some());
        let text = line(1).text().unwrap();
        assert!(waiting.line("a", &line(1), &text, None).is_err());
        let (done, _) = oneshot::channel();
        assert!(!waiting.flush(Flush { tenant: None, done }));
    }
}
