//! `vestry admin create`: make a global administrator, straight in the database.

use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;

use vestry_policies::Username;

use super::{Failure, Outcome, say};
use crate::clock::SystemClock;
use crate::entropy::SystemEntropy;
use crate::identity::{PasswordParams, Passwords};
use crate::store::{NewAdmin, create_admin};

/// The most bytes that are read as a password.
const MAX_INPUT: u64 = 4_096;

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
}

pub(super) async fn run(args: Args) -> Outcome {
    let username = Username::parse(&args.username)
        .map_err(|error| Failure(format!("the username is refused: {error}")))?;
    let mut input = String::new();
    std::io::stdin()
        .take(MAX_INPUT)
        .read_to_string(&mut input)
        .map_err(|error| {
            Failure(format!(
                "cannot read the password from standard input: {error}"
            ))
        })?;
    let password = input.strip_suffix('\n').unwrap_or(&input);
    let password = password.strip_suffix('\r').unwrap_or(password);
    Passwords::check(password)
        .map_err(|rule| Failure(format!("the password is refused: {rule}")))?;
    let passwords = Passwords::new(PasswordParams::default(), Arc::new(SystemEntropy))?;
    let password_hash = passwords.hash(password).await?;
    let admin = NewAdmin {
        display_name: args.display_name.unwrap_or_else(|| username.to_string()),
        username: username.clone(),
        password_hash,
    };
    create_admin(&args.data, admin, Arc::new(SystemClock)).await?;
    say(format_args!("{username} is a global administrator now"));
    Ok(())
}
