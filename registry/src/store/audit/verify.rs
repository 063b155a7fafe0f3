//! Verifying chains: every hash, every number, every column, the head, what checkpoints say, and what depends on them.

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::journal::{Written, compare_snapshots};
use super::walk::{ChainWalk, KnownHead};
use super::{AuditRecord, genesis};
use crate::store::entity::{audit, audit_head};
use crate::store::error::StoreResult;

/// The most findings of a chain that are said one by one.
const MOST_FAULTS: usize = 20;

/// What verification found in one tenant's chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainReport {
    /// The tenant; `~` for global.
    pub tenant: String,
    /// How many records were read.
    pub records: i64,
    /// The hash of the last.
    pub head: String,
    /// What is wrong and where, a sentence each; none when the chain holds.
    pub faults: Vec<String>,
}

/// Verifies every chain that there is, and every one that a checkpoint knows.
pub(in crate::store) async fn verify_all<C: ConnectionTrait>(
    db: &C,
    known: &[KnownHead],
) -> StoreResult<Vec<ChainReport>> {
    let mut tenants = chains(db).await?;
    tenants.extend(known.iter().map(|known| known.head.chain.clone()));
    tenants.sort();
    tenants.dedup();
    let mut reports = Vec::new();
    for tenant in tenants {
        reports.push(verify_chain(db, &tenant, known).await?);
    }
    Ok(reports)
}

/// Reads a tenant's whole chain and checks it.
async fn verify_chain<C: ConnectionTrait>(
    db: &C,
    tenant: &str,
    known: &[KnownHead],
) -> StoreResult<ChainReport> {
    let mut walk = ChainWalk::new(tenant, known);
    let mut written = Written::default();
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
            read_to = row.seq;
            match walk.step(row.seq, &row.record, &row.hash) {
                Err(wrong) => fault = Some(wrong),
                Ok(record) if !columns_agree(&row, &record) => {
                    fault = Some(format!(
                        "the columns of record {} differ from its bytes",
                        row.seq
                    ));
                }
                Ok(record) => written.note(&record),
            }
            if fault.is_some() {
                break 'pages;
            }
        }
    }
    let (records, head) = (walk.records(), walk.hash().to_owned());
    let mut faults: Vec<String> = fault.into_iter().collect();
    if faults.is_empty() {
        faults.extend(wrong_head(db, tenant, records, &head).await?);
        faults.extend(walk.finish());
        faults.extend(written.compare(db, tenant).await?);
    }
    faults.extend(compare_snapshots(db, tenant).await?);
    if faults.len() > MOST_FAULTS {
        let more = faults.len() - MOST_FAULTS;
        faults.truncate(MOST_FAULTS);
        faults.push(format!("and {more} more findings"));
    }
    Ok(ChainReport {
        tenant: tenant.to_owned(),
        records,
        head,
        faults,
    })
}

async fn wrong_head<C: ConnectionTrait>(
    db: &C,
    tenant: &str,
    records: i64,
    hash: &str,
) -> StoreResult<Option<String>> {
    let head = audit_head::Entity::find_by_id(tenant.to_owned())
        .one(db)
        .await?;
    let (said, said_hash) = head.map_or_else(|| (0, genesis(tenant)), |head| (head.seq, head.hash));
    Ok((said != records || said_hash != hash).then(|| {
        format!(
            "the chain ends at record {records}, but its head says {said}: records were cut off or added"
        )
    }))
}

fn columns_agree(row: &audit::Model, record: &AuditRecord) -> bool {
    record.seq == row.seq
        && record.at == row.at
        && record.principal == row.principal
        && record.action == row.action
        && record.target == row.target
        && record.rule == row.rule
}

/// Every tenant that has a chain, or records or a journal without one.
async fn chains<C: ConnectionTrait>(db: &C) -> StoreResult<Vec<String>> {
    use crate::store::entity::journal;
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
    let journalled: Vec<String> = journal::Entity::find()
        .select_only()
        .column(journal::Column::Tenant)
        .distinct()
        .into_tuple()
        .all(db)
        .await?;
    tenants.extend(journalled);
    Ok(tenants)
}
