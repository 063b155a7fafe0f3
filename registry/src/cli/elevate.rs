//! `vestry elevate`: step up for one scope; what is written there in the next 15 minutes uses it.

use serde_json::json;

use super::failure::{Failure, Outcome};
use super::options::Options;
use super::output::value;
use super::profile::Elevation;
use super::prompt::PasswordFrom;
use super::session::{As, Session};
use crate::client::Call;
use crate::clock::{Clock as _, SystemClock};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// `tenant:<id>` or `global`.
    #[arg(long)]
    scope: String,
    /// Why; one line, for the audit log.
    #[arg(long)]
    reason: String,
    #[command(flatten)]
    password: PasswordFrom,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let file = options.profiles()?.file(&options.profile);
    if options.token.is_some() {
        return Err(Failure::usage(
            "an elevation belongs to a login: leave --token and VESTRY_TOKEN out, and run `vestry login` first",
        ));
    }
    let Some(profile) = file.read()? else {
        return Err(Failure::new(
            "nobody is logged in: run `vestry login` first",
        ));
    };
    let session = Session::open(options)?;
    if session.server().is_exposed() {
        session.out.note(format!(
            "warning: {} is not encrypted, and the password can be read on its way",
            session.server()
        ));
    }
    let password = args.password.ask(&format!(
        "Password of {}, to step up for {}: ",
        profile.username, args.scope
    ))?;
    let body = json!({"scope": args.scope, "password": password, "reason": args.reason});
    let answer = session
        .send(As::Oneself, &Call::post("/v1/elevate", &body))
        .await?;
    if answer.status == hyper::StatusCode::UNAUTHORIZED {
        return Err(Failure::new(
            "the password is wrong, or the session has ended: try again, or run `vestry login`",
        ));
    }
    if !answer.status.is_success() {
        return Err(Failure::refused(&answer, Some(&args.scope)));
    }
    value::needs(&answer.body, &["scope", "access_token", "expires_at"])?;
    let elevation = Elevation {
        scope: answer.text("scope").to_owned(),
        access_token: answer.text("access_token").to_owned(),
        expires_at: answer.text("expires_at").to_owned(),
    };
    let said = json!({"scope": elevation.scope, "expires_at": elevation.expires_at});
    let line = format!(
        "elevated for {} until {}; `vestry stepdown` ends it earlier",
        elevation.scope, elevation.expires_at
    );
    file.change(|profile| profile.keep(elevation, SystemClock.now()))
        .await?;
    session
        .out
        .either(&said, || super::output::safe::line(&line).into_owned())
}
