//! `vestry logout`: end the session, and forget the profile.

use hyper::{Method, StatusCode};
use serde_json::json;

use super::failure::{Failure, Outcome};
use super::options::Options;
use super::session::{As, Session};
use crate::client::Call;

pub(super) async fn run(options: &Options) -> Outcome {
    let file = options.profiles()?.file(&options.profile);
    if options.token.is_some() {
        return Err(Failure::usage(
            "this ends the session of a profile, not a token: leave --token and VESTRY_TOKEN out",
        ));
    }
    if file.read()?.is_none() {
        return Err(Failure::new(format!(
            "nobody is logged in with profile {}",
            file.name()
        )));
    }
    let ended = end(options).await;
    // Whatever the server says, nothing is kept here.
    let lock = file.lock().await?;
    file.remove()?;
    drop(lock);
    ended?;
    let said = json!({"profile": file.name().to_string(), "logged_out": true});
    options
        .out()
        .either(&said, || "logged out; the session has ended".to_owned())
}

async fn end(options: &Options) -> Outcome {
    let session = Session::open(options)?;
    let answer = session
        .send(
            As::Oneself,
            &Call::new(Method::POST, "/v1/logout").without_answer(),
        )
        .await
        .map_err(Failure::from)
        .map_err(|failure| match failure {
            Failure::Sentence(sentence) => Failure::Sentence(format!(
                "the profile is gone, but the session may live on at the server: {sentence}"
            )),
            other => other,
        })?;
    // A refusal with a code is the server's own: to it the session has ended already.
    let has_ended = answer.status == StatusCode::UNAUTHORIZED && !answer.text("code").is_empty();
    if answer.status.is_success() || has_ended {
        Ok(())
    } else {
        Err(Failure::refused(&answer, None))
    }
}
