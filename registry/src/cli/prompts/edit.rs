//! `vestry prompt edit`: a copy in an editor, put in place of the template when it can be read. Nothing is lost: until then the
//! text stays in a file.

use super::add::keep;
use super::{FileName, LibraryAt};
use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;
use crate::cli::profile::write_private;
use crate::cli::skill::edit;
use crate::prompts::Library;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The template, as `vestry prompt list` names it. One of the registry is edited by `vestry skill edit SCOPE/prompt:NAME`.
    #[arg(value_name = "FILE", value_parser = FileName::parse)]
    file: FileName,
    #[command(flatten)]
    library: LibraryAt,
    /// The editor, before --editor.
    #[arg(long, env = "VISUAL", hide = true)]
    visual: Option<String>,
    /// The editor: a command line, to which the file is added.
    #[arg(long, env = "EDITOR", value_name = "COMMAND", default_value = "vi")]
    editor: String,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let out = options.out();
    let library = args.library.library(options)?;
    let FileName(name) = &args.file;
    let path = library.directory().join(name);
    let before = library.bytes(name)?;
    let edits = options.profiles()?.directory().join("edits");
    let copy = (1..1_000)
        .map(|number| edits.join(format!("prompt.{number}.{name}")))
        .find(|path| !path.exists())
        .ok_or_else(|| {
            Failure::new(format!(
                "{} is full of texts of failed edits; remove what you do not need",
                edits.display()
            ))
        })?;
    write_private(&copy, &before)?;
    let kept = async {
        edit(&args.visual.unwrap_or(args.editor), &copy).await?;
        let after = std::fs::read(&copy)
            .map_err(|error| Failure::new(format!("cannot read {}: {error}", copy.display())))?;
        if after == before {
            out.note("nothing changed");
            return Ok(());
        }
        Library::parse(name, after.clone())?;
        if library.bytes(name).ok().as_ref() != Some(&before) {
            return Err(Failure::new(format!(
                "{} was changed meanwhile; look at both",
                path.display()
            )));
        }
        keep(library.directory(), &path, &after, true)?;
        out.text(&format!("{name} is changed."))
    };
    match kept.await {
        Ok(()) => {
            let _ = std::fs::remove_file(&copy);
            Ok(())
        }
        Err(Failure::Sentence(sentence)) if !sentence.contains("kept in") && copy.exists() => {
            Err(Failure::Sentence(format!(
                "{sentence}; your text is kept in {}",
                copy.display()
            )))
        }
        Err(other) => Err(other),
    }
}
