//! What every change of a skill has in common: the request as the right person, and what it came to.

use serde_json::{Value, json};

use super::Reference;
use crate::cli::failure::{Failure, Outcome, Refusal};
use crate::cli::output::{Out, safe, value};
use crate::cli::proposal;
use crate::cli::session::{As, Session};
use crate::client::Call;
use crate::content::scan::Severity;

/// Why, for the audit log.
#[derive(Debug, clap::Args)]
pub(super) struct Reason {
    /// Why; one line, for the audit log.
    #[arg(long)]
    pub(super) reason: String,
}

/// Posts one of the verbs with a reason.
pub(super) async fn post(
    session: &Session,
    skill: &Reference,
    verb: &str,
    mut body: Value,
    reason: &str,
    if_match: Option<&str>,
) -> Outcome {
    if let Some(body) = body.as_object_mut() {
        body.insert("reason".to_owned(), reason.into());
    }
    let mut call = Call::post(skill.path(&[verb]), &body);
    if let Some(digest) = if_match {
        call = call.header("if-match", quoted(digest));
    }
    send(session, skill, &call).await
}

/// An empty body, to which the reason is added.
pub(super) fn nothing() -> Value {
    json!({})
}

/// Sends a change, and prints what the skill is then.
pub(super) async fn send(session: &Session, skill: &Reference, call: &Call) -> Outcome {
    let answer = session.send(As::Elevated(&skill.scope), call).await?;
    if !answer.status.is_success() {
        return Err(refused(skill, &Refusal::of(&answer)));
    }
    let is_new = answer.status == hyper::StatusCode::CREATED;
    print(session.out, &answer.body, is_new)
}

/// A refused change, in the words of the command line.
pub(super) fn refused(skill: &Reference, refusal: &Refusal) -> Failure {
    match refusal.status {
        404 => Failure::new(format!(
            "there is no skill {skill}, or you may not see it: `vestry skill list --scope {}` lists what is there",
            skill.scope
        )),
        412 => Failure::new(format!(
            "{skill} is not what it was: somebody changed it meanwhile; look with `vestry skill history {skill}`, and try again"
        )),
        _ => Failure::new(refusal.sentence(Some(&skill.scope))),
    }
}

/// Prints what a skill is after a change.
///
/// # Errors
/// When the answer does not say what the skill is, or cannot be printed.
pub(super) fn print(out: Out, changed: &Value, is_new: bool) -> Outcome {
    // What is reviewed became a proposal.
    if changed.get("state").is_some() {
        return proposal::print(out, changed, "waits for a review");
    }
    value::needs(changed, &["scope", "name", "revision", "status", "digest"])?;
    out.either(changed, || {
        let what = if value::flag(changed, "unchanged") {
            "was so already"
        } else if is_new {
            "created"
        } else {
            "changed"
        };
        let mut state = value::text(changed, "status").to_owned();
        if value::flag(changed, "sealed") {
            state.push_str(", sealed");
        }
        let line = format!(
            "{}/{} {what}: revision {}, {state}, {}",
            value::text(changed, "scope"),
            value::text(changed, "name"),
            value::number(changed, "revision"),
            value::text(changed, "digest"),
        );
        safe::line(&line).into_owned()
    })?;
    for warning in value::warnings(changed) {
        if !out.is_json() {
            out.note(format!("warning: {warning}"));
        }
    }
    if !out.is_json() {
        for finding in value::findings(changed, Severity::Low) {
            out.note(format!("finding: {finding}"));
        }
    }
    Ok(())
}

/// A digest as an entity tag; one that has its quotes keeps them.
pub(super) fn quoted(digest: &str) -> String {
    if digest == "*" || digest.starts_with('"') {
        digest.to_owned()
    } else {
        format!("\"{digest}\"")
    }
}
