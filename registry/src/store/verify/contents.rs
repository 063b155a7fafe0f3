//! The bytes of every SKILL.md and of every bundled file, by their digests.

use sea_orm::{ConnectionTrait, DbErr, QueryResult, Statement};

use super::Part;
use crate::content::sha256_text;

/// How many texts of at most 1 MiB are read at once.
const TEXTS: u64 = 32;
/// How many files of at most 16 MiB are read at once.
const FILES: u64 = 4;

/// Hashes every SKILL.md.
pub(super) async fn check<C: ConnectionTrait>(db: &C) -> Result<Part, DbErr> {
    let mut part = Part::new("contents");
    let sql = format!(
        "SELECT tenant, sha256, bytes FROM contents WHERE (tenant, sha256) > ($1, $2) \
         ORDER BY tenant, sha256 LIMIT {TEXTS}"
    );
    each(db, &sql, |tenant, sha256, row| {
        part.checked(1);
        let bytes: Vec<u8> = row.try_get_by_index(2)?;
        if sha256_text(&bytes) != *sha256 {
            part.fault(format!(
                "the SKILL.md {sha256} of {tenant} has other bytes than its digest says: it was changed"
            ));
        }
        Ok(())
    })
    .await?;
    Ok(part)
}

/// Hashes every bundled file.
pub(super) async fn check_blobs<C: ConnectionTrait>(db: &C) -> Result<Part, DbErr> {
    let mut part = Part::new("files");
    let sql = format!(
        "SELECT tenant, sha256, size, bytes FROM blobs WHERE (tenant, sha256) > ($1, $2) \
         ORDER BY tenant, sha256 LIMIT {FILES}"
    );
    each(db, &sql, |tenant, sha256, row| {
        part.checked(1);
        let size: i64 = row.try_get_by_index(2)?;
        let bytes: Vec<u8> = row.try_get_by_index(3)?;
        if sha256_text(&bytes) != *sha256 {
            part.fault(format!(
                "the file {sha256} of {tenant} has other bytes than its digest says: it was changed"
            ));
        } else if i64::try_from(bytes.len()) != Ok(size) {
            part.fault(format!(
                "the file {sha256} of {tenant} has {} bytes, and is said to have {size}",
                bytes.len()
            ));
        }
        Ok(())
    })
    .await?;
    Ok(part)
}

/// Goes through the rows of a table whose key is a tenant and a digest.
async fn each<C: ConnectionTrait>(
    db: &C,
    sql: &str,
    mut look: impl FnMut(&String, &String, &QueryResult) -> Result<(), DbErr>,
) -> Result<(), DbErr> {
    let mut read_to = (String::new(), String::new());
    loop {
        let statement = Statement::from_sql_and_values(
            db.get_database_backend(),
            sql,
            [read_to.0.into(), read_to.1.into()],
        );
        let rows = db.query_all_raw(statement).await?;
        read_to = (String::new(), String::new());
        for row in &rows {
            let key: (String, String) = (row.try_get_by_index(0)?, row.try_get_by_index(1)?);
            look(&key.0, &key.1, row)?;
            read_to = key;
        }
        if rows.is_empty() {
            return Ok(());
        }
    }
}
