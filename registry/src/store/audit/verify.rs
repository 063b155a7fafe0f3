//! Verifying a chain: every hash, every number, every column, and the head.

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::{AuditRecord, genesis, link};
use crate::store::entity::{audit, audit_head};
use crate::store::error::StoreResult;

/// What verification found in one tenant's chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainReport {
    /// The tenant; `~` for global.
    pub tenant: String,
    /// How many records were read.
    pub records: i64,
    /// The hash of the last.
    pub head: String,
    /// The first fault, in words; none when the chain holds.
    pub fault: Option<String>,
}

/// Reads a tenant's whole chain and checks it.
pub(in crate::store) async fn verify_chain<C: ConnectionTrait>(
    db: &C,
    tenant: &str,
) -> StoreResult<ChainReport> {
    let head = audit_head::Entity::find_by_id(tenant.to_owned())
        .one(db)
        .await?;
    let mut hash = genesis(tenant);
    let mut seq = 0;
    // Below every number, so that records before the first show too.
    let mut read_to = i64::MIN;
    let mut fault = None;
    'pages: loop {
        let page = audit::Entity::find()
            .filter(audit::Column::Tenant.eq(tenant))
            .filter(audit::Column::Seq.gt(read_to))
            .order_by_asc(audit::Column::Seq)
            .limit(1_000)
            .all(db)
            .await?;
        if page.is_empty() {
            break;
        }
        for row in page {
            fault = check_row(&row, seq + 1, &hash);
            if fault.is_some() {
                break 'pages;
            }
            seq = row.seq;
            read_to = row.seq;
            hash = row.hash;
        }
    }
    if fault.is_none() {
        let (head_seq, head_hash) =
            head.map_or_else(|| (0, genesis(tenant)), |head| (head.seq, head.hash));
        if head_seq != seq || head_hash != hash {
            fault = Some(format!(
                "the chain ends at record {seq}, but its head says {head_seq}: records were cut off or added"
            ));
        }
    }
    Ok(ChainReport {
        tenant: tenant.to_owned(),
        records: seq,
        head: hash,
        fault,
    })
}

fn check_row(row: &audit::Model, expected: i64, before: &str) -> Option<String> {
    if row.seq != expected {
        return Some(format!("record {expected} is missing"));
    }
    if link(before, &row.record) != row.hash {
        return Some(format!(
            "record {expected} does not have the hash that its bytes give"
        ));
    }
    let Ok(record) = serde_json::from_slice::<AuditRecord>(&row.record) else {
        return Some(format!("record {expected} is not readable"));
    };
    let columns_agree = record.seq == row.seq
        && record.at == row.at
        && record.principal == row.principal
        && record.action == row.action
        && record.target == row.target
        && record.rule == row.rule;
    (!columns_agree).then(|| format!("the columns of record {expected} differ from its bytes"))
}

/// Every tenant that has a chain, or records without one.
pub(in crate::store) async fn chains<C: ConnectionTrait>(db: &C) -> StoreResult<Vec<String>> {
    let mut tenants: Vec<String> = audit_head::Entity::find()
        .select_only()
        .column(audit_head::Column::Tenant)
        .into_tuple()
        .all(db)
        .await?;
    let recorded: Vec<String> = audit::Entity::find()
        .select_only()
        .column(audit::Column::Tenant)
        .distinct()
        .into_tuple()
        .all(db)
        .await?;
    tenants.extend(recorded);
    tenants.sort();
    tenants.dedup();
    Ok(tenants)
}
