//! `vestry admin create`: make a global administrator, straight in the database.

use std::path::PathBuf;
use std::sync::Arc;

use vestry_policies::Username;

use super::database::DatabaseArg;
use super::failure::{Failure, Outcome};
use super::prompt::from_stdin;
use super::say;
use crate::clock::SystemClock;
use crate::entropy::SystemEntropy;
use crate::identity::{PasswordParams, Passwords};
use crate::store::{NewAdmin, create_admin};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The username.
    #[arg(long)]
    username: String,
    /// What people call them; the username when left out.
    #[arg(long)]
    display_name: Option<String>,
    /// Read the password from standard input; a line break at its end is not part of it.
    #[arg(long, required = true)]
    password_stdin: bool,
    /// The directory of keys and database.
    #[arg(long, env = "VESTRY_DATA", default_value = "vestry-data")]
    data: PathBuf,
    #[command(flatten)]
    database: DatabaseArg,
}

pub(super) async fn run(args: Args) -> Outcome {
    let username = Username::parse(&args.username)
        .map_err(|error| Failure::new(format!("the username is refused: {error}")))?;
    let password = from_stdin()?;
    let password = password.as_str();
    Passwords::check(password)
        .map_err(|rule| Failure::new(format!("the password is refused: {rule}")))?;
    let passwords = Passwords::new(
        PasswordParams::default(),
        Arc::new(SystemEntropy::default()),
    )?;
    let password_hash = passwords.hash(password).await?;
    let admin = NewAdmin {
        display_name: args.display_name.unwrap_or_else(|| username.to_string()),
        username: username.clone(),
        password_hash,
    };
    create_admin(
        &args.data,
        &args.database.database(),
        admin,
        Arc::new(SystemClock),
    )
    .await?;
    say(format_args!("{username} is a global administrator now"));
    Ok(())
}
