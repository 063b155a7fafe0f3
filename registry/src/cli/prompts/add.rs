//! `vestry prompt add`.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::{FileName, LibraryAt};
use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;
use crate::prompts::{Library, MAX_TEMPLATE};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The template (`-` for standard input).
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// What it is called in your library; as the file when left out.
    #[arg(long, value_name = "NAME", value_parser = FileName::parse)]
    name: Option<FileName>,
    /// Replace the template of this name.
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    library: LibraryAt,
}

pub(super) fn run(options: &Options, args: &Args) -> Outcome {
    let out = options.out();
    let library = args.library.library(options)?;
    let FileName(name) = match &args.name {
        Some(name) => name.clone(),
        None => args
            .path
            .file_name()
            .and_then(|name| name.to_str())
            .filter(|name| *name != "-")
            .and_then(|name| FileName::parse(name).ok())
            .ok_or_else(|| {
                Failure::usage("nothing here says what the template is called: give --name")
            })?,
    };
    let bytes = read(&args.path)?;
    Library::parse(&name, bytes.clone())?;
    let path = library.directory().join(&name);
    keep(library.directory(), &path, &bytes, args.replace)?;
    let kept = serde_json::json!({"file": name, "path": path.display().to_string()});
    out.either(&kept, || {
        format!("{name} is in your library: {}", path.display())
    })
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let most = MAX_TEMPLATE as u64 + 1;
    let read = if path == Path::new("-") {
        std::io::stdin().take(most).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    Ok(bytes)
}

/// Puts it in place whole: whoever resolves a prompt meanwhile reads the one or the other.
pub(super) fn keep(directory: &Path, path: &Path, bytes: &[u8], replace: bool) -> Outcome {
    let failed =
        |error: std::io::Error| Failure::new(format!("cannot write {}: {error}", path.display()));
    std::fs::create_dir_all(directory).map_err(failed)?;
    let mut file = tempfile::Builder::new()
        .prefix(".prompt-")
        .tempfile_in(directory)
        .map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    if replace {
        file.persist(path).map_err(|error| failed(error.error))?;
        return Ok(());
    }
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(Failure::new(format!(
                "{} is there already; give another --name, or --replace",
                path.display()
            )))
        }
        Err(error) => Err(failed(error.error)),
    }
}
