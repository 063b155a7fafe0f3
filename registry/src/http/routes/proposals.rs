//! The routes of proposals.

use vestry_policies::Action;

use super::does;
use crate::http::api::proposals::{
    comment, create, decide, edit, file, list, read, rebase, withdraw,
};
use crate::http::app::App;
use crate::http::route::Route;

pub(super) fn routes() -> Vec<Route<App>> {
    const PROPOSAL: &str = "/v1/proposals/{id}";
    vec![
        Route::post(
            "/v1/proposals",
            does(Action::ProposeSkill),
            create::handle,
            create::operation(),
        ),
        Route::get(
            "/v1/proposals",
            does(Action::ReadProposal),
            list::handle,
            list::operation(),
        ),
        Route::get(
            PROPOSAL,
            does(Action::ReadProposal),
            read::handle,
            read::operation(),
        ),
        Route::put(
            PROPOSAL,
            does(Action::EditProposal),
            edit::handle,
            edit::operation(),
        ),
        Route::get(
            "/v1/proposals/{id}/file",
            does(Action::ReadProposal),
            file::handle,
            file::operation(),
        ),
        Route::post(
            "/v1/proposals/{id}/decision",
            does(Action::DecideProposal),
            decide::handle,
            decide::operation(),
        ),
        Route::post(
            "/v1/proposals/{id}/comments",
            does(Action::CommentProposal),
            comment::handle,
            comment::operation(),
        ),
        Route::post(
            "/v1/proposals/{id}/withdraw",
            does(Action::WithdrawProposal),
            withdraw::handle,
            withdraw::operation(),
        ),
        Route::post(
            "/v1/proposals/{id}/rebase",
            does(Action::RebaseProposal),
            rebase::handle,
            rebase::operation(),
        ),
    ]
}
