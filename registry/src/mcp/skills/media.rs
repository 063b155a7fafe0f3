//! Media types of files, by their names.

/// The media type of a directory, as the extension defines it.
pub(super) const DIRECTORY: &str = rmcp::model::DIRECTORY_MIME_TYPE;

/// The media type of a file.
pub(super) fn media_type(path: &str) -> &'static str {
    mime_guess::from_path(path)
        .first_raw()
        .unwrap_or("application/octet-stream")
}
