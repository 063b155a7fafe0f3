//! `DELETE /v1/elevate`: give an elevation up before it ends.

use axum::extract::State;
use axum::http::StatusCode;

use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::RequestId;
use crate::http::mutation::facts;
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::actions::EndElevation;

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Step down")
        .description("Revokes the elevation of the token that is sent.")
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
        .act(&caller, EndElevation, facts(&request_id))
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
