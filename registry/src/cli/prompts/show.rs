//! `vestry prompt show`.

use super::{FileName, LibraryAt};
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::prompts::Library;

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
    let bytes = library.bytes(file)?;
    let read = Library::parse(file, bytes.clone());
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
