//! `vestry admin keys`: show and rotate the keys that sign tokens and offers. A running server reads them at its start.

use std::path::PathBuf;

use super::failure::{Failure, Outcome};
use super::say;
use crate::entropy::SystemEntropy;
use crate::identity::{KeyRings, Ring, rotate_begin, rotate_promote, rotate_retire};
use crate::server::{DEFAULT_ISSUER, checkpoint_key_file, create_keys, keys_file};

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Make the keys of a new installation, for servers on PostgreSQL: every replica is given the same files. Keys that are there stay.
    Create(NewKeys),
    /// Show the keys by their fingerprints.
    Show(Where),
    /// Step 1: add a key that is accepted but does not sign yet. Restart every server after it.
    Begin(WhichRing),
    /// Step 2: let the newest accepted key sign. Restart every server after it.
    Promote(WhichRing),
    /// Drop the keys that do not sign, once nothing that they signed is in use any more.
    Retire(WhichRing),
}

#[derive(Debug, clap::Args)]
pub(super) struct Where {
    /// The directory of keys and database.
    #[arg(long, env = "VESTRY_DATA", default_value = "vestry-data")]
    data: PathBuf,
}

#[derive(Debug, clap::Args)]
pub(super) struct NewKeys {
    /// The issuer that the servers are started with; the key of checkpoints is named after it.
    #[arg(long, env = "VESTRY_ISSUER", default_value = DEFAULT_ISSUER)]
    issuer: String,
    #[command(flatten)]
    place: Where,
}

#[derive(Debug, clap::Args)]
pub(super) struct WhichRing {
    /// The ring: human, elevated, agent, offer or cursor.
    #[arg(long)]
    ring: String,
    #[command(flatten)]
    place: Where,
}

pub(super) fn run(command: Command) -> Outcome {
    let _lock = lock(&command)?;
    match command {
        Command::Create(new) => {
            let data = &new.place.data;
            create_keys(data, &new.issuer, &SystemEntropy::default())?;
            say(format_args!(
                "the keys are in {} and {}: give every replica the same",
                keys_file(data).display(),
                checkpoint_key_file(data).display()
            ));
        }
        Command::Show(place) => {
            for key in KeyRings::load(&keys_file(&place.data))?.fingerprints() {
                say(format_args!(
                    "{:<9} {:<18} {:<7} {}",
                    key.ring.as_str(),
                    key.kid,
                    format!("{:?}", key.state).to_lowercase(),
                    key.fingerprint
                ));
            }
        }
        Command::Begin(which) => {
            let kid = rotate_begin(
                &keys_file(&which.place.data),
                ring(&which)?,
                &SystemEntropy::default(),
            )?;
            say(format_args!(
                "added {kid}: restart every server, then run `vestry admin keys promote`"
            ));
        }
        Command::Promote(which) => {
            let kid = rotate_promote(
                &keys_file(&which.place.data),
                ring(&which)?,
                &SystemEntropy::default(),
            )?;
            say(format_args!(
                "{kid} signs from the next start on: restart every server"
            ));
        }
        Command::Retire(which) => {
            let kids = rotate_retire(
                &keys_file(&which.place.data),
                ring(&which)?,
                &SystemEntropy::default(),
            )?;
            say(format_args!(
                "dropped {} keys: restart every server",
                kids.len()
            ));
        }
    }
    Ok(())
}

/// Two rotations at once would each write without the other's key. A running server holds another lock: it only reads.
fn lock(command: &Command) -> Result<std::fs::File, Failure> {
    let place = match command {
        Command::Create(new) => {
            crate::store::directory::create(&new.place.data)?;
            &new.place
        }
        Command::Show(place) => place,
        Command::Begin(which) | Command::Promote(which) | Command::Retire(which) => &which.place,
    };
    let path = place.data.join("keys.lock");
    let file = std::fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|error| {
            Failure::new(format!(
                "cannot open {}: {error}; is --data right?",
                path.display()
            ))
        })?;
    file.lock()?;
    Ok(file)
}

fn ring(which: &WhichRing) -> Result<Ring, Failure> {
    Ring::parse(&which.ring).ok_or_else(|| {
        let names: Vec<&str> = Ring::ALL.iter().map(|ring| ring.as_str()).collect();
        Failure::new(format!(
            "there is no ring `{}`; choose one of {}",
            which.ring,
            names.join(", ")
        ))
    })
}
