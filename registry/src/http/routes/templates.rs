//! The routes of templates.

use vestry_policies::Action;

use super::does;
use crate::http::api::templates::{check, reference, render, schema};
use crate::http::app::App;
use crate::http::route::Route;

pub(super) fn routes() -> Vec<Route<App>> {
    vec![
        Route::get(
            "/v1/context-schema",
            does(Action::UseTemplates),
            schema::handle,
            schema::operation(),
        ),
        Route::get(
            "/v1/reference",
            does(Action::UseTemplates),
            reference::handle,
            reference::operation(),
        ),
        Route::post(
            "/v1/templates/check",
            does(Action::UseTemplates),
            check::handle,
            check::operation(),
        ),
        Route::post(
            "/v1/templates/render",
            does(Action::UseTemplates),
            render::handle,
            render::operation(),
        ),
    ]
}
