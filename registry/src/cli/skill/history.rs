//! `vestry skill history`.

use serde_json::{Value, json};

use super::Reference;
use super::list::status_style;
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::{Cell, Table, value};
use crate::cli::session::Session;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The skill.
    #[arg(value_name = "SCOPE/NAME", value_parser = Reference::parse)]
    skill: Reference,
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let path = args.skill.path(&["revisions"]);
    let (items, _) = session.list(&path, &[], None).await?;
    let out = session.out;
    out.either(&json!({"items": items}), || {
        let head = ["REV", "AT", "AUTHOR", "STATUS", "SIZE", "DIGEST", "MESSAGE"];
        let mut table = Table::new(&head);
        for item in &items {
            table.row(row(item));
        }
        table.render(out, "There are no revisions.")
    })
}

fn row(revision: &Value) -> Vec<Cell> {
    let author = match value::text(revision, "acts_for") {
        "" => value::text(revision, "author").to_owned(),
        actor => format!("{} for {actor}", value::text(revision, "author")),
    };
    let mut message = value::text(revision, "message").to_owned();
    let back_to = value::number(revision, "rolled_back_to");
    if !back_to.is_empty() {
        message = format!("[back to {back_to}] {message}");
    }
    let recalled = value::text(revision, "recall_reason");
    if !recalled.is_empty() {
        message = format!(
            "{message} [{}: {recalled}]",
            value::text(revision, "status")
        );
    }
    let status = value::text(revision, "status");
    vec![
        value::number(revision, "revision").into(),
        value::time(revision, "created_at").into(),
        author.into(),
        Cell::styled(status, status_style(status)),
        value::number(revision, "size").into(),
        value::short_digest(revision, "digest").into(),
        message.trim().into(),
    ]
}
