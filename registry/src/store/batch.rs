//! Statements that are written together.
//!
//! SQLite's connection has a thread of its own, and the way there and back costs more than what most statements do. A
//! write therefore gathers those whose outcome it does not look at, and they go at once, in their order, inside the
//! transaction of the write. The first that fails ends it. PostgreSQL takes one statement with parameters at a time, so they
//! are sent one by one there.

use sea_orm::sea_query::Values;
use sea_orm::{ConnectionTrait, DbBackend, QueryResult, Statement, TryGetable as _};

use super::error::{StoreError, StoreResult};
use super::live::Effect;
use super::rows::ScopeKey;

/// What is to be written.
#[derive(Debug, Default)]
pub(super) struct Batch(Vec<(Statement, Option<Returned>)>);

/// What a statement gives that gives a row.
#[derive(Debug)]
enum Returned {
    /// Something: that it does shows that there was a row to change.
    Anything,
    /// The new version of this scope.
    Version(ScopeKey),
}

impl Batch {
    /// Adds a statement that gives no row.
    pub(super) fn push(&mut self, statement: Statement) {
        self.0.push((statement, None));
    }

    /// Adds a statement that gives one row, or else fails.
    pub(super) fn push_one(&mut self, statement: Statement) {
        self.0.push((statement, Some(Returned::Anything)));
    }

    /// Adds a statement that gives the new version of a scope as `version`.
    pub(super) fn push_version(&mut self, statement: Statement, of: ScopeKey) {
        self.0.push((statement, Some(Returned::Version(of))));
    }

    /// Writes it all; gives what the live state has to know after the commit.
    pub(super) async fn write<C: ConnectionTrait>(self, tx: &C) -> StoreResult<Vec<Effect>> {
        if self.0.is_empty() {
            return Ok(Vec::new());
        }
        let backend = tx.get_database_backend();
        let mut returned = Vec::new();
        let mut rows = Vec::new();
        if backend == DbBackend::Sqlite {
            let mut sql =
                String::with_capacity(self.0.iter().map(|(one, _)| one.sql.len() + 2).sum());
            let mut values = Vec::new();
            for (statement, gives) in self.0 {
                if !sql.is_empty() {
                    sql.push_str(";\n");
                }
                sql.push_str(&statement.sql);
                values.extend(statement.values.into_iter().flat_map(|Values(some)| some));
                returned.extend(gives);
            }
            let statement = Statement::from_sql_and_values(backend, sql, values);
            rows = tx.query_all_raw(statement).await?;
        } else {
            for (statement, gives) in self.0 {
                match gives {
                    None => {
                        tx.execute_raw(statement).await?;
                    }
                    Some(gives) => {
                        rows.extend(tx.query_one_raw(statement).await?);
                        returned.push(gives);
                    }
                }
            }
        }
        effects(returned, rows)
    }
}

fn effects(returned: Vec<Returned>, rows: Vec<QueryResult>) -> StoreResult<Vec<Effect>> {
    if rows.len() != returned.len() {
        return Err(StoreError::Internal(
            "a row that was there is not any more".to_owned(),
        ));
    }
    let mut effects = Vec::new();
    for (returned, row) in returned.into_iter().zip(rows) {
        if let Returned::Version(scope) = returned {
            let version = i64::try_get(&row, "", "version").map_err(sea_orm::DbErr::from)?;
            effects.push(Effect::ScopeChanged(scope, version));
        }
    }
    Ok(effects)
}
