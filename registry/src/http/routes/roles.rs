//! The routes of agents' roles.

use vestry_policies::Action;

use super::does;
use crate::http::api::roles::{attachments, instruction};
use crate::http::app::App;
use crate::http::route::Route;

pub(super) fn routes() -> Vec<Route<App>> {
    vec![
        Route::get(
            "/v1/roles/{scope}/{role}",
            does(Action::ReadSkill),
            instruction::read,
            instruction::read_operation(),
        ),
        Route::put(
            "/v1/roles/{scope}/{role}",
            does(Action::PublishSkill),
            instruction::write,
            instruction::write_operation(),
        ),
        Route::delete(
            "/v1/roles/{scope}/{role}",
            does(Action::ArchiveSkill),
            instruction::archive,
            instruction::archive_operation(),
        ),
        Route::get(
            "/v1/roles/{scope}/{role}/attachments",
            does(Action::ReadSkill),
            attachments::read,
            attachments::read_operation(),
        ),
        Route::put(
            "/v1/roles/{scope}/{role}/attachments",
            does(Action::AttachSkills),
            attachments::write,
            attachments::write_operation(),
        ),
    ]
}
