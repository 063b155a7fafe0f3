//! The routes of what happens, and of why.

use vestry_policies::Action;

use super::does;
use crate::http::api::operation;
use crate::http::app::App;
use crate::http::route::Route;

pub(super) fn routes() -> Vec<Route<App>> {
    vec![
        Route::get(
            "/v1/events",
            does(Action::ReadEvents),
            operation::events::handle,
            operation::events::operation(),
        ),
        Route::get(
            "/v1/explain",
            does(Action::Explain),
            operation::explain::handle,
            operation::explain::operation(),
        ),
        Route::get(
            "/v1/explain/catalog",
            does(Action::Explain),
            operation::explain_catalog::handle,
            operation::explain_catalog::operation(),
        ),
    ]
}
