//! `vestry prompt`: prompts for roles of workflows, and the user's own library of templates.

mod add;
mod edit;
mod list;
mod resolve;
mod show;

use std::path::PathBuf;

use super::failure::{Failure, Outcome};
use super::options::Options;
use crate::prompts::Library;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Resolve and render the prompt of a role: from the launch's input, the registry and your library, the repository, or what
    /// comes with Vestry.
    Resolve(Box<resolve::Args>),
    /// List the templates of your library, or of a scope.
    List(list::Args),
    /// Print a template of your library, as it is.
    Show(show::Args),
    /// Check a template, and put it into your library.
    Add(add::Args),
    /// Change a template of your library in an editor; it is checked before it is kept.
    Edit(edit::Args),
}

pub(super) async fn run(options: &Options, command: Command) -> Outcome {
    match command {
        Command::Resolve(args) => resolve::run(options, *args).await,
        Command::List(args) => list::run(options, args).await,
        Command::Show(args) => show::run(options, &args),
        Command::Add(args) => add::run(options, &args),
        Command::Edit(args) => edit::run(options, args).await,
    }
}

/// Where the user's own library is.
#[derive(Debug, clap::Args)]
struct LibraryAt {
    /// The directory of your library; `prompts` in the directory of profiles when left out.
    #[arg(long, env = "VESTRY_PROMPTS", value_name = "DIR")]
    library: Option<PathBuf>,
}

impl LibraryAt {
    /// The library, which is there if it was asked for: a name that was written wrongly is no empty library.
    fn existing(&self, options: &Options) -> Result<Library, Failure> {
        match &self.library {
            Some(directory) if !directory.is_dir() => Err(Failure::new(format!(
                "the library {} is no directory; make it with `vestry prompt add`, or name another",
                directory.display()
            ))),
            _ => self.library(options),
        }
    }

    fn library(&self, options: &Options) -> Result<Library, Failure> {
        let directory = match &self.library {
            Some(directory) => directory.clone(),
            None => options.profiles()?.directory().join("prompts"),
        };
        Ok(Library::at(directory))
    }
}

/// The name of a file of a library: `review`, or `review.md`.
#[derive(Debug, Clone)]
struct FileName(String);

impl FileName {
    fn parse(text: &str) -> Result<Self, String> {
        let stem = text.strip_suffix(".md").unwrap_or(text);
        let is_name = (1..=128).contains(&stem.len())
            && !stem.starts_with('.')
            && stem
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'));
        if is_name {
            Ok(Self(format!("{stem}.md")))
        } else {
            Err("the name of a template is 1 to 128 of A-Z a-z 0-9 . _ - and begins with no dot, as `review`".to_owned())
        }
    }
}
