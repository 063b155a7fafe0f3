//! The routes of sessions, elevations, tokens and keys.

use vestry_policies::Action;

use super::does;
use crate::http::api::identity::{elevate, keys, login, logout, me, refresh, stepdown, token};
use crate::http::app::App;
use crate::http::route::{Access, Route};

pub(super) fn routes() -> Vec<Route<App>> {
    vec![
        Route::post(
            "/v1/login",
            Access::Public,
            login::handle,
            login::operation(),
        ),
        Route::post(
            "/v1/refresh",
            Access::Public,
            refresh::handle,
            refresh::operation(),
        ),
        Route::post(
            "/v1/logout",
            does(Action::EndSession),
            logout::handle,
            logout::operation(),
        ),
        Route::post(
            "/v1/elevate",
            does(Action::Elevate),
            elevate::handle,
            elevate::operation(),
        ),
        Route::delete(
            "/v1/elevate",
            does(Action::EndSession),
            stepdown::handle,
            stepdown::operation(),
        ),
        Route::post(
            "/v1/token",
            does(Action::MintToken),
            token::handle,
            token::operation(),
        ),
        Route::get(
            "/v1/me",
            does(Action::ReadIdentity),
            me::handle,
            me::operation(),
        ),
        Route::post(
            "/v1/keys",
            does(Action::ManageOwnKeys),
            keys::create,
            keys::create_operation(),
        ),
        Route::get(
            "/v1/keys",
            does(Action::ManageOwnKeys),
            keys::list,
            keys::list_operation(),
        ),
        Route::delete(
            "/v1/keys/{id}",
            does(Action::ManageOwnKeys),
            keys::revoke,
            keys::revoke_operation(),
        ),
    ]
}
