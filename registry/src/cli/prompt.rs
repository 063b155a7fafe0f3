//! Asking for passwords: without an echo, or from standard input.

use std::io::{IsTerminal as _, Read as _};

use super::failure::Failure;

/// The most bytes that are read as a password.
const MAX_INPUT: u64 = 4_096;

/// How a command gets a password.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct PasswordFrom {
    /// Read the password from standard input; a line break at its end is not part of it.
    #[arg(long)]
    password_stdin: bool,
}

impl PasswordFrom {
    /// Asks for a password.
    ///
    /// # Errors
    /// When there is nobody to ask, or nothing to read.
    pub(super) fn ask(self, question: &str) -> Result<String, Failure> {
        if self.password_stdin {
            return from_stdin();
        }
        prompt(question)
    }

    /// Asks for a new password, twice where a human types it.
    ///
    /// # Errors
    /// As [`PasswordFrom::ask`], and when the two differ.
    pub(super) fn ask_new(self, question: &str) -> Result<String, Failure> {
        if self.password_stdin {
            return from_stdin();
        }
        let password = prompt(question)?;
        if password == prompt("The same again: ")? {
            Ok(password)
        } else {
            Err(Failure::new("the two passwords differ: try again"))
        }
    }
}

fn prompt(question: &str) -> Result<String, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "there is no terminal to ask for a password on: give --password-stdin",
        ));
    }
    rpassword::prompt_password(question)
        .map_err(|error| Failure::new(format!("cannot ask for the password: {error}")))
}

/// The password on standard input.
///
/// # Errors
/// When it cannot be read as text.
pub(super) fn from_stdin() -> Result<String, Failure> {
    let mut input = String::new();
    std::io::stdin()
        .take(MAX_INPUT)
        .read_to_string(&mut input)
        .map_err(|error| {
            Failure::new(format!(
                "cannot read the password from standard input: {error}"
            ))
        })?;
    let password = input.strip_suffix('\n').unwrap_or(&input);
    let password = password.strip_suffix('\r').unwrap_or(password);
    Ok(password.to_owned())
}
