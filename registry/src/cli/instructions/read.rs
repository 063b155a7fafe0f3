//! `vestry instructions read`: one instruction file.

use super::Where;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::output::Out;
use crate::instructions::{Level, read};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    #[command(flatten)]
    places: Where,
    /// The path of a file, as the catalog lists it.
    path: String,
    /// The level that lists it.
    #[arg(long, value_name = "LEVEL", value_parser = level, default_value = "project")]
    level: Level,
    /// The digest of what you have of it: the same is not printed again, and something else is told.
    #[arg(long, value_name = "DIGEST", value_parser = digest)]
    have: Option<String>,
}

fn level(word: &str) -> Result<Level, String> {
    match word {
        "user" => Ok(Level::User),
        "project" => Ok(Level::Project),
        _ => Err("write user or project".to_owned()),
    }
}

fn digest(text: &str) -> Result<String, String> {
    let digits = text.strip_prefix("sha256:").unwrap_or_default();
    let is_digest = digits.len() == 64
        && digits
            .bytes()
            .all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    if is_digest {
        Ok(text.to_owned())
    } else {
        Err("write the digest as `read` answers it: `sha256:` and 64 hexadecimal digits".to_owned())
    }
}

pub(super) fn run(out: Out, args: &Args) -> Outcome {
    let places = args.places.places()?;
    if places.home.is_none() && args.level == Level::User {
        return Err(Failure::new(
            "there is no directory of the user level; give --home",
        ));
    }
    let found = read(&places, args.level, &args.path, args.have.as_deref())?;
    if out.is_json() {
        return out.json(&serde_json::to_value(&found)?);
    }
    match &found.body {
        Some(body) => out.content(body.as_bytes())?,
        None => out.note("you have it already, unchanged"),
    }
    if found.changed {
        out.note("it has changed: this replaces what you have");
    }
    if let Some(error) = &found.frontmatter_error {
        out.note(format!(
            "its frontmatter cannot be read: line {}: {}",
            error.line, error.detail
        ));
    }
    out.note(format!("digest {}", found.digest));
    Ok(())
}
