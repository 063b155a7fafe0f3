//! What every client command takes.

use std::path::PathBuf;

use super::failure::Failure;
use super::output::{ColorChoice, Out};
use super::profile::{ProfileName, Profiles};
use crate::client::ServerUrl;

/// Options of every command that talks to a server, and of what it prints.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Options of every client command")]
pub(super) struct Options {
    /// The server's URL; the profile's when left out.
    #[arg(long, global = true, env = "VESTRY_SERVER", value_name = "URL", value_parser = ServerUrl::parse)]
    pub(super) server: Option<ServerUrl>,
    /// An access token or an API key, instead of the profile's. Others can read command lines: prefer the variable.
    #[arg(
        long,
        global = true,
        env = "VESTRY_TOKEN",
        hide_env_values = true,
        value_name = "TOKEN"
    )]
    pub(super) token: Option<String>,
    /// The profile that `vestry login` wrote.
    #[arg(long, global = true, env = "VESTRY_PROFILE", value_name = "NAME", value_parser = ProfileName::parse,
          default_value = "default")]
    pub(super) profile: ProfileName,
    /// The directory of profiles; `vestry` in the platform's configuration directory when left out.
    #[arg(long, global = true, env = "VESTRY_CONFIG", value_name = "DIR")]
    pub(super) config: Option<PathBuf>,
    /// Print JSON, for scripts.
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// When to use colours. NO_COLOR switches them off too.
    #[arg(long, global = true, value_name = "WHEN", value_enum, default_value_t)]
    pub(super) color: ColorChoice,
}

impl Options {
    /// How to print.
    pub(super) fn out(&self) -> Out {
        Out::new(self.json, self.color)
    }

    /// The profiles.
    ///
    /// # Errors
    /// When this machine says of no directory that configuration goes there.
    pub(super) fn profiles(&self) -> Result<Profiles, Failure> {
        Profiles::locate(self.config.as_deref())
    }
}
