//! `vestry db copy`: move a grown installation from SQLite to PostgreSQL.

use serde_json::json;

use crate::cli::backup::progress;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;
use crate::cli::verify::{counts, parts};
use crate::store::{Database, copy_to_postgres, sqlite_file};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The SQLite database: `sqlite://DIR/vestry.db`, or the data directory. Stop its server first: what it writes after the copy
    /// began is not in it.
    #[arg(long, value_name = "URL")]
    from: String,
    /// The PostgreSQL database, empty but for `vestry migrate`, as the role that servers connect as.
    #[arg(long, value_name = "URL", env = "DATABASE_URL", hide_env_values = true, value_parser = Database::parse)]
    to: Database,
}

pub(super) async fn run(options: &Options, Args { from, to }: Args) -> Outcome {
    let Database::Postgres(url) = &to else {
        return Err(Failure::new(
            "give the URL of a PostgreSQL database as --to",
        ));
    };
    let file = sqlite_file(&from);
    let progress = progress("copying");
    let copied = copy_to_postgres(&file, url).await;
    progress.finish_and_clear();
    let copied = copied?;
    let rows: u64 = copied.rows.iter().map(|(_, rows)| rows).sum();
    let answer = json!({
        "rows": rows,
        "tables": copied.rows.iter().map(|(table, rows)| json!({"table": table, "rows": rows})).collect::<Vec<_>>(),
        "parts": parts(&copied.verified),
    });
    options.out().either(&answer, || {
        format!(
            "copied {rows} rows of {} tables, and verified them ({}): give servers the keys of the old data directory, and --database-url",
            copied.rows.len(),
            counts(&copied.verified)
        )
    })
}
