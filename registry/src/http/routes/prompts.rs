//! The route of prompt templates.

use vestry_policies::Action;

use super::does;
use crate::http::api::prompts::resolve;
use crate::http::app::App;
use crate::http::route::Route;

pub(super) fn routes() -> Vec<Route<App>> {
    vec![Route::post(
        "/v1/prompts/resolve",
        does(Action::OpenRun),
        resolve::handle,
        resolve::operation(),
    )]
}
