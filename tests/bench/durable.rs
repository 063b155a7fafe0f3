//! The yardstick of publishing: one durable row after the other, through sqlx, with the settings of Vestry's writer.

use std::path::Path;
use std::time::{Duration, Instant};

use sea_orm::sqlx::sqlite::{SqliteJournalMode, SqliteSynchronous};
use sea_orm::{ConnectOptions, ConnectionTrait as _, Database, DbBackend, Statement};

/// Rows a second.
pub(crate) fn rows_per_second(directory: &Path, time: Duration) -> f64 {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let path = directory.join("durable.db");
        let mut options = ConnectOptions::new(format!("sqlite://{}?mode=rwc", path.display()));
        options.max_connections(1).sqlx_logging(false);
        options.map_sqlx_sqlite_opts(|options| {
            options
                .journal_mode(SqliteJournalMode::Wal)
                .synchronous(SqliteSynchronous::Full)
        });
        let db = Database::connect(options).await.unwrap();
        db.execute_unprepared(
            "CREATE TABLE IF NOT EXISTS kept (number INTEGER PRIMARY KEY, body BLOB NOT NULL)",
        )
        .await
        .unwrap();
        let body = vec![b'x'; 5 * 1024];
        let begin = Instant::now();
        let mut rows = 0_u32;
        while begin.elapsed() < time {
            db.execute_raw(Statement::from_sql_and_values(
                DbBackend::Sqlite,
                "INSERT INTO kept (body) VALUES ($1)",
                [body.clone().into()],
            ))
            .await
            .unwrap();
            rows += 1;
        }
        let per_second = f64::from(rows) / begin.elapsed().as_secs_f64();
        db.close().await.unwrap();
        per_second
    })
}
