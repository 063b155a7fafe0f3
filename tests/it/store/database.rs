//! The database file of a stopped server, opened beside it: for looking at what is stored, and for tampering with it.

use std::path::Path;

use sea_orm::{
    ConnectOptions, ConnectionTrait as _, Database, DatabaseConnection, DbBackend, QueryResult,
    Statement,
};

pub(crate) struct File(DatabaseConnection);

impl File {
    /// Opens `vestry.db` of a directory.
    pub(crate) async fn open(directory: &Path) -> Self {
        let mut options = ConnectOptions::new(format!(
            "sqlite://{}?mode=rw",
            directory.join("vestry.db").display()
        ));
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
