//! `vestry skill hide` and `unhide`: what a tenant's members see of global skills.

use serde_json::json;
use vestry_policies::SkillName;

use super::Reference;
use super::impact::{Why, foresee};
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::{safe, value};
use crate::cli::session::{As, Session};
use crate::client::{Call, path};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The name of a global skill.
    #[arg(value_parser = name)]
    name: SkillName,
    /// The tenant; that of the login when left out.
    #[arg(long)]
    tenant: Option<String>,
    #[command(flatten)]
    why: Why,
}

fn name(text: &str) -> Result<SkillName, String> {
    SkillName::parse(text.strip_prefix("global/").unwrap_or(text))
        .map_err(|error| error.to_string())
}

pub(in crate::cli) async fn run(options: &Options, args: Args, verb: &str) -> Outcome {
    let session = Session::open(options)?;
    let tenant = session.tenant(args.tenant)?;
    if args.why.dry.dry_run {
        let skill = Reference {
            scope: "global".to_owned(),
            name: args.name.into(),
        };
        return foresee(&session, &skill, &format!("tenant:{tenant}"), verb).await;
    }
    let body = json!({"tenant": tenant, "reason": args.why.reason()});
    let path = path(&["v1", "skills", "global", args.name.as_str(), verb]);
    let scope = format!("tenant:{tenant}");
    let answer = session
        .ask_for(
            As::Elevated(&scope),
            &Call::post(path, &body),
            &["name", "tenant", "hidden"],
        )
        .await?
        .body;
    session.out.either(&answer, || {
        let line = format!(
            "global/{} is {} the members of {}{}",
            value::text(&answer, "name"),
            if value::flag(&answer, "hidden") {
                "hidden from"
            } else {
                "shown to"
            },
            value::text(&answer, "tenant"),
            if value::flag(&answer, "unchanged") {
                " already"
            } else {
                ""
            },
        );
        safe::line(&line).into_owned()
    })
}
