//! `PUT /v1/blobs/{sha256}`: the bytes of a file, ahead of the publication that names them.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use vestry_policies::Digest;

use crate::content::PreparedBlob;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{Path, RequestId, Upload};
use crate::http::mutation::facts;
use crate::http::problem::{Code, Fault, Problem};
use crate::http::route::Operation;
use crate::store::actions::UploadBlob;
use crate::store::queries::MayUpload;

/// The most bytes of an upload: those of a whole skill.
pub(in crate::http) const UPLOAD_LIMIT: usize = 16 << 20;
const _: () = assert!(UPLOAD_LIMIT as u64 == crate::content::files::MAX_SKILL_BYTES);

/// What was uploaded.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// What `files` of a publication names.
    digest: String,
    /// The size in bytes.
    size: u64,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Upload the bytes of a file")
        .description(
            "For files that do not fit a JSON body. Whoever uploaded the bytes can name their digest in `files` for 24 hours; what nobody published by then is dropped. 200 when the caller has uploaded them before.",
        )
        .tag("skills")
        .bytes(UPLOAD_LIMIT)
        .answer::<Answer>(StatusCode::OK)
        .answer::<Answer>(StatusCode::CREATED)
        .problems(&[
            Code::Refused,
            Code::InvalidContent,
            Code::InvalidId,
            Code::QuotaExceeded,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path(digest): Path<Digest>,
    request_id: RequestId,
    upload: Upload,
) -> Result<(StatusCode, Json<Answer>), Problem> {
    // Before a byte is read. It is decided again when they are kept.
    let announced = upload.announced();
    let question = MayUpload::new(&caller, digest, announced.unwrap_or(1));
    app.store.view(&caller, question).await?;
    // Before the writer is taken: however slow a client is, it keeps nobody from publishing.
    let room = announced.unwrap_or(UPLOAD_LIMIT as u64);
    let reservation = app.store.reserve_upload(&caller, room).await?;
    let bytes = upload.read(UPLOAD_LIMIT).await?;
    let blob = tokio::task::spawn_blocking(move || PreparedBlob::new(bytes))
        .await
        .map_err(Problem::internal)?;
    if blob.digest() != digest {
        return Err(Problem::InvalidContent(Fault::at(
            "sha256",
            format!(
                "The {} bytes that came have the digest {}; send them to the path of that, or send those of this one.",
                blob.size(),
                blob.digest()
            ),
        )));
    }
    let action = UploadBlob::new(&caller, blob);
    let uploaded = app.store.act(&caller, action, facts(&request_id)).await?;
    drop(reservation);
    let status = if uploaded.created {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok((
        status,
        Json(Answer {
            digest: uploaded.digest,
            size: uploaded.size,
        }),
    ))
}
