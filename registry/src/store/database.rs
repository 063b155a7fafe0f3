//! Which database a store keeps its rows in.

use std::fmt;

use sea_orm::sqlx::postgres::PgConnectOptions;

/// The parameters of a URL that the driver knows.
const PARAMETERS: [&str; 13] = [
    "sslmode",
    "sslrootcert",
    "sslcert",
    "sslkey",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
    "statement-cache-capacity",
];

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
        let rest = ["postgres://", "postgresql://"]
            .into_iter()
            .find_map(|scheme| url.strip_prefix(scheme));
        let Some(rest) = rest else {
            return Err(
                "write the URL of a PostgreSQL database, such as `postgres://user@host:5432/vestry`; SQLite needs none, only --data"
                    .to_owned(),
            );
        };
        let parameters = rest
            .split_once('?')
            .map_or("", |(_, parameters)| parameters);
        // The driver would log one that it does not know, with its value.
        let unknown = parameters
            .split('&')
            .filter_map(|pair| pair.split('=').next())
            .find(|name| !name.is_empty() && !PARAMETERS.contains(name));
        if let Some(name) = unknown {
            return Err(format!(
                "the parameter `{}` is not known; those of a URL are {}",
                name.escape_default(),
                PARAMETERS.join(", ")
            ));
        }
        // The driver knows the shorter of the two names.
        let url = format!("postgres://{rest}");
        // Never with what is wrong: it may be a part of the password.
        match url.parse::<PgConnectOptions>() {
            Ok(_) => Ok(Self::Postgres(url)),
            Err(_) => Err(
                "the URL cannot be read: write one host, and `%23`, `%2F`, `%3F` and `%40` for `#`, `/`, `?` and `@` in a password"
                    .to_owned(),
            ),
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

#[cfg(test)]
mod tests {
    use super::Database;

    #[test]
    fn a_url_is_read_or_refused_without_its_password() {
        for url in [
            "postgres://vestry@db.example.com/vestry",
            "postgresql://vestry:secret@127.0.0.1:5432/vestry?sslmode=verify-full&sslrootcert=/ca.pem",
        ] {
            let Ok(Database::Postgres(read)) = Database::parse(url) else {
                panic!("{url}");
            };
            assert!(read.starts_with("postgres://"), "{read}");
        }
        for url in [
            "",
            "sqlite://x",
            "mysql://vestry:secret@host/x",
            "postgres://vestry:secret@a:5432,b:5432/x",
            "postgres://vestry:secret@host:port/x",
            "postgres://vestry:sec#ret@host/x",
            "postgres://host/x?sslpassword=secret",
        ] {
            let refused = Database::parse(url).unwrap_err();
            assert!(
                !refused.contains("secret") && !refused.contains("ret@"),
                "{refused}"
            );
        }
    }
}
