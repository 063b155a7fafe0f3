//! What PostgreSQL needs beside the tables: the guards and counters that SQLite has as triggers, row-level security,
//! the privileges of the application's role, and the functions of which one call is one round trip.
//!
//! Every statement names the schema of its tables: a temporary table of the same name does not deceive a trigger.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{DbBackend, Statement};

mod audit;
mod content;
mod counts;
mod functions;
mod grants;
mod migrate;
mod proposals;
mod secure;

pub use functions::{GLOBAL_LOCK_CLASS, TENANT_LOCK_CLASS};
pub use grants::grant;
pub use migrate::{migrate, pending};
pub use secure::secure;

/// Stands before the name of a table, and is replaced by the schema in which Vestry's tables are.
const SCHEMA: &str = "@.";

/// Runs what the first migration for PostgreSQL adds to the tables that are there.
pub(crate) async fn create(db: &SchemaManagerConnection<'_>) -> Result<(), DbErr> {
    let schema = schema(db).await?;
    // Before the triggers: PostgreSQL changes no column that a trigger names.
    secure::collate(db).await?;
    for subject in [
        &REFUSE[..],
        &audit::STATEMENTS,
        &content::STATEMENTS,
        &proposals::STATEMENTS,
        &counts::STATEMENTS,
    ] {
        for sql in subject {
            run(db, &schema, sql).await?;
        }
    }
    for (table, message) in NEVER_EMPTIED {
        let sql = format!(
            "CREATE TRIGGER {table}_are_not_emptied BEFORE TRUNCATE ON @.{table} \
             FOR EACH STATEMENT EXECUTE FUNCTION @.vestry_refuse('{message}')"
        );
        run(db, &schema, &sql).await?;
    }
    for sql in functions::statements() {
        run(db, &schema, &sql).await?;
    }
    Ok(())
}

/// What refuses, with the message that the trigger gives it.
const REFUSE: [&str; 1] = [
    "CREATE FUNCTION @.vestry_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ \
     BEGIN RAISE EXCEPTION USING MESSAGE = TG_ARGV[0], ERRCODE = 'P0001'; END $$",
];

/// Tables whose rows are kept. `TRUNCATE` drops rows without asking the triggers of a deletion.
const NEVER_EMPTIED: [(&str, &str); 10] = [
    ("audit", "the audit log is append-only"),
    ("audit_heads", "heads of the audit log only follow it"),
    ("journal", "the journal is kept for 90 days"),
    ("snapshots", "snapshots are immutable"),
    ("revisions", "revisions are kept"),
    ("revision_files", "files of revisions are kept"),
    ("blobs", "blobs of revisions are kept"),
    ("context_schemas", "context schemas are kept"),
    ("proposals", "proposals are kept"),
    ("proposal_decisions", "decisions are kept"),
];

async fn run(db: &SchemaManagerConnection<'_>, schema: &str, sql: &str) -> Result<(), DbErr> {
    let sql = sql.replace(SCHEMA, &format!("{schema}."));
    db.execute_unprepared(&sql).await?;
    Ok(())
}

/// The schema in which tables are created, as an identifier in quotes where it needs them.
async fn schema<C: ConnectionTrait>(db: &C) -> Result<String, DbErr> {
    let asked = Statement::from_string(
        DbBackend::Postgres,
        "SELECT quote_ident(current_schema()::text)",
    );
    let row = db.query_one_raw(asked).await?;
    row.map(|row| row.try_get_by_index::<Option<String>>(0))
        .transpose()?
        .flatten()
        .ok_or_else(|| {
            DbErr::Custom(
                "the search path of this role has no schema that is there; create one, or set `search_path`"
                    .to_owned(),
            )
        })
}

/// A name as an identifier in quotes.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
