//! What turns were offered and opened with. Snapshots and the journal are compared with their digests beside the audit log.

use sea_orm::{ConnectionTrait, DbErr, Statement};

use super::{Part, whole};
use crate::content::sha256_text;

/// Openings at once.
const PAGE: u64 = 128;

/// Whether what each named turn was offered is kept.
pub(super) async fn check<C: ConnectionTrait>(db: &C) -> Result<Part, DbErr> {
    let mut part = count(db, "turns").await?;
    let lost = "SELECT t.tenant, t.actor, t.turn, t.snapshot FROM turns AS t WHERE NOT EXISTS \
         (SELECT 1 FROM snapshots AS s WHERE s.tenant = t.tenant AND s.digest = t.snapshot)";
    for row in db
        .query_all_raw(Statement::from_string(db.get_database_backend(), lost))
        .await?
    {
        let (tenant, actor): (String, String) =
            (row.try_get_by_index(0)?, row.try_get_by_index(1)?);
        let (turn, snapshot): (String, String) =
            (row.try_get_by_index(2)?, row.try_get_by_index(3)?);
        part.fault(format!(
            "turn `{turn}` of {actor} in {tenant}: the snapshot {snapshot} of what it was offered is missing"
        ));
    }
    Ok(part)
}

/// Compares what named turns were opened with with its digest.
pub(super) async fn check_openings<C: ConnectionTrait>(db: &C) -> Result<Part, DbErr> {
    let mut part = Part::new("openings");
    let sql = format!(
        "SELECT tenant, actor, agent, turn, pins, digest FROM openings \
         WHERE (tenant, actor, agent, turn) > ($1, $2, $3, $4) ORDER BY tenant, actor, agent, turn LIMIT {PAGE}"
    );
    let mut read_to = [const { String::new() }; 4];
    loop {
        let statement = Statement::from_sql_and_values(
            db.get_database_backend(),
            &sql,
            read_to.map(sea_orm::Value::from),
        );
        let rows = db.query_all_raw(statement).await?;
        read_to = [const { String::new() }; 4];
        for row in &rows {
            part.checked(1);
            let (pins, digest): (String, String) =
                (row.try_get_by_index(4)?, row.try_get_by_index(5)?);
            let key: [String; 4] = [
                row.try_get_by_index(0)?,
                row.try_get_by_index(1)?,
                row.try_get_by_index(2)?,
                row.try_get_by_index(3)?,
            ];
            if sha256_text(pins.as_bytes()) != digest {
                let [tenant, actor, _, turn] = &key;
                part.fault(format!(
                    "turn `{turn}` of {actor} in {tenant}: what it was opened with is not what its digest says"
                ));
            }
            read_to = key;
        }
        if rows.is_empty() {
            return Ok(part);
        }
    }
}

/// How many rows there are of what is compared elsewhere.
pub(super) async fn counted<C: ConnectionTrait>(db: &C, table: &'static str) -> Part {
    whole(count(db, table).await, table)
}

async fn count<C: ConnectionTrait>(db: &C, table: &'static str) -> Result<Part, DbErr> {
    let mut part = Part::new(table);
    let sql = format!("SELECT count(*) FROM {table}");
    let row = db
        .query_one_raw(Statement::from_string(db.get_database_backend(), sql))
        .await?;
    if let Some(row) = row {
        let number: i64 = row.try_get_by_index(0)?;
        part.checked(u64::try_from(number).unwrap_or_default());
    }
    Ok(part)
}
