//! The routes that installers find skills by. Nobody says who it is here.

use crate::http::api::discovery::{archive, file, index, legacy};
use crate::http::app::App;
use crate::http::route::{Access, Route};

pub(super) fn routes() -> Vec<Route<App>> {
    vec![
        Route::get(
            "/.well-known/agent-skills/index.json",
            Access::Published,
            index::handle,
            index::operation(),
        ),
        Route::get(
            "/.well-known/agent-skills/{archive}",
            Access::Published,
            archive::handle,
            archive::operation(),
        ),
        Route::get(
            "/.well-known/agent-skills/{name}/{path}",
            Access::Published,
            file::handle,
            file::operation(),
        )
        .deep(),
        Route::get(
            "/.well-known/skills/index.json",
            Access::Published,
            legacy::handle,
            legacy::operation(),
        ),
        Route::get(
            "/.well-known/skills/{name}/{path}",
            Access::Published,
            file::handle,
            file::operation(),
        )
        .deep(),
    ]
}
