//! `vestry prompt add`.

use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::{FileName, LibraryAt};
use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;
use crate::prompts::{Library, MAX_TEMPLATE};

/// The permissions of a new template, of which the umask takes away what it takes.
const NEW_FILE: u32 = 0o666;

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

/// Puts it in place whole: whoever resolves a prompt meanwhile reads the one or the other. What a link leads to is replaced, and
/// not the link; what is replaced keeps its permissions.
pub(super) fn keep(directory: &Path, path: &Path, bytes: &[u8], replace: bool) -> Outcome {
    let failed =
        |error: std::io::Error| Failure::new(format!("cannot write {}: {error}", path.display()));
    std::fs::create_dir_all(directory).map_err(failed)?;
    let there = if replace {
        std::fs::canonicalize(path).ok()
    } else {
        None
    };
    let place = there.as_deref().unwrap_or(path);
    let permissions = match &there {
        Some(there) => std::fs::metadata(there).map_err(failed)?.permissions(),
        None => std::fs::Permissions::from_mode(NEW_FILE),
    };
    let mut file = tempfile::Builder::new()
        .prefix(".prompt-")
        .permissions(permissions)
        .tempfile_in(place.parent().unwrap_or(directory))
        .map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    if replace {
        file.persist(place).map_err(|error| failed(error.error))?;
        return Ok(());
    }
    match file.persist_noclobber(place) {
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
