//! `vestry skill check`.

use serde_json::Value;

use super::change::refused;
use super::source::Source;
use crate::cli::failure::{Failure, Outcome, Refusal};
use crate::cli::options::Options;
use crate::cli::output::{Out, safe, value};
use crate::cli::send::{check_call, upload};
use crate::cli::session::{As, Session};
use crate::content::scan::Severity;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    #[command(flatten)]
    source: Source,
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let (skill, bundle) = args.source.read(options.out())?;
    let session = Session::open(options)?;
    let as_ = As::Elevated(&skill.scope);
    if let Some(answer) = upload(&session, as_, &bundle).await? {
        return Err(refused(&skill, &Refusal::of(&answer)));
    }
    let call = check_call(skill.path(&["check"]), &bundle, None);
    let answer = session.send(as_, &call).await?;
    if !answer.status.is_success() {
        return Err(refused(&skill, &Refusal::of(&answer)));
    }
    value::needs(&answer.body, &["allowed", "rule", "digest"])?;
    session.out.either(&answer.body, || {
        human(session.out, &skill.to_string(), &answer.body)
    })?;
    if value::flag(&answer.body, "allowed") {
        Ok(())
    } else {
        Err(Failure::Said)
    }
}

fn human(out: Out, skill: &str, answer: &Value) -> String {
    let does = if value::flag(answer, "unchanged") {
        "would change nothing"
    } else if value::flag(answer, "creates") {
        "would create it"
    } else {
        "would update it"
    };
    let may = if value::flag(answer, "allowed") {
        "you may publish it"
    } else {
        "you may not publish it now"
    };
    let mut text = safe::line(&format!(
        "{skill}: publishing {does}, and {may} (rule {}); {} bytes, {}",
        value::text(answer, "rule"),
        value::number(answer, "size"),
        value::text(answer, "digest")
    ))
    .into_owned();
    text.push('\n');
    text.push_str(&super::impact::lines(out, answer));
    for warning in value::warnings(answer) {
        let line = format!("warning: {warning}");
        text.push_str(&out.paint(crate::cli::output::style::WARN, &safe::line(&line)));
        text.push('\n');
    }
    for finding in value::findings(answer, Severity::Low) {
        let line = format!("finding: {finding}");
        text.push_str(&out.paint(crate::cli::output::style::WARN, &safe::line(&line)));
        text.push('\n');
    }
    text
}
