//! A skill with its files as one file, for those who install skills from a web address.

use std::io::{Cursor, Write as _};

use zip::result::ZipResult;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipWriter};

/// The media type of an archive.
pub const ZIP: &str = "application/zip";

/// Puts files into a ZIP archive, in this order.
///
/// The bytes depend on the paths and the bytes of the files alone. Nothing is compressed, and every file has the same time and
/// the same permissions: so that a digest of the archive stands for its files, whenever and by whichever version it is made.
/// ZIP and not tar, because it has one way to write a path of any length.
///
/// # Errors
/// When there are more or larger files than an archive holds; a skill never has.
pub fn archive<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> ZipResult<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .system(System::Unix)
        .unix_permissions(0o644);
    for (path, bytes) in files {
        writer.start_file(path, options)?;
        writer.write_all(bytes)?;
    }
    Ok(writer.finish()?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::sha256_text;

    /// Whoever installed a skill compares this with what is there now.
    #[test]
    fn the_same_files_always_make_the_same_bytes() {
        let make = || {
            archive([
                ("SKILL.md", &b"---\nname: a\n---\n"[..]),
                ("scripts/l\u{e4}uft.sh", &b"true\n"[..]),
            ])
            .unwrap()
        };
        assert_eq!(make(), make());
        assert_eq!(
            sha256_text(&make()),
            "sha256:8076271cbe9897a5fbff7a1cb8bd58a8e7585e70e731aefc6a2f05c817b646eb"
        );
    }
}
