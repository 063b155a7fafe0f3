//! Every skill: that its current revision is there and is what its row says, and that no number is missing before it.

use sea_orm::{ConnectionTrait, DbErr, QueryResult, Statement};

use super::Part;
use super::revisions::{place, small};

const SAME: &str = "r.tenant = s.tenant AND r.scope_kind = s.scope_kind AND r.scope_id = s.scope_id \
     AND r.kind = s.kind AND r.name = s.name";

pub(super) async fn check<C: ConnectionTrait>(db: &C) -> Result<Part, DbErr> {
    let mut part = Part::new("skills");
    let row = ask(db, "SELECT count(*) FROM skills").await?;
    if let Some(row) = row.first() {
        let number: i64 = row.try_get_by_index(0)?;
        part.checked(u64::try_from(number).unwrap_or_default());
    }
    let key = "s.tenant, s.scope_kind, s.scope_id, s.kind, s.name";
    let other = format!(
        "SELECT {key}, s.revision FROM skills AS s WHERE NOT EXISTS (SELECT 1 FROM revisions AS r WHERE {SAME} \
         AND r.number = s.revision AND r.digest = s.digest AND r.files = s.files AND r.description = s.description \
         AND r.templated = s.templated AND r.recall = s.recall)"
    );
    for row in ask(db, &other).await? {
        let revision: i64 = row.try_get_by_index(5)?;
        part.fault(format!(
            "{}: its current revision {revision} is missing, or another than it says",
            place_of(&row)?
        ));
    }
    let gaps = format!(
        "SELECT {key}, s.last_revision, count(r.number), coalesce(max(r.number), 0), coalesce(min(r.number), 0) \
         FROM skills AS s LEFT JOIN revisions AS r ON {SAME} GROUP BY {key}, s.last_revision \
         HAVING count(r.number) <> s.last_revision OR max(r.number) <> s.last_revision OR min(r.number) <> 1"
    );
    for row in ask(db, &gaps).await? {
        let (last, number): (i64, i64) = (row.try_get_by_index(5)?, row.try_get_by_index(6)?);
        part.fault(format!(
            "{}: it has {number} revisions, and is said to have had {last}",
            place_of(&row)?
        ));
    }
    let stray = format!(
        "SELECT DISTINCT r.tenant, r.scope_kind, r.scope_id, r.kind, r.name FROM revisions AS r \
         WHERE NOT EXISTS (SELECT 1 FROM skills AS s WHERE {SAME})"
    );
    for row in ask(db, &stray).await? {
        part.fault(format!(
            "{}: it is missing, and has revisions",
            place_of(&row)?
        ));
    }
    Ok(part)
}

async fn ask<C: ConnectionTrait>(db: &C, sql: &str) -> Result<Vec<QueryResult>, DbErr> {
    db.query_all_raw(Statement::from_string(db.get_database_backend(), sql))
        .await
}

fn place_of(row: &QueryResult) -> Result<String, DbErr> {
    let tenant: String = row.try_get_by_index(0)?;
    let scope_id: String = row.try_get_by_index(2)?;
    let name: String = row.try_get_by_index(4)?;
    Ok(place(
        &tenant,
        small(row, 1)?,
        &scope_id,
        small(row, 3)?,
        &name,
    ))
}
