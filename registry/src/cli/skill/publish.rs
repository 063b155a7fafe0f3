//! `vestry skill publish`.

use hyper::StatusCode;

use super::Reference;
use super::change::{print, quoted, refused};
use super::source::Source;
use crate::cli::failure::{Failure, Outcome, Refusal};
use crate::cli::options::Options;
use crate::cli::output::value;
use crate::cli::send::{publish_call, upload};
use crate::cli::session::{As, Session};
use crate::client::Call;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    #[command(flatten)]
    source: Source,
    /// What changed; one line, for the history.
    #[arg(long, short)]
    message: Option<String>,
    /// Only if this is the digest of the current revision; what is there when the command starts when left out.
    #[arg(long, value_name = "DIGEST")]
    if_match: Option<String>,
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let (skill, bundle) = args.source.read(options.out())?;
    let session = Session::open(options)?;
    let current = match args.if_match {
        Some(digest) => Some(quoted(&digest).trim_matches('"').to_owned()),
        None => current_digest(&session, &skill).await?,
    };
    let as_ = As::Elevated(&skill.scope);
    if let Some(answer) = upload(&session, as_, &bundle).await? {
        return Err(refused(&skill, &Refusal::of(&answer)));
    }
    let call = publish_call(
        skill.path(&[]),
        &bundle,
        args.message.as_deref(),
        current.as_deref(),
    );
    let answer = session.send(as_, &call).await?;
    if !answer.status.is_success() {
        return Err(refused(&skill, &Refusal::of(&answer)));
    }
    print(
        session.out,
        &answer.body,
        answer.status == StatusCode::CREATED,
    )
}

/// The digest of the current revision; none when there is no such skill.
///
/// # Errors
/// When the server does not say.
pub(super) async fn current_digest(
    session: &Session,
    skill: &Reference,
) -> Result<Option<String>, Failure> {
    let answer = session
        .send(As::Oneself, &Call::get(skill.path(&[])))
        .await?;
    match answer.status {
        StatusCode::OK => {
            value::needs(&answer.body, &["digest"])?;
            Ok(Some(answer.text("digest").to_owned()))
        }
        StatusCode::NOT_FOUND => Ok(None),
        _ => Err(Failure::refused(&answer, Some(&skill.scope))),
    }
}
