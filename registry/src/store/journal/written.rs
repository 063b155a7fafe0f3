//! Writing a batch: claims of turns, packed lines and refusals, committed together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use sea_orm::sea_query::OnConflict;
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect,
};
use vestry_migration::GLOBAL_TENANT;

use super::batch::{Batch, Doubt};
use super::line::KINDS;
use super::turns::{Before, Claimed, claim_turns, key_of, turns_draft};
use super::waiting::Packed;
use super::{SnapshotToKeep, TurnClaim};
use crate::clock::Micros;
use crate::content::sha256_text;
use crate::store::Store;
use crate::store::audit::{self, Draft};
use crate::store::entity::{journal, snapshot, turn};
use crate::store::error::{StoreError, StoreResult};
use crate::store::pool::Transaction;
use crate::store::turns::TurnKey;
use crate::store::writing::commit;

/// How many snapshots are known to be kept.
const MAX_KNOWN: usize = 100_000;

/// Which tenants are waited for that others write in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Waits {
    /// All: there is nothing else to do.
    ForAll,
    /// None: they are set aside.
    ForNone,
}

impl Batch {
    /// Commits the claims, the lines when they are due, and the refusals. Claims are answered; lines and refusals that
    /// could not be written stay for the next time. Gives what is set aside: of tenants that somebody else writes in, where
    /// they are not waited for, and last, what nobody knows of whether it was written.
    pub(super) async fn commit(
        &mut self,
        store: &Store,
        with_lines: bool,
        waits: Waits,
    ) -> Vec<Self> {
        let mut aside = Self::default();
        let written = match self
            .write(store, with_lines, Before::Unknown, waits, &mut aside)
            .await
        {
            Ok(None) => {
                self.write(store, with_lines, Before::SomeTaken, waits, &mut aside)
                    .await
            }
            written => written,
        };
        let claims = std::mem::take(&mut self.claims);
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
                    // A turn that was taken all the same is given to whoever asks for it again.
                    let _ = answer.send(Err(match error {
                        StoreError::Unavailable => StoreError::Unavailable,
                        _ => StoreError::Busy,
                    }));
                }
            }
        }
        let mut all = vec![aside];
        if self.is_in_doubt() {
            all.push(std::mem::take(self));
        }
        all.retain(|aside| !aside.tenants().is_empty());
        all
    }

    /// Writes it all in one transaction; gives what each turn was offered first. Nothing, and nothing is written, when turns
    /// were taken before of which that was not known.
    async fn write(
        &mut self,
        store: &Store,
        with_lines: bool,
        before: Before,
        waits: Waits,
        aside: &mut Self,
    ) -> StoreResult<Option<HashMap<TurnKey, turn::Model>>> {
        let now = store.inner.clock.now();
        let mut tenants = self.tenants_of(with_lines);
        // Whoever writes at global waits for everybody.
        if waits == Waits::ForNone && store.inner.is_shared() && tenants.remove(GLOBAL_TENANT) {
            aside.append(self.take_out(&BTreeSet::from([GLOBAL_TENANT.to_owned()])));
        }
        if tenants.is_empty() {
            return Ok(Some(HashMap::new()));
        }
        let (writer, tx, busy) = store.begin_journal(tenants, waits).await?;
        if !busy.is_empty() {
            aside.append(self.take_out(&busy));
            if self.tenants_of(with_lines).is_empty() {
                tx.rollback().await?;
                return Ok(Some(HashMap::new()));
            }
        }
        if let Some(doubt) = &self.doubt {
            // Whoever has the lock that it was written under knows that it has ended.
            let with_lines = doubt.with_lines;
            if doubt.end.is_written(&tx).await? {
                self.written(with_lines);
            }
            self.doubt = None;
        }
        if store.inner.is_shared() {
            // Another process may have written rows since.
            self.journal_numbers.clear();
        }
        let wanted_turns: Vec<&TurnClaim> = self.claims.iter().map(|(claim, _)| claim).collect();
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
        let mut end = None;
        for (tenant, drafts) in drafts {
            end = Some(audit::append_after(&tx, &tenant, now, drafts).await?);
        }
        if let Err(error) = commit(tx).await {
            let is_sent = !self.refusals.is_empty() || (with_lines && !self.lines.is_empty());
            if is_sent && matches!(error, StoreError::OutcomeUnknown) {
                self.doubt = end.map(|end| Doubt { end, with_lines });
            }
            return Err(error);
        }
        drop(writer);
        self.written(with_lines);
        if self.known_snapshots.len() > MAX_KNOWN {
            self.known_snapshots.clear();
        }
        self.known_snapshots.extend(kept);
        Ok(Some(winners))
    }

    /// What was to be written is.
    fn written(&mut self, with_lines: bool) {
        self.refusals.clear();
        if with_lines {
            self.lines.clear();
            self.snapshots.clear();
            self.line_count = 0;
        }
    }
}

async fn keep_snapshot(tx: &Transaction, kept: &SnapshotToKeep, now: Micros) -> StoreResult<()> {
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
    tx: &Transaction,
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
