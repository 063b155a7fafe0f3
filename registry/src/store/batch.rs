//! Statements that are written together.
//!
//! SQLite's connection has a thread of its own, and the way there and back costs more than what most statements do. A
//! write therefore gathers those whose outcome it does not look at, and they go at once, in their order, inside the
//! transaction of the write. The first that fails ends it.

use sea_orm::sea_query::Values;
use sea_orm::{ConnectionTrait, DbBackend, Statement, TryGetable as _};

use super::error::{StoreError, StoreResult};
use super::live::Effect;
use super::rows::ScopeKey;

/// What is to be written.
#[derive(Debug, Default)]
pub(super) struct Batch {
    statements: Vec<Statement>,
    returned: Vec<Returned>,
}

/// What a statement gives that gives a row.
#[derive(Debug)]
enum Returned {
    /// Something: that it does shows that there was a row to change.
    Anything,
    /// The new version of this scope.
    Version(ScopeKey),
}

/// What the statements are built for. Their parameters have no numbers there, so that one text can follow another; for a
/// database that takes one statement at a time they would be sent one by one.
pub(super) const BACKEND: DbBackend = DbBackend::Sqlite;

impl Batch {
    /// Adds a statement that gives no row.
    pub(super) fn push(&mut self, statement: Statement) {
        self.statements.push(statement);
    }

    /// Adds a statement that gives one row, or else fails.
    pub(super) fn push_one(&mut self, statement: Statement) {
        self.statements.push(statement);
        self.returned.push(Returned::Anything);
    }

    /// Adds a statement that gives the new version of a scope as `version`.
    pub(super) fn push_version(&mut self, statement: Statement, of: ScopeKey) {
        self.statements.push(statement);
        self.returned.push(Returned::Version(of));
    }

    /// Writes it all; gives what the live state has to know after the commit.
    pub(super) async fn write<C: ConnectionTrait>(self, tx: &C) -> StoreResult<Vec<Effect>> {
        let Self {
            statements,
            returned,
        } = self;
        if statements.is_empty() {
            return Ok(Vec::new());
        }
        let mut sql = String::with_capacity(statements.iter().map(|one| one.sql.len() + 2).sum());
        let mut values = Vec::new();
        for statement in statements {
            if !sql.is_empty() {
                sql.push_str(";\n");
            }
            sql.push_str(&statement.sql);
            values.extend(statement.values.into_iter().flat_map(|Values(some)| some));
        }
        let statement = Statement::from_sql_and_values(BACKEND, sql, values);
        let rows = tx.query_all_raw(statement).await?;
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
}
