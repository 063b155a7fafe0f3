//! Where profiles are.

use std::fmt;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

use super::ProfileFile;
use crate::cli::failure::Failure;

/// The most characters of a profile's name.
const MAX_NAME: usize = 64;

/// The name of a profile: also that of a file, so it has nothing in it that a path could have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct ProfileName(String);

impl ProfileName {
    /// Reads a name.
    ///
    /// # Errors
    /// A sentence that says what a name is.
    pub(in crate::cli) fn parse(text: &str) -> Result<Self, String> {
        let is_plain =
            |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        if (1..=MAX_NAME).contains(&text.len())
            && text.bytes().all(is_plain)
            && !text.starts_with('.')
        {
            Ok(Self(text.to_owned()))
        } else {
            Err(format!(
                "a profile's name is 1 to {MAX_NAME} of A-Z, a-z, 0-9, `-`, `_` and `.`, and begins with no dot"
            ))
        }
    }
}

impl fmt::Display for ProfileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The directory of profiles, and of what else the command line keeps.
#[derive(Debug, Clone)]
pub(in crate::cli) struct Profiles(PathBuf);

impl Profiles {
    /// The directory that was asked for, or the platform's (XDG on Unix).
    ///
    /// # Errors
    /// When there is no home directory.
    pub(in crate::cli) fn locate(asked: Option<&Path>) -> Result<Self, Failure> {
        if let Some(asked) = asked {
            return Ok(Self(asked.to_owned()));
        }
        let strategy = etcetera::choose_base_strategy().map_err(|error| {
            Failure::new(format!(
                "cannot tell where configuration goes: {error}; set VESTRY_CONFIG to a directory"
            ))
        })?;
        Ok(Self(strategy.config_dir().join("vestry")))
    }

    /// The directory.
    pub(in crate::cli) fn directory(&self) -> &Path {
        &self.0
    }

    /// The file of a profile, which may not be there.
    pub(in crate::cli) fn file(&self, name: &ProfileName) -> ProfileFile {
        ProfileFile::new(self.0.clone(), name.clone())
    }
}
