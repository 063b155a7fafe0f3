//! One batch of the journal: claims of turns and packed lines, committed together.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait, QueryFilter,
    QuerySelect,
};
use tokio::sync::oneshot;

use super::line::KINDS;
use super::turns::{Before, Claimed, claim_turns, key_of, turns_draft};
use super::waiting::{Packed, Waiting};
use super::{Answer, SnapshotToKeep, TurnClaim};
use crate::clock::Micros;
use crate::content::sha256_text;
use crate::store::Store;
use crate::store::audit::{self, Draft};
use crate::store::entity::{journal, snapshot, turn};
use crate::store::error::{StoreError, StoreResult};
use crate::store::turns::TurnKey;
use crate::store::writing::Writing;

/// Digests of snapshots that are known to be kept, so that most batches write none.
const MAX_KNOWN: usize = 100_000;

/// What waits to be written.
#[derive(Default)]
pub(super) struct Batch {
    claims: Vec<(TurnClaim, Answer)>,
    lines: BTreeMap<String, Packed>,
    line_count: usize,
    snapshots: Vec<SnapshotToKeep>,
    /// Refusals that were counted, and wait to be recorded.
    refusals: Vec<(String, Draft)>,
    known_snapshots: HashSet<(String, String)>,
    journal_numbers: HashMap<String, i64>,
}

impl Batch {
    /// Takes in what waited; gives who waits for it to be written, and who waits for the end.
    pub(super) fn take_in(
        &mut self,
        taken: Waiting,
    ) -> (Vec<oneshot::Sender<()>>, Option<oneshot::Sender<()>>) {
        self.line_count += taken.lines();
        self.claims.extend(taken.claims);
        for (tenant, packed) in taken.lines {
            self.lines.entry(tenant).or_default().append(packed);
        }
        self.snapshots.extend(taken.snapshots);
        (taken.flushed, taken.closing)
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

    /// Commits the claims, the lines when they are due, and the refusals. Claims are answered; lines and refusals that
    /// could not be written stay for the next time.
    pub(super) async fn commit(
        &mut self,
        store: &Store,
        with_lines: bool,
        refusals: Vec<(String, Draft)>,
    ) {
        let claims = std::mem::take(&mut self.claims);
        self.refusals.extend(refusals);
        let written = match self
            .write(store, &claims, with_lines, Before::Unknown)
            .await
        {
            Ok(None) => {
                self.write(store, &claims, with_lines, Before::SomeTaken)
                    .await
            }
            written => written,
        };
        match written.and_then(|winners| winners.ok_or(StoreError::Busy)) {
            Ok(winners) => {
                for (claim, answer) in claims {
                    let winner = winners.get(&key_of(&claim)).cloned();
                    let _ = answer.send(winner.ok_or(StoreError::Busy));
                }
            }
            Err(error) => {
                tracing::error!(error = %error, "the journal could not be written");
                // Which snapshots are kept is unknown now.
                self.known_snapshots.clear();
                self.journal_numbers.clear();
                for (_, answer) in claims {
                    let _ = answer.send(Err(StoreError::Busy));
                }
            }
        }
    }

    /// Whose rows are written.
    fn tenants(&self, claims: &[(TurnClaim, Answer)], with_lines: bool) -> BTreeSet<String> {
        let of_lines = self.lines.keys().filter(|_| with_lines);
        let of_snapshots = self.snapshots.iter().filter(|_| with_lines);
        claims
            .iter()
            .map(|(claim, _)| &claim.snapshot.tenant)
            .chain(of_lines)
            .chain(of_snapshots.map(|snapshot| &snapshot.tenant))
            .chain(self.refusals.iter().map(|(tenant, _)| tenant))
            .cloned()
            .collect()
    }

    /// Writes it all in one transaction; gives what each turn was offered first. Nothing, and nothing is written, when turns
    /// were taken before of which that was not known.
    async fn write(
        &mut self,
        store: &Store,
        claims: &[(TurnClaim, Answer)],
        with_lines: bool,
        before: Before,
    ) -> StoreResult<Option<HashMap<TurnKey, turn::Model>>> {
        let now = store.inner.clock.now();
        let writing = Writing::in_tenants(self.tenants(claims, with_lines));
        let (writer, tx) = store.begin_writing(&writing).await?;
        if store.inner.is_shared() {
            // Another process may have written rows since.
            self.journal_numbers.clear();
        }
        let wanted_turns: Vec<&TurnClaim> = claims.iter().map(|(claim, _)| claim).collect();
        let Some(Claimed {
            winners,
            new: new_turns,
        }) = claim_turns(&tx, &wanted_turns, now, before).await?
        else {
            tx.rollback().await?;
            return Ok(None);
        };
        let mut drafts: BTreeMap<String, Vec<Draft>> = BTreeMap::new();
        for (tenant, draft) in &self.refusals {
            drafts
                .entry(tenant.clone())
                .or_default()
                .push(draft.clone());
        }
        let mut kept = Vec::new();
        let wanted = wanted_turns
            .iter()
            .filter(|claim| new_turns.contains(&key_of(claim)))
            .map(|claim| &claim.snapshot)
            .chain(self.snapshots.iter().filter(|_| with_lines));
        for snapshot in wanted {
            let id = (snapshot.tenant.clone(), snapshot.digest.clone());
            if !self.known_snapshots.contains(&id) && !kept.contains(&id) {
                keep_snapshot(&tx, snapshot, now).await?;
                kept.push(id);
            }
        }
        let mut turns_by_tenant: BTreeMap<&str, Vec<&TurnKey>> = BTreeMap::new();
        for key in &new_turns {
            turns_by_tenant.entry(&key.0).or_default().push(key);
        }
        for (tenant, turns) in turns_by_tenant {
            drafts
                .entry(tenant.to_owned())
                .or_default()
                .push(turns_draft(turns, &winners));
        }
        if with_lines {
            for (tenant, packed) in &self.lines {
                let number = next_number(&tx, &self.journal_numbers, tenant).await?;
                let draft = write_lines(&tx, tenant, number, packed, now).await?;
                drafts.entry(tenant.clone()).or_default().push(draft);
                self.journal_numbers.insert(tenant.clone(), number);
            }
        }
        for (tenant, drafts) in drafts {
            audit::append(&tx, &tenant, now, drafts).await?;
        }
        tx.commit().await?;
        drop(writer);
        self.refusals.clear();
        if with_lines {
            self.lines.clear();
            self.snapshots.clear();
            self.line_count = 0;
        }
        if self.known_snapshots.len() > MAX_KNOWN {
            self.known_snapshots.clear();
        }
        self.known_snapshots.extend(kept);
        Ok(Some(winners))
    }
}

async fn keep_snapshot(
    tx: &DatabaseTransaction,
    kept: &SnapshotToKeep,
    now: Micros,
) -> StoreResult<()> {
    snapshot::Entity::insert(snapshot::ActiveModel {
        tenant: Set(kept.tenant.clone()),
        digest: Set(kept.digest.clone()),
        content: Set(kept.content.to_vec()),
        offered_at: Set(now.0),
    })
    .on_conflict(
        OnConflict::columns([snapshot::Column::Tenant, snapshot::Column::Digest])
            .update_column(snapshot::Column::OfferedAt)
            .to_owned(),
    )
    .exec_without_returning(tx)
    .await?;
    Ok(())
}

async fn next_number<C: ConnectionTrait>(
    tx: &C,
    numbers: &HashMap<String, i64>,
    tenant: &str,
) -> StoreResult<i64> {
    if let Some(number) = numbers.get(tenant) {
        return Ok(number + 1);
    }
    let last: Option<Option<i64>> = journal::Entity::find()
        .select_only()
        .column_as(journal::Column::Number.max(), "last")
        .filter(journal::Column::Tenant.eq(tenant))
        .into_tuple()
        .one(tx)
        .await?;
    Ok(last.flatten().unwrap_or(0) + 1)
}

async fn write_lines(
    tx: &DatabaseTransaction,
    tenant: &str,
    number: i64,
    packed: &Packed,
    now: Micros,
) -> StoreResult<Draft> {
    let mut detail = serde_json::Map::new();
    for (kind, count) in KINDS.iter().zip(packed.counts) {
        if count > 0 {
            detail.insert((*kind).to_owned(), count.into());
        }
    }
    detail.insert("sha256".to_owned(), sha256_text(&packed.content).into());
    journal::Entity::insert(journal::ActiveModel {
        tenant: Set(tenant.to_owned()),
        number: Set(number),
        first_at: Set(packed.first_at.min(now.0)),
        last_at: Set(now.0),
        records: Set(i64::try_from(packed.lines()).unwrap_or(i64::MAX)),
        content: Set(packed.content.clone()),
    })
    .exec_without_returning(tx)
    .await?;
    Ok(system_draft("journal", format!("journal:{number}"), detail))
}

pub(super) fn system_draft(
    action: &str,
    target: String,
    detail: serde_json::Map<String, serde_json::Value>,
) -> Draft {
    Draft {
        principal: "system".to_owned(),
        action: action.to_owned(),
        target,
        detail,
        ..Draft::default()
    }
}
