//! The routes of templates.

use vestry_policies::Action;

use super::does;
use crate::http::api::templates::{activate, check, check_schema, reference, render, schema};
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
        Route::put(
            "/v1/context-schema",
            does(Action::ActivateSchema),
            activate::handle,
            activate::operation(),
        ),
        Route::post(
            "/v1/context-schema/check",
            does(Action::CheckSchema),
            check_schema::handle,
            check_schema::operation(),
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
