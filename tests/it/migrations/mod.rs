//! The migrations on PostgreSQL: tables, guards, policies, privileges and functions, beside what SQLite has.
//!
//! The owner of the databases and the role of servers have names that have to be quoted wherever they are written.

mod cases;
mod functions;
mod guards;
mod schema;
mod walls;

use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DatabaseTransaction, DbErr,
    Statement, TransactionTrait as _, TryGetable,
};

use crate::harness::postgres::{Template, TestDatabase};

/// The role that owns databases and runs migrations. Not a superuser: policies hold for it.
const OWNER: &str = "vestry owner";
/// The role that a server connects as.
const APP: &str = "vestry \"app\"";

/// A database without anything in it.
struct Empty(TestDatabase);

impl Empty {
    /// One that is the owner's; none where there is no PostgreSQL.
    async fn new() -> Option<Self> {
        static EMPTY: Template = Template::new("migrations");
        let database = EMPTY.database(async |_| {}).await?;
        for role in [OWNER, APP] {
            let literal = role.replace('"', "\"\"");
            let sql = format!(
                "DO $$ BEGIN CREATE ROLE \"{literal}\" LOGIN NOSUPERUSER NOBYPASSRLS; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;\n"
            );
            database.cluster.sql("postgres", &sql).await;
        }
        let sql = format!("ALTER DATABASE {} OWNER TO \"{OWNER}\"", database.name);
        database.cluster.sql("postgres", &sql).await;
        Some(Self(database))
    }

    /// Connections as a role, at most four.
    async fn connect(&self, role: &str) -> DatabaseConnection {
        let encoded: String = role.bytes().map(|byte| format!("%{byte:02x}")).collect();
        connect(&self.0.cluster.url(&encoded, &self.0.name)).await
    }

    /// Connections as the role that may do everything, also see every row.
    async fn superuser(&self) -> DatabaseConnection {
        connect(&self.0.superuser_url).await
    }
}

async fn connect(url: &str) -> DatabaseConnection {
    let mut options = ConnectOptions::new(url);
    options.sqlx_logging(false).max_connections(4);
    Database::connect(options).await.unwrap()
}

/// A database with all migrations, and the application's role; none where there is no PostgreSQL.
async fn migrated() -> Option<Empty> {
    let database = Empty::new().await?;
    let owner = database.connect(OWNER).await;
    vestry_migration::migrate(&owner, Some(APP)).await.unwrap();
    owner.close().await.unwrap();
    Some(database)
}

/// A transaction that sees these tenants.
async fn as_tenants(db: &DatabaseConnection, tenants: &str) -> DatabaseTransaction {
    let tx = db.begin().await.unwrap();
    tx.execute_unprepared(&format!("SELECT vestry_begin('{tenants}', '')"))
        .await
        .unwrap();
    tx
}

/// The first column of every row.
async fn column<T: TryGetable, C: ConnectionTrait>(db: &C, sql: &str) -> Result<Vec<T>, DbErr> {
    let asked = Statement::from_string(db.get_database_backend(), sql);
    db.query_all_raw(asked)
        .await?
        .iter()
        .map(|row| row.try_get_by_index(0))
        .collect()
}

/// The first column of the only row.
async fn value<T: TryGetable, C: ConnectionTrait>(db: &C, sql: &str) -> T {
    let mut rows = column(db, sql).await.unwrap();
    assert_eq!(rows.len(), 1, "{sql}");
    rows.remove(0)
}

/// What a statement is refused with.
async fn refusal<C: ConnectionTrait>(db: &C, sql: &str) -> String {
    match db.execute_unprepared(sql).await {
        Ok(_) => panic!("was not refused: {sql}"),
        Err(error) => error.to_string(),
    }
}
