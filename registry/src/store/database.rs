//! Which database a store keeps its rows in.

use std::fmt;

/// Where the rows are.
#[derive(Clone, PartialEq, Eq, Default)]
pub enum Database {
    /// The embedded SQLite, in one file of the data directory.
    #[default]
    Sqlite,
    /// A PostgreSQL that any number of replicas share. The URL is libpq's (`postgres://user:password@host:port/name?sslmode=…`)
    /// and may hold a password: it is never logged.
    Postgres(String),
}

impl Database {
    /// The database that a URL names.
    ///
    /// # Errors
    /// One sentence, for a URL that names none that the store knows.
    pub fn parse(url: &str) -> Result<Self, String> {
        let is_postgres = ["postgres://", "postgresql://"]
            .into_iter()
            .any(|scheme| url.starts_with(scheme));
        if is_postgres {
            // The driver knows the shorter of the two names.
            let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
            Ok(Self::Postgres(format!("postgres://{rest}")))
        } else {
            Err(
                "write the URL of a PostgreSQL database, such as `postgres://user@host:5432/vestry`; SQLite needs none, only --data"
                    .to_owned(),
            )
        }
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Sqlite => "Sqlite",
            Self::Postgres(_) => "Postgres",
        })
    }
}
