//! The flag that chooses the database.

use crate::store::Database;

#[derive(Debug, clap::Args)]
pub(super) struct DatabaseArg {
    /// The PostgreSQL database that replicas share, such as `postgres://vestry@db.example.com/vestry`; SQLite in the data directory
    /// when left out. A password is better given in the environment.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, value_name = "URL", value_parser = Database::parse)]
    database_url: Option<Database>,
}

impl DatabaseArg {
    /// The database.
    pub(super) fn database(&self) -> Database {
        self.database_url.clone().unwrap_or_default()
    }
}
