//! The routes of the audit log.

use vestry_policies::Action;

use super::does;
use crate::http::api::operation::{audit, checkpoint};
use crate::http::app::App;
use crate::http::route::{Access, Route};

pub(super) fn routes() -> Vec<Route<App>> {
    vec![
        Route::get(
            "/v1/audit",
            does(Action::ReadAudit),
            audit::handle,
            audit::operation(),
        ),
        Route::get(
            "/v1/audit/checkpoint",
            does(Action::ReadAudit),
            checkpoint::handle,
            checkpoint::operation(),
        ),
        Route::get(
            "/v1/audit/key",
            Access::Public,
            checkpoint::key,
            checkpoint::key_operation(),
        ),
    ]
}
