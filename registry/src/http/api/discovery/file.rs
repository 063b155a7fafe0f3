//! `GET /.well-known/agent-skills/{name}/{path}` and `GET /.well-known/skills/{name}/{path}`: the SKILL.md of a skill, and its files.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use super::{Any, Anyone, answer, described, has, public, to_be_saved};
use crate::http::api::files::held;
use crate::http::app::App;
use crate::http::extract::{BYTES, IfNoneMatch, MARKDOWN, Path};
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;

const SKILL_MD: &str = "SKILL.md";

pub(in crate::http) fn operation() -> Operation {
    let operation = Operation::new("The SKILL.md of a skill, or one of its files")
        .description("`path` may have slashes. Of the current revision; the digest in the index tells whether it is the one that was listed. Needs no credential. Served only where the operator has turned it on.")
        .answer_text(StatusCode::OK, MARKDOWN)
        .answer_text(StatusCode::OK, BYTES)
        .problems(&[Code::NotFound]);
    described(operation)
}

pub(in crate::http) async fn handle(
    _: Anyone,
    State(app): State<App>,
    Path((Any(name), Any(path))): Path<(Any, Any)>,
    have: IfNoneMatch,
) -> Result<Response, Problem> {
    let public = public(&app)?;
    let skill = public.find(&name).await?;
    let digest = skill.digest_of(&path).ok_or(Problem::NotFound)?;
    let is_skill_md = path == SKILL_MD;
    let media = if is_skill_md {
        "text/markdown; charset=utf-8"
    } else {
        BYTES
    };
    if has(&have, digest) {
        return answer(digest, media, None);
    }
    let (bytes, reservation) = public.file(&skill, &path).await?.into_bytes();
    let answer = answer(digest, media, Some(held(bytes, reservation)))?;
    Ok(if is_skill_md {
        answer
    } else {
        to_be_saved(answer)
    })
}
