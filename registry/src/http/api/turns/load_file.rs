//! `POST /v1/load/file`: a file of an offered skill.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Deserialize;

use super::load::in_words;
use crate::http::api::files::{FileAnswer, as_bytes, as_json};
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{BYTES, Body, WantsBytes};
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::catalog::LoadFileRequest;

/// What to load.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Request {
    /// The offer of the turn, as `POST /v1/catalog` gave it.
    offer: String,
    /// The name of an offered skill.
    name: String,
    /// The path of one of its files, as `POST /v1/load` lists them.
    path: String,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Load a file of an offered skill")
        .description(
            "JSON with the file as `text` where all of it shows, else as `base64`; the bytes alone for `Accept: application/octet-stream`. A name that is not in the offer gets one and the same answer, whether or not such a skill exists.",
        )
        .tag("turns")
        .body::<Request>()
        .answer::<FileAnswer>(StatusCode::OK)
        .answer_text(StatusCode::OK, BYTES)
        .problems(&[
            Code::OfferInvalid,
            Code::OfferExpired,
            Code::Refused,
            Code::SkillNotOffered,
            Code::FileNotFound,
            Code::SkillRecalled,
            Code::BodyUnreadable,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    WantsBytes(wants_bytes): WantsBytes,
    Body(request): Body<Request>,
) -> Result<Response, Problem> {
    let Request { offer, name, path } = request;
    let asked = name.clone();
    let request = LoadFileRequest { offer, name, path };
    let file = app
        .store
        .load_file(&caller, request)
        .await
        .map_err(|error| in_words(error, asked))?;
    if wants_bytes {
        as_bytes(file)
    } else {
        as_json(file).await
    }
}
