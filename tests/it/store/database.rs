//! The database of a server, opened beside it: for looking at what is stored, and for tampering with it.

mod cells;
mod search;

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::Path;

use sea_orm::{
    ConnectOptions, ConnectionTrait as _, Database, DatabaseConnection, DbBackend, QueryResult,
    Statement,
};

use crate::harness::Directory;

pub(crate) use cells::Kind;
pub(crate) use search::is_stored;

pub(crate) struct File(DatabaseConnection);

impl File {
    /// Opens the database of the servers on a directory. On PostgreSQL as the superuser: no policy hides a row.
    pub(crate) async fn of(directory: &Directory) -> Self {
        match directory.postgres().await {
            Some(database) => Self::connect(database.superuser_url.clone()).await,
            None => Self::open(directory.path()).await,
        }
    }

    /// Opens a database of PostgreSQL as the role that a URL names.
    pub(crate) async fn at_url(url: &str) -> Self {
        Self::connect(url.to_owned()).await
    }

    /// Opens `vestry.db` of a directory.
    pub(crate) async fn open(directory: &Path) -> Self {
        Self::at(&directory.join("vestry.db")).await
    }

    /// Opens a database file.
    pub(crate) async fn at(path: &Path) -> Self {
        Self::connect(format!("sqlite://{}?mode=rw", path.display())).await
    }

    async fn connect(url: String) -> Self {
        let mut options = ConnectOptions::new(url);
        options.max_connections(1).sqlx_logging(false);
        Self(Database::connect(options).await.unwrap())
    }

    fn is_postgres(&self) -> bool {
        self.0.get_database_backend() == DbBackend::Postgres
    }

    /// Runs statements; the message when one is refused.
    pub(crate) async fn try_run(&self, sql: &str) -> Result<(), String> {
        self.0
            .execute_unprepared(&self.spelled(sql))
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
        let backend = self.0.get_database_backend();
        self.0
            .query_all_raw(Statement::from_string(backend, self.spelled(sql)))
            .await
            .unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// One number.
    pub(crate) async fn number(&self, sql: &str) -> i64 {
        let row = &self.rows(sql).await[0];
        row.try_get_by_index(0)
            // What PostgreSQL counts in 32 bits or calls true, SQLite counts in 64.
            .or_else(|_| row.try_get_by_index::<i32>(0).map(i64::from))
            .or_else(|_| row.try_get_by_index::<bool>(0).map(i64::from))
            .unwrap()
    }

    /// Lets later statements of this connection do what the triggers keep a client of the database from.
    pub(crate) async fn suspend_triggers(&self) {
        match self.0.get_database_backend() {
            DbBackend::Postgres => self.run("SET session_replication_role = replica").await,
            _ => self.run(WITHOUT_TRIGGERS).await,
        }
    }

    /// As `suspend_triggers`, for the files and blobs of revisions too.
    pub(crate) async fn let_content_change(&self) {
        match self.0.get_database_backend() {
            DbBackend::Postgres => self.suspend_triggers().await,
            _ => {
                self.run(
                    "DROP TRIGGER IF EXISTS revisions_are_immutable; \
                     DROP TRIGGER IF EXISTS revision_files_are_immutable; DROP TRIGGER IF EXISTS revision_files_are_kept; \
                     DROP TRIGGER IF EXISTS blobs_are_immutable; DROP TRIGGER IF EXISTS blobs_of_revisions_are_kept;",
                )
                .await;
            }
        }
    }

    /// Lets many small changes go fast where each would wait for the disk; the test's PostgreSQL waits for none.
    pub(crate) async fn wait_for_no_disk(&self) {
        if self.0.get_database_backend() == DbBackend::Sqlite {
            self.run("PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF")
                .await;
        }
    }

    /// The bytes of a column with the one at a place, counted from 1, replaced by another.
    pub(crate) fn with_byte(&self, column: &str, at: impl Display, byte: &str) -> String {
        match self.0.get_database_backend() {
            DbBackend::Postgres => format!("overlay({column} placing {byte} from {at} for 1)"),
            _ => format!(
                "CAST(substr({column}, 1, {at} - 1) || {byte} || substr({column}, {at} + 1) AS BLOB)"
            ),
        }
    }

    /// The bytes of a column, which are text, with a word replaced by another.
    pub(crate) fn with_word(&self, column: &str, word: &str, by: &str) -> String {
        match self.0.get_database_backend() {
            DbBackend::Postgres => format!(
                "convert_to(replace(convert_from({column}, 'UTF8'), '{word}', '{by}'), 'UTF8')"
            ),
            _ => format!("CAST(replace(CAST({column} AS TEXT), '{word}', '{by}') AS BLOB)"),
        }
    }

    /// The statement as this database spells it; tests write bytes as `x'00'`.
    fn spelled(&self, sql: &str) -> String {
        if self.0.get_database_backend() != DbBackend::Postgres {
            return sql.to_owned();
        }
        let mut spelled = String::new();
        let mut rest = sql;
        while let Some((before, after)) = rest.split_once("x'") {
            let digits = after.split('\'').next().unwrap_or_default();
            // The end of a text, or a text of one letter.
            let is_text =
                before.ends_with(|last: char| last.is_ascii_alphanumeric() || last == '\'');
            if is_text || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                spelled.push_str(before);
                spelled.push_str("x'");
                rest = after;
                continue;
            }
            spelled.push_str(&format!("{before}'\\x{digits}'::bytea"));
            rest = &after[(digits.len() + 1).min(after.len())..];
        }
        spelled + rest
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
        if self.is_postgres() {
            return self.suspend_triggers().await;
        }
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

/// Bytes as a test's statement has them.
fn as_bytes(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("x'{digits}'")
}

/// What drops the triggers that keep a client of the database from doing what these tests do.
const WITHOUT_TRIGGERS: &str = "DROP TRIGGER audit_is_append_only_update; \
    DROP TRIGGER audit_is_append_only_delete; DROP TRIGGER revisions_are_immutable; DROP TRIGGER revisions_are_kept; \
    DROP TRIGGER audit_goes_on; DROP TRIGGER audit_heads_begin; DROP TRIGGER audit_heads_go_on; \
    DROP TRIGGER audit_heads_are_kept; DROP TRIGGER journal_goes_on; DROP TRIGGER journal_is_append_only; \
    DROP TRIGGER journal_is_kept; DROP TRIGGER snapshots_are_immutable; DROP TRIGGER snapshots_are_not_replaced; \
    DROP TRIGGER revisions_are_not_replaced; DROP TRIGGER revision_files_are_not_replaced;";
