//! Where the chains end, and whether they go on from where they ended before.

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::genesis;
use crate::checkpoint::ChainHead;
use crate::store::entity::{audit, audit_head};
use crate::store::error::{StoreError, StoreResult};

/// The ends of all chains, ordered by their names.
pub(super) async fn heads<C: ConnectionTrait>(db: &C) -> StoreResult<Vec<ChainHead>> {
    let rows = audit_head::Entity::find()
        .order_by_asc(audit_head::Column::Tenant)
        .all(db)
        .await?;
    let mut heads = rows
        .into_iter()
        .map(of_row)
        .collect::<StoreResult<Vec<_>>>()?;
    // As the checkpoint orders them, whatever the database's collation is.
    heads.sort();
    Ok(heads)
}

/// The end of one chain, which may have no record yet.
pub(super) async fn head_of<C: ConnectionTrait>(db: &C, tenant: &str) -> StoreResult<ChainHead> {
    let row = audit_head::Entity::find_by_id(tenant.to_owned())
        .one(db)
        .await?;
    of_row(row.unwrap_or_else(|| audit_head::Model {
        tenant: tenant.to_owned(),
        seq: 0,
        hash: genesis(tenant),
    }))
}

/// Whether a chain still has the end that it had before, as its last record or as an earlier one.
pub(super) async fn goes_on<C: ConnectionTrait>(db: &C, before: &ChainHead) -> StoreResult<bool> {
    if before.records == 0 {
        return Ok(bytes_of(&genesis(&before.chain)) == Some(before.hash));
    }
    let hash: Option<String> = audit::Entity::find()
        .select_only()
        .column(audit::Column::Hash)
        .filter(audit::Column::Tenant.eq(before.chain.as_str()))
        .filter(audit::Column::Seq.eq(before.records))
        .into_tuple()
        .one(db)
        .await?;
    Ok(hash.as_deref().and_then(bytes_of) == Some(before.hash))
}

fn of_row(row: audit_head::Model) -> StoreResult<ChainHead> {
    let hash = bytes_of(&row.hash).ok_or_else(|| {
        StoreError::Internal(format!(
            "the head of the audit chain `{}` is no hash; run `vestry audit verify`",
            row.tenant
        ))
    })?;
    Ok(ChainHead {
        chain: row.tenant,
        records: row.seq,
        hash,
    })
}

/// The 32 bytes of a hash in lower-case hexadecimal.
pub(super) fn bytes_of(hex: &str) -> Option<[u8; 32]> {
    let digits = hex.as_bytes();
    if digits.len() != 64 {
        return None;
    }
    let mut bytes = [0_u8; 32];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let digit = |index: usize| match pair.get(index) {
            Some(digit @ b'0'..=b'9') => Some(digit - b'0'),
            Some(digit @ b'a'..=b'f') => Some(digit - b'a' + 10),
            _ => None,
        };
        *byte = digit(0)? << 4 | digit(1)?;
    }
    Some(bytes)
}
