//! Which migrations a database has, and the context schemas in it.

use std::path::Path;

use sea_orm::{ConnectionTrait, DbErr, EntityTrait, QueryOrder, Statement};
use sea_orm_migration::SchemaManager;
use vestry_migration::{Migrator, MigratorTrait};

use super::{Part, no_database, unreadable};
use crate::store::entity::context_schema;
use crate::store::error::{StoreError, StoreResult};
use crate::store::pool::Transaction;

/// The table in which migrations are noted.
const MIGRATIONS: &str = "seaql_migrations";
/// What a database has at least to be verified: bundled files.
const OLDEST: &str = "files";

/// The migrations of a database, beside those of this program.
pub(super) struct Schema {
    applied: Vec<String>,
    /// Those that are not applied yet.
    pub(super) pending: Vec<String>,
}

impl Schema {
    /// Reads what is applied.
    pub(super) async fn read(db: &Transaction, called: &Path) -> StoreResult<Self> {
        let applied = names(db)
            .await
            .map_err(|error| unreadable(called, &error))?
            .ok_or_else(|| no_database(called))?;
        let known: Vec<String> = Migrator::migrations()
            .iter()
            .map(|migration| migration.name().to_owned())
            .collect();
        if let Some(newer) = applied.iter().find(|name| !known.contains(name)) {
            return Err(StoreError::Internal(format!(
                "{} was written by a newer version of vestry (it has the migration {newer}): use that version",
                called.display()
            )));
        }
        let pending = known
            .into_iter()
            .filter(|name| !applied.contains(name))
            .collect();
        let schema = Self { applied, pending };
        if schema.has(OLDEST) {
            Ok(schema)
        } else {
            Err(StoreError::Internal(format!(
                "{} was written by a version of vestry that is too old to be verified: use that version",
                called.display()
            )))
        }
    }

    /// Whether the migration is applied whose name ends so.
    pub(super) fn has(&self, migration: &str) -> bool {
        self.applied
            .iter()
            .any(|name| name.splitn(3, '_').nth(2) == Some(migration))
    }
}

/// The names of the migrations; none where there is no table of them.
async fn names(db: &Transaction) -> Result<Option<Vec<String>>, DbErr> {
    if !SchemaManager::new(db.unbounded())
        .has_table(MIGRATIONS)
        .await?
    {
        return Ok(None);
    }
    let backend = db.get_database_backend();
    let sql = format!("SELECT version FROM {MIGRATIONS} ORDER BY version");
    db.query_all_raw(Statement::from_string(backend, sql))
        .await?
        .iter()
        .map(|row| row.try_get_by_index::<String>(0))
        .collect::<Result<_, _>>()
        .map(Some)
}

/// Compares the context schemas with their digests.
pub(super) async fn check_context<C: ConnectionTrait>(db: &C) -> Result<Part, DbErr> {
    let mut part = Part::new("context schemas");
    let rows = context_schema::Entity::find()
        .order_by_asc(context_schema::Column::Number)
        .all(db)
        .await?;
    for row in rows {
        part.checked(1);
        let read = crate::template::schema::Schema::parse(&row.text);
        if !read.is_ok_and(|schema| **schema.digest() == *row.digest) {
            part.fault(format!(
                "the context schema {} is not the one that its digest names: it was changed",
                row.number
            ));
        }
    }
    Ok(part)
}
