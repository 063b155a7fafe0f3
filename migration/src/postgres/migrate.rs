//! Running the migrations of PostgreSQL.

use std::collections::HashSet;

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::{
    DatabaseConnection, DatabaseTransaction, DbBackend, Statement, TransactionTrait as _,
};

use super::{functions, grants, secure};
use crate::Migrator;

/// The table in which migrations are noted.
const MIGRATIONS: &str = "seaql_migrations";
/// How long one statement waits for a table that others use: everybody who comes later waits behind it.
const PATIENCE: &str = "SET LOCAL lock_timeout = '15s'";

/// Runs the migrations that the database does not have, secures its tables, and gives `app_role` what it needs, if one is
/// named (see [`grants::grant`]). Gives the names of the migrations that it ran.
///
/// On PostgreSQL it is all done in one transaction: either all of it, or nothing. Who starts while another one is at it waits,
/// and then finds nothing to do. Migrations that the database has and this program does not know are those of a newer one,
/// beside which this one works: they are no error. On SQLite it runs the migrations, and no role may be named.
///
/// # Errors
/// When a statement fails: the role may not create tables or does not own them, or tables were in use for too long.
pub async fn migrate(
    db: &DatabaseConnection,
    app_role: Option<&str>,
) -> Result<Vec<String>, DbErr> {
    if db.get_database_backend() != DbBackend::Postgres {
        if app_role.is_some() {
            return Err(DbErr::Custom(
                "only PostgreSQL has roles: name none for this database".to_owned(),
            ));
        }
        let names = pending(db).await?;
        Migrator::up(db, None).await?;
        return Ok(names);
    }
    let tx = db.begin().await?;
    tx.execute_unprepared(&format!(
        "SELECT pg_advisory_xact_lock({}, 0)",
        functions::MIGRATION_LOCK_CLASS
    ))
    .await?;
    tx.execute_unprepared(PATIENCE).await?;
    // Migrations that change rows change those of all tenants.
    tx.execute_unprepared("SELECT set_config('vestry.tenants', '*', true)")
        .await?;
    // Asked first, so that the server does not remark upon a table that is there.
    if !has_migrations(&tx).await? {
        Migrator::install(&tx).await?;
    }
    let names = run_pending(&tx).await?;
    secure::secure(&tx).await?;
    if let Some(role) = app_role {
        grants::grant(&tx, role).await?;
    }
    tx.commit().await?;
    Ok(names)
}

async fn run_pending(tx: &DatabaseTransaction) -> Result<Vec<String>, DbErr> {
    let applied = applied(tx).await?;
    let mut names = Vec::new();
    for migration in Migrator::migrations() {
        let name = migration.name().to_owned();
        if applied.contains(&name) {
            continue;
        }
        let failed = |error| DbErr::Migration(format!("{name} failed: {error}"));
        migration
            .up(&SchemaManager::new(tx))
            .await
            .map_err(failed)?;
        // After each: a later one may name the columns in triggers, and PostgreSQL changes none of those.
        secure::collate(tx).await.map_err(failed)?;
        let noted = Statement::from_sql_and_values(
            DbBackend::Postgres,
            format!(
                "INSERT INTO {MIGRATIONS} (version, applied_at) VALUES ($1, extract(epoch FROM now())::bigint)"
            ),
            [name.as_str().into()],
        );
        tx.execute_raw(noted).await?;
        names.push(name);
    }
    Ok(names)
}

/// The names of the migrations that this program has and the database has not, in their order; all of them for a database
/// that is empty. Changes nothing, and needs no more than to read the table in which migrations are noted.
///
/// # Errors
/// When the database cannot be asked.
pub async fn pending<C: ConnectionTrait>(db: &C) -> Result<Vec<String>, DbErr> {
    let applied = if has_migrations(db).await? {
        applied(db).await?
    } else {
        HashSet::new()
    };
    Ok(Migrator::migrations()
        .iter()
        .map(|migration| migration.name().to_owned())
        .filter(|name| !applied.contains(name))
        .collect())
}

/// Whether there is a table in which migrations are noted.
async fn has_migrations<C: ConnectionTrait>(db: &C) -> Result<bool, DbErr> {
    let backend = db.get_database_backend();
    let sql = match backend {
        DbBackend::Postgres => format!("SELECT to_regclass('{MIGRATIONS}') IS NOT NULL"),
        _ => format!("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = '{MIGRATIONS}')"),
    };
    let row = db
        .query_one_raw(Statement::from_string(backend, sql))
        .await?;
    row.map_or(Ok(false), |row| row.try_get_by_index(0))
}

async fn applied<C: ConnectionTrait>(db: &C) -> Result<HashSet<String>, DbErr> {
    let asked = Statement::from_string(
        db.get_database_backend(),
        format!("SELECT version FROM {MIGRATIONS}"),
    );
    db.query_all_raw(asked)
        .await?
        .iter()
        .map(|row| row.try_get_by_index::<String>(0))
        .collect()
}
