//! What a change would do to catalogs: `--dry-run` of the switches, and part of `vestry skill check`.

use serde_json::Value;

use super::Reference;
use super::change::refused;
use crate::cli::failure::{Failure, Outcome, Refusal};
use crate::cli::output::{Cell, Out, Table, safe, style, value};
use crate::cli::session::{As, Session};
use crate::client::{Call, query};

/// Why, unless nothing is done.
#[derive(Debug, clap::Args)]
pub(super) struct Why {
    /// Why; one line, for the audit log.
    #[arg(long, required_unless_present = "dry_run")]
    reason: Option<String>,
    #[command(flatten)]
    pub(super) dry: Dry,
}

impl Why {
    /// The reason; it is there unless this is a dry run.
    pub(super) fn reason(&self) -> &str {
        self.reason.as_deref().unwrap_or_default()
    }
}

/// Whether nothing is to be done.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct Dry {
    /// Say what it would do to the catalogs of actors, without doing it.
    #[arg(long)]
    pub(super) dry_run: bool,
}

/// Asks what a switch of a skill would do, as whoever would do it at `scope`, and prints it.
pub(super) async fn foresee(
    session: &Session,
    skill: &Reference,
    scope: &str,
    action: &str,
) -> Outcome {
    let call = Call::get(query(&skill.path(&["impact"]), &[("action", Some(action))]));
    let answer = session.send(As::Elevated(scope), &call).await?;
    if !answer.status.is_success() {
        return Err(refused(skill, &Refusal::of(&answer)));
    }
    value::needs(&answer.body, &["action", "allowed", "rule"])?;
    let out = session.out;
    out.either(&answer.body, || {
        let may = if value::flag(&answer.body, "allowed") {
            "you may do it"
        } else {
            "you may not do it now"
        };
        let does = if value::flag(&answer.body, "unchanged") {
            "would change nothing"
        } else {
            "would do this"
        };
        let line = format!(
            "{skill}: {action} {does}, and {may} (rule {})",
            value::text(&answer.body, "rule")
        );
        format!("{}\n{}", safe::line(&line), lines(out, &answer.body))
    })?;
    if value::flag(&answer.body, "allowed") {
        Ok(())
    } else {
        Err(Failure::Said)
    }
}

/// The groups of an impact, and what is said of each.
const GROUPS: [(&str, &str); 7] = [
    ("gains", "gain it"),
    ("loses", "lose it"),
    ("changes", "get other content"),
    ("shadowed", "see one of this name newly overridden"),
    ("blocked", "have one of this name newly blocked"),
    ("omitted", "have it past the default cap"),
    ("past_cap", "see something fall past the default cap"),
];

/// The impact of an answer, for people; nothing where it has none.
pub(in crate::cli) fn lines(out: Out, answer: &Value) -> String {
    let Some(impact) = answer.get("impact").filter(|impact| impact.is_object()) else {
        return String::new();
    };
    let at_least = if value::flag(impact, "at_least") {
        "at least "
    } else {
        ""
    };
    let over = match value::text(impact, "over") {
        "actor" => "your own catalog",
        "tenant" => "the tenant",
        "installation" => "all tenants",
        other => other,
    };
    let mut text = safe::line(&format!(
        "of {at_least}{} actors ({over}), {} would notice",
        value::number(impact, "actors"),
        count(impact.get("affected")),
    ))
    .into_owned();
    text.push('\n');
    let mut table = Table::new(&["ACTORS", "", "WHO"]);
    let mut is_empty = true;
    for (group, words) in GROUPS {
        let Some(who) = impact.get(group).filter(|who| is_some(who)) else {
            continue;
        };
        is_empty = false;
        table.row(vec![
            count(Some(who)).into(),
            Cell::styled(words, style::FAINT),
            value::joined(who, "named").into(),
        ]);
    }
    if !is_empty {
        text.push_str(&table.render(out, ""));
    }
    let fallen: Vec<String> = value::items(impact, "fallen")
        .iter()
        .map(|one| format!("{}/{}", value::text(one, "scope"), value::text(one, "name")))
        .collect();
    if !fallen.is_empty() {
        text.push_str(&safe::line(&format!("falls: {}", fallen.join(", "))));
        text.push('\n');
    }
    text
}

fn is_some(who: &Value) -> bool {
    who.get("actors").and_then(Value::as_u64).unwrap_or(0) > 0
}

/// How many, and of how many tenants where that is said.
fn count(who: Option<&Value>) -> String {
    let Some(who) = who else {
        return "0".to_owned();
    };
    let actors = value::number(who, "actors");
    match value::number(who, "tenants") {
        tenants if tenants.is_empty() => actors,
        tenants => format!("{actors} of {tenants} tenants"),
    }
}
