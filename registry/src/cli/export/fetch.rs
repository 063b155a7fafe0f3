//! Fetching a skill, all of one revision, and holding it to its digest.

use axum::body::Bytes;
use vestry_policies::Digest;

use crate::cli::failure::{Failure, Refusal};
use crate::cli::output::value;
use crate::cli::session::{As, Session};
use crate::cli::skill::Reference;
use crate::client::{Answer, BYTES, Call, query};
use crate::content::digest::{ManifestFile, of_bytes, of_manifest};
use crate::content::paths::{FilePath, check_distinct};

/// A file as it is written: its path below the skill, or none for the SKILL.md, and its bytes.
pub(super) type File = (Option<FilePath>, Bytes);

/// The SKILL.md and the bundled files of the current revision.
///
/// # Errors
/// One sentence, when something is refused, or is not what its digest says.
pub(super) async fn fetch(session: &Session, skill: &Reference) -> Result<Vec<File>, String> {
    let current = ask(session, &Call::get(skill.path(&[]))).await?;
    let number = value::number(&current.body, "revision");
    let call = Call::get(skill.path(&["revisions", &number])).accept("text/markdown");
    let skill_md = ask(session, &call).await?.bytes;
    let skill_md_digest = of_bytes(&skill_md);
    let mut files = vec![(None, skill_md)];
    let mut manifest = Vec::new();
    for listed in value::items(&current.body, "files") {
        // What a server says is held to the rules of paths here too: it is about to become a file.
        let path =
            FilePath::parse(value::text(listed, "path")).map_err(|error| error.to_string())?;
        let call = Call::get(query(
            &skill.path(&["revisions", &number, "file"]),
            &[("path", Some(path.as_str()))],
        ))
        .accept(BYTES);
        let bytes = ask(session, &call).await?.bytes;
        let digest = of_bytes(&bytes);
        if Digest::parse(value::text(listed, "digest")) != Some(digest) {
            return Err(format!("the file {path} is not what its digest says"));
        }
        manifest.push(ManifestFile {
            path: path.as_str().to_owned(),
            size: bytes.len() as u64,
            digest,
        });
        files.push((Some(path), bytes));
    }
    check_distinct(files.iter().filter_map(|(path, _)| path.as_ref()))
        .map_err(|(_, error)| error.to_string())?;
    let digest = of_manifest(skill_md_digest, &manifest);
    if Digest::parse(value::text(&current.body, "digest")) != Some(digest) {
        return Err(
            "what the server sent is not what the skill's digest says; you may not read it whole, or it is damaged"
                .to_owned(),
        );
    }
    Ok(files)
}

async fn ask(session: &Session, call: &Call) -> Result<Answer, String> {
    let answer = session
        .send_patiently(As::Oneself, call)
        .await
        .map_err(|trouble| match Failure::from(trouble) {
            Failure::Sentence(sentence) | Failure::Usage(sentence) => sentence,
            Failure::Said | Failure::Unread => "failed".to_owned(),
        })?;
    if answer.status.is_success() {
        Ok(answer)
    } else {
        Err(Refusal::of(&answer).sentence(None))
    }
}
