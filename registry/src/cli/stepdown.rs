//! `vestry stepdown`: give elevations up before they end.

use hyper::StatusCode;
use serde_json::json;

use super::failure::{Failure, Outcome};
use super::options::Options;
use super::session::{As, Session};
use crate::client::Call;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The scope; every one when left out.
    #[arg(long)]
    scope: Option<String>,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let file = options.profiles()?.file(&options.profile);
    let profile = file
        .read()?
        .ok_or_else(|| Failure::new("nobody is logged in, so nobody is elevated"))?;
    let mut scopes: Vec<String> = profile
        .elevations
        .into_iter()
        .map(|elevation| elevation.scope)
        .filter(|scope| args.scope.as_ref().is_none_or(|asked| asked == scope))
        .collect();
    scopes.sort();
    let session = Session::open(options)?;
    let mut ended = Vec::new();
    for scope in scopes {
        // One that has ended by itself is not sent, and goes out of the profile all the same.
        if session.is_elevated(&scope).await {
            let call = Call::delete("/v1/elevate").without_answer();
            let answer = session.send(As::Elevated(&scope), &call).await?;
            // A refusal with a code is the server's own: to it the elevation has ended already.
            let has_ended =
                answer.status == StatusCode::UNAUTHORIZED && !answer.text("code").is_empty();
            if !answer.status.is_success() && !has_ended {
                return Err(Failure::refused(&answer, Some(&scope)));
            }
            ended.push(scope.clone());
        }
        file.change(|profile| profile.elevations.retain(|kept| kept.scope != scope))
            .await?;
    }
    session.out.either(&json!({"ended": ended}), || {
        if ended.is_empty() {
            "there was no elevation".to_owned()
        } else {
            format!("no longer elevated for {}", ended.join(", "))
        }
    })
}
