//! The pages of an SQLite file: what SQLite itself knows to check.

use sea_orm::{ConnectionTrait, DbErr, Statement};

use super::Part;

/// The most findings that SQLite is asked for.
const CHECK: &str = "PRAGMA integrity_check(100)";

pub(super) async fn check<C: ConnectionTrait>(db: &C) -> Result<Part, DbErr> {
    let mut part = Part::new("pages");
    let backend = db.get_database_backend();
    let pages = db
        .query_one_raw(Statement::from_string(backend, "PRAGMA page_count"))
        .await?;
    if let Some(row) = pages {
        let pages: i64 = row.try_get_by_index(0)?;
        part.checked(u64::try_from(pages).unwrap_or_default());
    }
    for row in db
        .query_all_raw(Statement::from_string(backend, CHECK))
        .await?
    {
        let line: String = row.try_get_by_index(0)?;
        if line != "ok" {
            // Several lines make one sentence.
            let lines: Vec<&str> = line.lines().collect();
            part.fault(format!("SQLite finds: {}", lines.join("; ")));
        }
    }
    Ok(part)
}
