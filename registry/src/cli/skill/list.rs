//! `vestry skill list`.

use serde_json::{Value, json};

use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::{Cell, Table, style, value};
use crate::cli::session::Session;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Only the skills at this scope, not resolved.
    #[arg(long)]
    scope: Option<String>,
    /// Without --scope: what an agent of this role is offered.
    #[arg(long, conflicts_with = "scope")]
    role: Option<String>,
    /// A part of name or description, without regard to case.
    #[arg(long, short)]
    query: Option<String>,
    /// With --scope: only skills of this status; all but archived ones when left out.
    #[arg(long, value_enum, requires = "scope")]
    status: Option<Status>,
    /// Only skills that override one which has changed since they were written.
    #[arg(long)]
    upstream_changed: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Status {
    Active,
    Disabled,
    Quarantined,
    Revoked,
    Archived,
}

impl Status {
    fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Disabled => "disabled",
            Self::Quarantined => "quarantined",
            Self::Revoked => "revoked",
            Self::Archived => "archived",
        }
    }
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let filter = [
        ("scope", args.scope.as_deref()),
        ("role", args.role.as_deref()),
        ("q", args.query.as_deref()),
        ("status", args.status.map(Status::as_str)),
        ("upstream_changed", args.upstream_changed.then_some("true")),
    ];
    let (items, _) = session.list("/v1/skills", &filter, None).await?;
    let out = session.out;
    out.either(&json!({"items": items}), || {
        let mut table = if args.scope.is_some() {
            Table::new(&["NAME", "REV", "STATUS", "AUTHOR", "CHANGED", "DESCRIPTION"])
        } else {
            Table::new(&["NAME", "SCOPE", "REV", "", "DESCRIPTION"])
        };
        for item in &items {
            table.row(if args.scope.is_some() {
                row(item)
            } else {
                entry(item)
            });
        }
        table.render(out, "There are no such skills.")
    })
}

/// A skill at a scope.
fn row(skill: &Value) -> Vec<Cell> {
    let status = value::text(skill, "status");
    let mut shown = status.to_owned();
    if value::flag(skill, "sealed") {
        shown.push_str(", sealed");
    }
    if value::text(skill, "mode") == "ambient" {
        shown.push_str(", ambient");
    }
    let roles = value::joined(skill, "roles");
    if !roles.is_empty() {
        shown.push_str(", for ");
        shown.push_str(&roles);
    }
    if let Some(drift) = drift(skill) {
        shown.push_str(", ");
        shown.push_str(&drift);
    }
    vec![
        value::text(skill, "name").into(),
        value::number(skill, "revision").into(),
        Cell::styled(&shown, status_style(status)),
        value::text(skill, "author").into(),
        value::time(skill, "updated_at").into(),
        value::text(skill, "description").into(),
    ]
}

/// A skill of the resolved listing.
fn entry(skill: &Value) -> Vec<Cell> {
    let mut marks = Vec::new();
    if value::flag(skill, "sealed") {
        marks.push("sealed".to_owned());
    }
    let shadows = value::joined(skill, "shadows");
    if !shadows.is_empty() {
        marks.push(format!("overrides {shadows}"));
    }
    marks.extend(drift(skill));
    vec![
        value::text(skill, "name").into(),
        Cell::styled(value::text(skill, "scope"), style::PLACE),
        value::number(skill, "revision").into(),
        Cell::styled(&marks.join(", "), style::FAINT),
        value::text(skill, "description").into(),
    ]
}

/// Which skill that this one overrides has changed since it was written.
fn drift(skill: &Value) -> Option<String> {
    let upstream = skill
        .get("upstream")
        .filter(|_| value::flag(skill, "upstream_changed"))?;
    let now = format!(
        "{} revision {}",
        value::text(upstream, "scope"),
        value::number(upstream, "revision")
    );
    let then = value::number(upstream, "written_against");
    Some(if then.is_empty() {
        format!("{now} is new")
    } else {
        format!("{now} is newer than {then}")
    })
}

/// The colour of a status.
pub(super) fn status_style(status: &str) -> anstyle::Style {
    match status {
        "active" => style::GOOD,
        "quarantined" | "revoked" => style::BAD,
        _ => style::WARN,
    }
}
