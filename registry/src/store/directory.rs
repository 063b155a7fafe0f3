//! The data directory.

use std::path::Path;

/// Creates a data directory that nobody but its owner may enter. One that exists is left as it is.
///
/// # Errors
/// When it cannot be created.
pub fn create(directory: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}
