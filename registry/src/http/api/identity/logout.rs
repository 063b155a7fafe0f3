//! `POST /v1/logout`: end the session, with its refresh tokens, access tokens and elevations.

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::RequestId;
use crate::http::mutation::facts;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::actions::EndSession;

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Log out")
        .description("Ends the session's refresh tokens, access tokens and elevations at once.")
        .tag("identity")
        .answer_nothing(StatusCode::NO_CONTENT)
        .problems(&[Code::Refused])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    request_id: RequestId,
) -> Result<StatusCode, Problem> {
    app.store
        .act(&caller, EndSession, facts(&request_id))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
