//! Comparing the journal and the snapshots with what the audit log says of them: each row of the journal has one record
//! with its digest.

use std::collections::HashMap;

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use super::AuditRecord;
use crate::content::sha256_text;
use crate::store::entity::{journal, snapshot};
use crate::store::error::StoreResult;
use crate::store::housekeeping::JOURNAL_DAYS;

/// How many microseconds the journal is kept.
const KEPT: i64 = JOURNAL_DAYS * 24 * 60 * 60 * crate::clock::SECOND;
/// Rows at once; a row has the lines of up to half a second.
const PAGE: u64 = 64;

/// What the records of a chain say of the journal.
#[derive(Debug, Default)]
pub(super) struct Written(HashMap<i64, Row>);

#[derive(Debug)]
struct Row {
    sha256: String,
    seq: i64,
    at: i64,
}

impl Written {
    /// Takes in a record of the chain. A number that comes again is that of a later row: the rows of a chain that nobody
    /// wrote to for long are all dropped, and the count begins anew.
    pub(super) fn note(&mut self, record: &AuditRecord) {
        let number = record
            .target
            .strip_prefix("journal:")
            .and_then(|number| number.parse().ok());
        let sha256 = record.detail.get("sha256").and_then(|value| value.as_str());
        if let (Some(number), Some(sha256)) = (number, sha256)
            && record.action == "journal"
            && record.principal == "system"
        {
            let row = Row {
                sha256: sha256.to_owned(),
                seq: record.seq,
                at: record.at,
            };
            self.0.insert(number, row);
        }
    }

    /// Compares the rows with it; gives what is wrong, in sentences.
    pub(super) async fn compare<C: ConnectionTrait>(
        mut self,
        db: &C,
        tenant: &str,
    ) -> StoreResult<Vec<String>> {
        let mut faults = Vec::new();
        let mut read_to = i64::MIN;
        loop {
            let rows = journal::Entity::find()
                .filter(journal::Column::Tenant.eq(tenant))
                .filter(journal::Column::Number.gt(read_to))
                .order_by_asc(journal::Column::Number)
                .limit(PAGE)
                .all(db)
                .await?;
            let Some(last) = rows.last() else {
                break;
            };
            read_to = last.number;
            for row in rows {
                match self.0.remove(&row.number) {
                    None => faults.push(format!(
                        "row {} of the journal is in no audit record: it was added, or its record is older",
                        row.number
                    )),
                    Some(said) if said.sha256 != sha256_text(&row.content) => faults.push(format!(
                        "row {} of the journal is not what audit record {} says: it was changed",
                        row.number, said.seq
                    )),
                    Some(said) if said.at != row.last_at => faults.push(format!(
                        "row {} of the journal has another time than audit record {} says: it was changed",
                        row.number, said.seq
                    )),
                    Some(_) => {}
                }
            }
        }
        // Rows are dropped by their age against the newest row, and no row before it.
        let newest: Option<Option<i64>> = journal::Entity::find()
            .select_only()
            .column_as(journal::Column::LastAt.max(), "newest")
            .into_tuple()
            .one(db)
            .await?;
        let end = newest.flatten().map_or(i64::MIN, |newest| newest - KEPT);
        let mut missing: Vec<(i64, Row)> =
            self.0.into_iter().filter(|(_, row)| row.at > end).collect();
        missing.sort_by_key(|(_, row)| row.seq);
        faults.extend(missing.into_iter().map(|(number, row)| {
            format!(
                "row {number} of the journal, which audit record {} speaks of, is missing before its age",
                row.seq
            )
        }));
        Ok(faults)
    }
}

/// Compares the snapshots of a tenant with their digests.
pub(super) async fn compare_snapshots<C: ConnectionTrait>(
    db: &C,
    tenant: &str,
) -> StoreResult<Vec<String>> {
    let mut faults = Vec::new();
    let mut read_to = String::new();
    loop {
        let rows = snapshot::Entity::find()
            .filter(snapshot::Column::Tenant.eq(tenant))
            .filter(snapshot::Column::Digest.gt(read_to.as_str()))
            .order_by_asc(snapshot::Column::Digest)
            .limit(PAGE)
            .all(db)
            .await?;
        let Some(last) = rows.last() else {
            return Ok(faults);
        };
        read_to.clone_from(&last.digest);
        for row in rows {
            if sha256_text(&row.content) != row.digest {
                faults.push(format!(
                    "the snapshot {} of what turns were offered has other bytes than its digest says: it was changed",
                    row.digest
                ));
            }
        }
    }
}
