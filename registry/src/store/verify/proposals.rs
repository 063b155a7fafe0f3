//! Every proposal: its digest against what it puts forward, as with revisions.

use std::collections::HashMap;

use sea_orm::{ConnectionTrait, DbErr, Statement, Value};

use super::Part;
use super::revisions::{KeptFile, Said};

/// Proposals at once; each has 512 files at most.
const PAGE: u64 = 128;

const PROPOSALS: &str = "SELECT p.tenant, p.number, p.digest, p.content, p.size, p.files, CAST(length(c.bytes) AS BIGINT) \
     FROM proposals AS p LEFT JOIN contents AS c ON c.tenant = p.tenant AND c.sha256 = p.content \
     WHERE (p.tenant, p.number) > ($1, $2) ORDER BY p.tenant, p.number";

const FILES: &str = "SELECT f.tenant, f.number, f.path, f.size, f.sha256, b.size FROM proposal_files AS f \
     LEFT JOIN blobs AS b ON b.tenant = f.tenant AND b.sha256 = f.sha256 \
     WHERE (f.tenant, f.number) > ($1, $2) AND (f.tenant, f.number) <= ($3, $4)";

type Key = (String, i64);

pub(super) async fn check<C: ConnectionTrait>(db: &C) -> Result<Part, DbErr> {
    let mut part = Part::new("proposals");
    let backend = db.get_database_backend();
    let sql = format!("{PROPOSALS} LIMIT {PAGE}");
    let mut read_to: Key = (String::new(), i64::MIN);
    loop {
        let statement = Statement::from_sql_and_values(backend, &sql, values(&read_to));
        let rows = db.query_all_raw(statement).await?;
        let Some(last) = rows.last() else {
            return Ok(part);
        };
        let last: Key = (last.try_get_by_index(0)?, last.try_get_by_index(1)?);
        let between = values(&read_to).into_iter().chain(values(&last));
        let statement = Statement::from_sql_and_values(backend, FILES, between);
        let mut files: HashMap<Key, Vec<KeptFile>> = HashMap::new();
        for row in db.query_all_raw(statement).await? {
            let key = (row.try_get_by_index(0)?, row.try_get_by_index(1)?);
            files.entry(key).or_default().push(KeptFile {
                path: row.try_get_by_index(2)?,
                size: row.try_get_by_index(3)?,
                sha256: row.try_get_by_index(4)?,
                kept: row.try_get_by_index(5)?,
            });
        }
        for row in rows {
            part.checked(1);
            let key: Key = (row.try_get_by_index(0)?, row.try_get_by_index(1)?);
            let said = Said {
                digest: row.try_get_by_index(2)?,
                content: row.try_get_by_index(3)?,
                size: row.try_get_by_index(4)?,
                files: row.try_get_by_index(5)?,
                length: row.try_get_by_index(6)?,
            };
            if let Some(wrong) = said.wrong(&files.remove(&key).unwrap_or_default()) {
                part.fault(format!("proposal {} of {}: {wrong}", key.1, key.0));
            }
        }
        read_to = last;
    }
}

fn values((tenant, number): &Key) -> [Value; 2] {
    [tenant.clone().into(), (*number).into()]
}
