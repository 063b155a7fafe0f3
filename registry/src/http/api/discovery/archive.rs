//! `GET /.well-known/agent-skills/{archive}`: a skill with its files, as one archive.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use super::{Any, Anyone, answer, described, has, public, to_be_saved};
use crate::content::archive::ZIP;
use crate::http::api::files::held;
use crate::http::app::App;
use crate::http::extract::{IfNoneMatch, Path};
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;

pub(in crate::http) fn operation() -> Operation {
    let operation = Operation::new("A skill with its files, as an archive")
        .description("`<name>.zip`, as the index names it: a ZIP archive, for skills with files. Needs no credential. Served only where the operator has turned it on.")
        .answer_text(StatusCode::OK, ZIP)
        .problems(&[Code::NotFound]);
    described(operation)
}

pub(in crate::http) async fn handle(
    _: Anyone,
    State(app): State<App>,
    Path(Any(archive)): Path<Any>,
    have: IfNoneMatch,
) -> Result<Response, Problem> {
    let public = public(&app)?;
    let name = archive.strip_suffix(".zip").ok_or(Problem::NotFound)?;
    let skill = public.find(name).await?;
    let digest = skill.archive().ok_or(Problem::NotFound)?;
    if has(&have, digest) {
        return answer(digest, ZIP, None);
    }
    let (bytes, reservation) = public.archive(&skill).await?.into_bytes();
    answer(digest, ZIP, Some(held(bytes, reservation))).map(to_be_saved)
}
