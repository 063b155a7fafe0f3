//! The routes of users, tenants, members, services and settings.

use vestry_policies::Action;

use super::does;
use crate::http::api::directory::{members, services, settings, tenants, users};
use crate::http::app::App;
use crate::http::route::Route;

pub(super) fn routes() -> Vec<Route<App>> {
    const MEMBER: &str = "/v1/tenants/{tenant}/members/{username}";
    const SETTINGS: &str = "/v1/tenants/{tenant}/settings";
    vec![
        Route::post(
            "/v1/users",
            does(Action::CreateUser),
            users::create,
            users::create_operation(),
        ),
        Route::get(
            "/v1/users",
            does(Action::ListUsers),
            users::list,
            users::list_operation(),
        ),
        Route::post(
            "/v1/tenants",
            does(Action::CreateTenant),
            tenants::create,
            tenants::create_operation(),
        ),
        Route::get(
            "/v1/tenants",
            does(Action::ListTenants),
            tenants::list,
            tenants::list_operation(),
        ),
        Route::get(
            "/v1/tenants/{tenant}/members",
            does(Action::ListMembers),
            members::list,
            members::list_operation(),
        ),
        Route::put(
            MEMBER,
            does(Action::SetMember),
            members::set,
            members::set_operation(),
        ),
        Route::delete(
            MEMBER,
            does(Action::RemoveMember),
            members::remove,
            members::remove_operation(),
        ),
        Route::get(
            SETTINGS,
            does(Action::ReadSettings),
            settings::read,
            settings::read_operation(),
        ),
        Route::put(
            SETTINGS,
            does(Action::WriteSettings),
            settings::write,
            settings::write_operation(),
        ),
        Route::post(
            "/v1/services",
            does(Action::CreateService),
            services::create,
            services::create_operation(),
        ),
        Route::get(
            "/v1/tenants/{tenant}/services",
            does(Action::ListServices),
            services::list,
            services::list_operation(),
        ),
        Route::delete(
            "/v1/tenants/{tenant}/services/{service}",
            does(Action::RevokeService),
            services::revoke,
            services::revoke_operation(),
        ),
    ]
}
