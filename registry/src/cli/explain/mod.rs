//! `vestry explain`: what somebody may do, and why; `vestry explain catalog`: why a skill is in a catalog, or is not.

mod catalog;

use serde_json::Value;

use super::failure::Outcome;
use super::options::Options;
use super::output::{Out, safe, style, value};
use super::session::{As, Session};
use crate::client::{Call, query};

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(super) struct Args {
    /// The action, as the audit log names it, such as `publish-skill`.
    #[arg(required = true)]
    action: Option<String>,
    /// What it is done to: `server`, a scope, or SCOPE/NAME.
    #[arg(required = true)]
    target: Option<String>,
    /// About whom: `human:NAME`, `agent:AGENT@ACTOR` or `service:ID`; yourself when left out.
    #[arg(long)]
    principal: Option<String>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Say of every skill at an actor's scopes why it is in the catalog, or is not.
    Catalog(catalog::Args),
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    if let Some(Command::Catalog(args)) = args.command {
        return catalog::run(options, args).await;
    }
    let session = Session::open(options)?;
    let pairs = [
        ("action", args.action.as_deref()),
        ("target", args.target.as_deref()),
        ("principal", args.principal.as_deref()),
    ];
    let call = Call::get(query("/v1/explain", &pairs));
    // What one may do with the elevation that one has: it is what the next command would use.
    let scope = args.target.as_deref().unwrap_or_default();
    let scope = scope.split_once('/').map_or(scope, |(scope, _)| scope);
    let who = if args.principal.is_none() && !scope.is_empty() {
        As::Elevated(scope)
    } else {
        As::Oneself
    };
    let fields = ["principal", "verdict", "rule", "conditions"];
    let answer = session.ask_for(who, &call, &fields).await?;
    let out = session.out;
    out.either(&answer.body, || human(out, &answer.body))
}

fn human(out: Out, answer: &Value) -> String {
    let mut text = format!(
        "{} {} {}: {}\n",
        safe::line(value::text(answer, "principal")),
        safe::line(value::text(answer, "action")),
        safe::line(value::text(answer, "target")),
        verdict(out, answer),
    );
    if answer.get("authority_stands") == Some(&Value::Bool(false)) {
        text.push_str("Its credentials are not taken any more, whatever the rules say.\n");
    }
    for condition in value::items(answer, "conditions") {
        let (mark, paint) = if value::flag(condition, "holds") {
            ("yes", style::GOOD)
        } else {
            ("no ", style::BAD)
        };
        text.push_str(&format!(
            "  {} {} ({})\n",
            out.paint(paint, mark),
            safe::line(value::text(condition, "condition")),
            safe::line(value::text(condition, "rule")),
        ));
    }
    let mut say = |line: &str| {
        if !line.is_empty() {
            text.push_str(&safe::line(line));
            text.push('\n');
        }
    };
    say(value::text(answer, "needed"));
    if let Some(elevated) = answer.get("elevated") {
        let may = if value::flag(elevated, "may_elevate") {
            "With a step up"
        } else {
            "With a step up, which it may not take"
        };
        let rule = value::text(elevated, "rule");
        say(&format!(
            "{may}: {} ({rule})",
            value::text(elevated, "verdict")
        ));
        say(value::text(elevated, "needed"));
    }
    text
}

fn verdict(out: Out, answer: &Value) -> String {
    let verdict = value::text(answer, "verdict");
    let paint = if verdict == "allow" {
        style::GOOD
    } else {
        style::BAD
    };
    format!(
        "{} ({})",
        out.paint(paint, &safe::line(verdict)),
        safe::line(value::text(answer, "rule"))
    )
}
