//! The database file of a stopped server, opened beside it: for looking at what is stored, and for tampering with it.

use std::collections::BTreeMap;
use std::path::Path;

use sea_orm::{
    ConnectOptions, ConnectionTrait as _, Database, DatabaseConnection, DbBackend, QueryResult,
    Statement,
};

pub(crate) struct File(DatabaseConnection);

impl File {
    /// Opens `vestry.db` of a directory.
    pub(crate) async fn open(directory: &Path) -> Self {
        Self::at(&directory.join("vestry.db")).await
    }

    /// Opens a database file.
    pub(crate) async fn at(path: &Path) -> Self {
        let mut options = ConnectOptions::new(format!("sqlite://{}?mode=rw", path.display()));
        options.max_connections(1).sqlx_logging(false);
        Self(Database::connect(options).await.unwrap())
    }

    /// Runs statements; the message when one is refused.
    pub(crate) async fn try_run(&self, sql: &str) -> Result<(), String> {
        self.0
            .execute_unprepared(sql)
            .await
            .map(|_| ())
            .map_err(|error| error.to_string())
    }

    pub(crate) async fn run(&self, sql: &str) {
        self.try_run(sql)
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    pub(crate) async fn rows(&self, sql: &str) -> Vec<QueryResult> {
        self.0
            .query_all_raw(Statement::from_string(DbBackend::Sqlite, sql))
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// One number.
    pub(crate) async fn number(&self, sql: &str) -> i64 {
        self.rows(sql).await[0].try_get_by_index(0).unwrap()
    }

    /// Every row of every table, as SQL writes its values, and the statements that made the schema.
    pub(crate) async fn dump(&self) -> BTreeMap<String, Vec<String>> {
        let mut dump = BTreeMap::new();
        let texts = |rows: Vec<QueryResult>| -> Vec<String> {
            rows.iter()
                .map(|row| row.try_get_by_index(0).unwrap())
                .collect()
        };
        let schema = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
        dump.insert(String::new(), texts(self.rows(schema).await));
        let tables =
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        for table in texts(self.rows(tables).await) {
            let columns = format!("SELECT name FROM pragma_table_info('{table}')");
            let columns: Vec<String> = texts(self.rows(&columns).await)
                .iter()
                .map(|column| format!("quote(\"{column}\")"))
                .collect();
            let rows = format!(
                "SELECT {} FROM {table} ORDER BY 1",
                columns.join(" || ',' || ")
            );
            dump.insert(table, texts(self.rows(&rows).await));
        }
        dump
    }

    /// Drops the triggers that keep a client of the database from changing what is kept.
    pub(crate) async fn drop_triggers(&self) {
        let names = "SELECT name FROM sqlite_schema WHERE type = 'trigger'";
        for row in self.rows(names).await {
            let name: String = row.try_get_by_index(0).unwrap();
            self.run(&format!("DROP TRIGGER {name}")).await;
        }
    }

    pub(crate) async fn close(self) {
        self.0.close().await.unwrap();
    }
}

/// What drops the triggers that keep a client of the database from doing what these tests do.
pub(super) const WITHOUT_TRIGGERS: &str = "DROP TRIGGER audit_is_append_only_update; \
    DROP TRIGGER audit_is_append_only_delete; DROP TRIGGER revisions_are_immutable; DROP TRIGGER revisions_are_kept; \
    DROP TRIGGER audit_goes_on; DROP TRIGGER audit_heads_begin; DROP TRIGGER audit_heads_go_on; \
    DROP TRIGGER audit_heads_are_kept; DROP TRIGGER journal_goes_on; DROP TRIGGER journal_is_append_only; \
    DROP TRIGGER journal_is_kept; DROP TRIGGER snapshots_are_immutable; DROP TRIGGER snapshots_are_not_replaced; \
    DROP TRIGGER revisions_are_not_replaced; DROP TRIGGER revision_files_are_not_replaced;";
