//! The table of routes: every one is a row here, with its action and its documentation.

mod audit;
mod directory;
mod discovery;
mod following;
mod identity;
mod prompts;
mod proposals;
mod roles;
mod skills;
mod templates;

use vestry_policies::Action;

use super::api::{blobs, turns};
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
        Route::post(
            "/v1/load/file",
            does(Action::LoadSkill),
            turns::load_file::handle,
            turns::load_file::operation(),
        ),
        Route::post(
            "/v1/openings",
            does(Action::OpenRun),
            turns::openings::handle,
            turns::openings::operation(),
        ),
        Route::put(
            "/v1/blobs/{sha256}",
            does(Action::UploadBlob),
            blobs::put::handle,
            blobs::put::operation(),
        ),
    ];
    rows.extend(skills::routes());
    rows.extend(proposals::routes());
    rows.extend(prompts::routes());
    rows.extend(roles::routes());
    rows.extend(identity::routes());
    rows.extend(directory::routes());
    rows.extend(audit::routes());
    rows.extend(following::routes());
    rows.extend(templates::routes());
    rows.extend(discovery::routes());
    rows.extend(health::routes());
    rows.extend(problem::routes());
    with_openapi(Table(rows), env!("CARGO_PKG_VERSION"))
}
