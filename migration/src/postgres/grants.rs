//! What the application's role may do: what the store does, and no more.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{DbBackend, Statement};

use super::{quoted, schema};

/// What may be done to tables of which not everything may be. Rows that are never dropped cannot be, and what is written once
/// is never changed (threat 13): not even where a trigger is missing.
const LESS: [(&str, &str); 15] = [
    ("seaql_migrations", "SELECT"),
    ("audit", "SELECT, INSERT"),
    // The heads are written by a trigger of `audit`, as the role that inserts.
    ("audit_heads", "SELECT, INSERT, UPDATE"),
    ("journal", "SELECT, INSERT, DELETE"),
    ("snapshots", "SELECT, INSERT, UPDATE (offered_at), DELETE"),
    (
        "revisions",
        "SELECT, INSERT, UPDATE (recall, recall_reason, recalled_at)",
    ),
    ("revision_files", "SELECT, INSERT"),
    ("contents", "SELECT, INSERT"),
    ("blobs", "SELECT, INSERT, DELETE"),
    ("context_schemas", "SELECT, INSERT"),
    ("proposals", "SELECT, INSERT, UPDATE"),
    ("proposal_decisions", "SELECT, INSERT"),
    ("proposal_comments", "SELECT, INSERT"),
    ("scope_sizes", "SELECT, INSERT, UPDATE"),
    ("scope_versions", "SELECT, INSERT, UPDATE"),
];

/// Gives a role what a server needs that connects as it: the use of the schema and of its functions, and of each table what
/// the store does to it. What it had before on these tables is taken back. Tables of later migrations are the role's only when
/// this is called again, as [`super::migrate`] does when it is told the role.
///
/// # Errors
/// When there is no such role, it is the one that owns the tables, or the caller may not grant.
pub async fn grant<C: ConnectionTrait>(db: &C, app_role: &str) -> Result<(), DbErr> {
    let asked = Statement::from_sql_and_values(
        DbBackend::Postgres,
        "SELECT EXISTS (SELECT 1 FROM pg_class AS c \
         JOIN pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = current_schema() \
         WHERE c.relkind IN ('r', 'p') AND pg_get_userbyid(c.relowner) = $1)",
        [app_role.into()],
    );
    let owns = match db.query_one_raw(asked).await? {
        Some(row) => row.try_get_by_index::<bool>(0)?,
        None => false,
    };
    if owns {
        return Err(DbErr::Custom(format!(
            "the role {app_role} owns the tables, and may do everything: name another one for the server"
        )));
    }
    let role = quoted(app_role);
    let schema = schema(db).await?;
    let mut sql = format!(
        "GRANT USAGE ON SCHEMA {schema} TO {role}; \
         REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {role}; \
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}; \
         GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {schema} TO {role};"
    );
    for (table, privileges) in LESS {
        sql.push_str(&format!(
            " REVOKE ALL ON {schema}.{table} FROM {role}; GRANT {privileges} ON {schema}.{table} TO {role};"
        ));
    }
    db.execute_unprepared(&sql).await?;
    Ok(())
}
