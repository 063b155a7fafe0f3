//! Skills by the hundred thousand, straight into the database: copies of what one actor published, for others.

use std::path::Path;

use sea_orm::sqlx::sqlite::SqliteSynchronous;
use sea_orm::{
    ConnectOptions, ConnectionTrait as _, Database, DatabaseConnection, DbBackend, Statement,
};

/// The tables that have rows for each skill or scope. What a scope has in number is kept by a trigger.
const TABLES: [&str; 3] = ["skills", "revisions", "scope_versions"];

/// How the database calls the scope of an actor. It is named so that an index finds the one actor's rows among all.
const ACTOR: i16 = 2;

/// Gives the actors `filler-FIRST` to before `filler-LAST` what `filler-0` has, under names of their own. No server may run.
pub(crate) fn of_the_first_actor(directory: &Path, postgres: Option<&str>, first: u64, last: u64) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let db = match postgres {
            Some(url) => connect_postgres(url).await,
            None => connect_sqlite(directory).await,
        };
        for table in TABLES {
            let columns = columns(&db, table).await;
            let copied: Vec<String> = columns
                .iter()
                .map(|column| match column.as_str() {
                    "scope_id" => "'filler-' || number_of_copy".to_owned(),
                    "name" | "description" => {
                        format!("replace({column}, 'skill-0-', 'skill-' || number_of_copy || '-')")
                    }
                    _ => column.clone(),
                })
                .collect();
            let copies = db
                .execute_unprepared(&format!(
                    "WITH RECURSIVE copies(number_of_copy) AS (SELECT {first} UNION ALL \
                 SELECT number_of_copy + 1 FROM copies WHERE number_of_copy + 1 < {last}) \
                 INSERT INTO {table} ({}) SELECT {} FROM copies CROSS JOIN {table} \
                 WHERE tenant = 'filler' AND scope_id = 'filler-0' AND scope_kind = {ACTOR}",
                    columns.join(", "),
                    copied.join(", "),
                ))
                .await
                .unwrap();
            assert!(
                copies.rows_affected() >= last - first,
                "{table} has no rows to copy"
            );
        }
        db.close().await.unwrap();
    });
}

async fn connect_sqlite(directory: &Path) -> DatabaseConnection {
    let path = directory.join("vestry.db");
    let mut options = ConnectOptions::new(format!("sqlite://{}?mode=rw", path.display()));
    options.max_connections(1).sqlx_logging(false);
    // The bench may lose it all: it is filled again.
    options.map_sqlx_sqlite_opts(|options| options.synchronous(SqliteSynchronous::Off));
    Database::connect(options).await.unwrap()
}

async fn connect_postgres(url: &str) -> DatabaseConnection {
    let mut options = ConnectOptions::new(url);
    options.max_connections(1).sqlx_logging(false);
    let db = Database::connect(options).await.unwrap();
    db.execute_unprepared("SET vestry.tenants = '*'")
        .await
        .unwrap();
    db
}

async fn columns(db: &DatabaseConnection, table: &str) -> Vec<String> {
    let backend = db.get_database_backend();
    let sql = match backend {
        DbBackend::Postgres => format!(
            "SELECT column_name::text FROM information_schema.columns \
             WHERE table_schema = current_schema() AND table_name = '{table}' ORDER BY ordinal_position"
        ),
        _ => format!("SELECT name FROM pragma_table_info('{table}')"),
    };
    let asked = Statement::from_string(backend, sql);
    db.query_all_raw(asked)
        .await
        .unwrap()
        .iter()
        .map(|row| row.try_get_by_index(0).unwrap())
        .collect()
}
