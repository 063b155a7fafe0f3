//! `vestry prompt show`.

use super::{FileName, LibraryAt};
use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The template, as `vestry prompt list` names it. One of the registry is shown by `vestry skill show SCOPE/prompt:NAME`.
    #[arg(value_name = "FILE", value_parser = FileName::parse)]
    file: FileName,
    #[command(flatten)]
    library: LibraryAt,
}

pub(super) fn run(options: &Options, args: &Args) -> Outcome {
    let out = options.out();
    let library = args.library.library(options)?;
    let FileName(file) = &args.file;
    let path = library.directory().join(file);
    let bytes = std::fs::read(&path)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    let read = library.read(file);
    if out.is_json() {
        let read = read?;
        return out.json(&serde_json::json!({
            "file": file,
            "frontmatter": read.frontmatter,
            "template": read.template,
            "templateSha256": crate::prompts::sha256(&read.template),
        }));
    }
    out.content(&bytes)?;
    if let Err(error) = read {
        out.note(error);
    }
    Ok(())
}
