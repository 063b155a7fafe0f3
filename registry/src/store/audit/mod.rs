//! The audit log: one hash-chained, append-only list of records per tenant.
//!
//! A record's hash is the SHA-256 of the hash before it and the stored bytes of the record, so that
//! a record which is changed, dropped, added or moved breaks the chain from there on. The columns
//! beside the bytes are only for searching; [`verify`] derives them from the bytes again.

mod checkpoints;
mod heads;
mod journal;
mod verify;
mod walk;

use sea_orm::{ActiveValue::Set, ConnectionTrait, EntityTrait, InsertMany};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::entity::{audit, audit_head};

use super::error::{StoreError, StoreResult};
use crate::clock::Micros;
pub(super) use checkpoints::{Checkpoints, keep_checkpoints};
pub use verify::ChainReport;
pub(super) use verify::verify_all;
pub use walk::{ChainWalk, KnownHead};

/// The hash before the first record. It names the tenant, so that a chain cannot pass for another tenant's.
fn genesis(tenant: &str) -> String {
    hex(&Sha256::digest(format!("vestry audit chain of {tenant}")))
}

/// One record. Never holds a body or a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditRecord {
    /// The position in the tenant's chain, from 1.
    pub seq: i64,
    /// When, in microseconds since the Unix epoch.
    pub at: i64,
    /// Who, such as `human:maria` or `agent:support-bot`.
    pub principal: String,
    /// The actor that an agent acted for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub acts_for: Option<String>,
    /// The action's kebab-case name.
    pub action: String,
    /// On what, such as `tenant:acme/refunds`.
    pub target: String,
    /// `allow` or `deny`.
    pub verdict: String,
    /// The rule that the verdict followed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub rule: Option<String>,
    /// The digest of the content before.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub before: Option<String>,
    /// The digest of the content after.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub after: Option<String>,
    /// The request that did it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub request_id: Option<String>,
    /// The offer that it was done under.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub offer: Option<String>,
    /// Whatever else the action says of itself: a reason, a role, a count.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty", default)]
    pub detail: serde_json::Map<String, serde_json::Value>,
}

/// A record before it has its place in the chain.
#[derive(Debug, Clone, Default)]
pub(super) struct Draft {
    pub(super) principal: String,
    pub(super) acts_for: Option<String>,
    pub(super) action: String,
    pub(super) target: String,
    pub(super) denied: bool,
    pub(super) rule: Option<String>,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    pub(super) request_id: Option<String>,
    pub(super) offer: Option<String>,
    pub(super) detail: serde_json::Map<String, serde_json::Value>,
}

/// The end of a tenant's chain.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) tenant: String,
    pub(super) seq: i64,
    pub(super) hash: String,
}

impl Head {
    /// The end of a chain that has this head, or no record yet.
    pub(super) fn of(tenant: &str, head: Option<(i64, String)>) -> Self {
        let (seq, hash) = head.unwrap_or_else(|| (0, genesis(tenant)));
        Self {
            tenant: tenant.to_owned(),
            seq,
            hash,
        }
    }

    /// Whether the chain has had this end.
    pub(super) async fn is_written<C: ConnectionTrait>(&self, tx: &C) -> StoreResult<bool> {
        let record = audit::Entity::find_by_id((self.tenant.clone(), self.seq))
            .one(tx)
            .await?;
        Ok(record.is_some_and(|record| record.hash == self.hash))
    }

    /// Reads it, under the writer's lock.
    pub(super) async fn read<C: ConnectionTrait>(tx: &C, tenant: &str) -> StoreResult<Self> {
        let head = audit_head::Entity::find_by_id(tenant.to_owned())
            .one(tx)
            .await?;
        Ok(Self::of(tenant, head.map(|head| (head.seq, head.hash))))
    }
}

/// Appends records to a tenant's chain. The head is read first, under the writer's lock.
pub(super) async fn append<C: ConnectionTrait>(
    tx: &C,
    tenant: &str,
    now: Micros,
    drafts: Vec<Draft>,
) -> StoreResult<()> {
    append_after(tx, tenant, now, drafts).await.map(|_| ())
}

/// As [`append`], and gives the end that the chain has with them.
pub(super) async fn append_after<C: ConnectionTrait>(
    tx: &C,
    tenant: &str,
    now: Micros,
    drafts: Vec<Draft>,
) -> StoreResult<Head> {
    let head = Head::read(tx, tenant).await?;
    if drafts.is_empty() {
        return Ok(head);
    }
    let (rows, head) = rows_after(head, now, drafts)?;
    audit::Entity::insert_many(rows)
        .exec_without_returning(tx)
        .await?;
    Ok(head)
}

/// The insertion of records after a head that was read in the same transaction. The new head is set by the table's own
/// trigger.
pub(super) fn records_after(
    head: Head,
    now: Micros,
    drafts: Vec<Draft>,
) -> StoreResult<InsertMany<audit::ActiveModel>> {
    Ok(audit::Entity::insert_many(rows_after(head, now, drafts)?.0))
}

fn rows_after(
    head: Head,
    now: Micros,
    drafts: Vec<Draft>,
) -> StoreResult<(Vec<audit::ActiveModel>, Head)> {
    let Head {
        tenant,
        mut seq,
        mut hash,
    } = head;
    let mut rows = Vec::with_capacity(drafts.len());
    for draft in drafts {
        seq += 1;
        let record = AuditRecord {
            seq,
            at: now.0,
            principal: draft.principal,
            acts_for: draft.acts_for,
            action: draft.action,
            target: draft.target,
            verdict: if draft.denied { "deny" } else { "allow" }.to_owned(),
            rule: draft.rule,
            before: draft.before,
            after: draft.after,
            request_id: draft.request_id,
            offer: draft.offer,
            detail: draft.detail,
        };
        let bytes = serde_json::to_vec(&record)?;
        hash = link(&hash, &bytes);
        rows.push(audit::ActiveModel {
            tenant: Set(tenant.clone()),
            seq: Set(seq),
            at: Set(record.at),
            principal: Set(record.principal),
            action: Set(record.action),
            target: Set(record.target),
            rule: Set(record.rule),
            record: Set(bytes),
            hash: Set(hash.clone()),
        });
    }
    Ok((rows, Head { tenant, seq, hash }))
}

/// The hash of a record after `before`.
fn link(before: &str, record: &[u8]) -> String {
    let hash = Sha256::new()
        .chain_update(before.as_bytes())
        .chain_update(record)
        .finalize();
    hex(&hash)
}

/// Lower-case hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Reads the record of a row.
pub(super) fn read(row: &audit::Model) -> StoreResult<AuditRecord> {
    serde_json::from_slice(&row.record).map_err(StoreError::from)
}
