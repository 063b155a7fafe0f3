//! The table of routes: every one is a row here, with its action and its documentation.

use vestry_policies::Action;

use super::api::{directory, identity, operation, skills, turns};
use super::app::App;
use super::health;
use super::openapi::with_openapi;
use super::problem;
use super::route::{Access, Route, Table};

const fn does(action: Action) -> Access {
    Access::Does(action)
}

/// Every route of the server.
#[must_use]
pub fn table() -> Table<App> {
    let mut rows = vec![
        Route::post(
            "/v1/catalog",
            does(Action::TakeCatalog),
            turns::catalog::handle,
            turns::catalog::operation(),
        ),
        Route::post(
            "/v1/load",
            does(Action::LoadSkill),
            turns::load::handle,
            turns::load::operation(),
        ),
    ];
    rows.extend(skill_routes());
    rows.extend(identity_routes());
    rows.extend(directory_routes());
    rows.push(Route::get(
        "/v1/audit",
        does(Action::ReadAudit),
        operation::audit::handle,
        operation::audit::operation(),
    ));
    rows.extend(health::routes());
    rows.extend(problem::routes());
    with_openapi(Table(rows), env!("CARGO_PKG_VERSION"))
}

fn skill_routes() -> Vec<Route<App>> {
    use skills::{
        archive, check, diff, get, hide, list, publish, recall, revision, revisions, rollback,
        seal, switch, withdraw,
    };
    const SKILL: &str = "/v1/skills/{scope}/{name}";
    vec![
        Route::get(
            "/v1/skills",
            does(Action::ListSkills),
            list::handle,
            list::operation(),
        ),
        Route::get(
            SKILL,
            does(Action::ReadSkill),
            get::handle,
            get::operation(),
        ),
        Route::put(
            SKILL,
            does(Action::PublishSkill),
            publish::handle,
            publish::operation(),
        ),
        Route::delete(
            SKILL,
            does(Action::ArchiveSkill),
            archive::handle,
            archive::operation(),
        ),
        Route::get(
            "/v1/skills/{scope}/{name}/revisions",
            does(Action::ReadSkill),
            revisions::handle,
            revisions::operation(),
        ),
        Route::get(
            "/v1/skills/{scope}/{name}/revisions/{revision}",
            does(Action::ReadSkill),
            revision::handle,
            revision::operation(),
        ),
        Route::get(
            "/v1/skills/{scope}/{name}/diff",
            does(Action::ReadSkill),
            diff::handle,
            diff::operation(),
        ),
        Route::post(
            "/v1/skills/{scope}/{name}/check",
            does(Action::CheckSkill),
            check::handle,
            check::operation(),
        ),
        Route::post(
            "/v1/skills/{scope}/{name}/rollback",
            does(Action::RollbackSkill),
            rollback::handle,
            rollback::operation(),
        ),
        Route::post(
            "/v1/skills/{scope}/{name}/disable",
            does(Action::DisableSkill),
            switch::disable,
            switch::disable_operation(),
        ),
        Route::post(
            "/v1/skills/{scope}/{name}/enable",
            does(Action::EnableSkill),
            switch::enable,
            switch::enable_operation(),
        ),
        Route::post(
            "/v1/skills/{scope}/{name}/quarantine",
            does(Action::QuarantineSkill),
            withdraw::quarantine,
            withdraw::quarantine_operation(),
        ),
        Route::post(
            "/v1/skills/{scope}/{name}/release",
            does(Action::ReleaseSkill),
            withdraw::release,
            withdraw::release_operation(),
        ),
        Route::post(
            "/v1/skills/{scope}/{name}/revoke",
            does(Action::RevokeSkill),
            withdraw::revoke,
            withdraw::revoke_operation(),
        ),
        Route::post(
            "/v1/skills/{scope}/{name}/seal",
            does(Action::SealSkill),
            seal::seal,
            seal::seal_operation(),
        ),
        Route::post(
            "/v1/skills/{scope}/{name}/unseal",
            does(Action::UnsealSkill),
            seal::unseal,
            seal::unseal_operation(),
        ),
        Route::post(
            "/v1/skills/global/{name}/hide",
            does(Action::HideSkill),
            hide::hide,
            hide::hide_operation(),
        ),
        Route::post(
            "/v1/skills/global/{name}/show",
            does(Action::ShowSkill),
            hide::show,
            hide::show_operation(),
        ),
        Route::post(
            "/v1/recall",
            does(Action::QuarantineSkill),
            recall::handle,
            recall::operation(),
        ),
    ]
}

fn identity_routes() -> Vec<Route<App>> {
    use identity::{elevate, keys, login, logout, me, refresh, stepdown, token};
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
            "/v1/keys/{key}",
            does(Action::ManageOwnKeys),
            keys::revoke,
            keys::revoke_operation(),
        ),
    ]
}

fn directory_routes() -> Vec<Route<App>> {
    use directory::{members, services, settings, tenants, users};
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
