//! `vestry migrate`: bring the schema of a PostgreSQL database up to this version, apart from serving.

use serde_json::json;

use super::failure::Outcome;
use super::options::Options;
use crate::store::{Database, migrate_postgres};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The PostgreSQL database, as the role that owns its tables.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, value_name = "URL", value_parser = Database::parse)]
    database_url: Database,
    /// The role that servers connect as; it is given what they need, and no more. Left out, the owner is used for that too.
    #[arg(long, env = "VESTRY_APP_ROLE", value_name = "ROLE")]
    app_role: Option<String>,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let applied = match &args.database_url {
        Database::Postgres(url) => migrate_postgres(url, args.app_role.as_deref()).await?,
        // SQLite's are run by the server that opens the file.
        Database::Sqlite => Vec::new(),
    };
    let out = options.out();
    if out.is_json() {
        return out.json(&json!({ "applied": applied }));
    }
    let mut text = String::new();
    for name in &applied {
        text.push_str(&format!("applied {name}\n"));
    }
    match applied.len() {
        0 => text.push_str("the schema is up to date\n"),
        1 => text.push_str("1 migration was applied\n"),
        number => text.push_str(&format!("{number} migrations were applied\n")),
    }
    out.text(&text)
}
