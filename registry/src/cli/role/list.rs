//! `vestry role list`.

use serde_json::json;

use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::{Table, value};
use crate::cli::session::Session;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The scope.
    #[arg(long)]
    scope: String,
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let filter = [
        ("scope", Some(args.scope.as_str())),
        ("kind", Some("role-instruction")),
    ];
    let (items, _) = session.list("/v1/skills", &filter, None).await?;
    let out = session.out;
    out.either(&json!({"items": items}), || {
        let mut table = Table::new(&["ROLE", "REV", "STATUS", "AUTHOR", "CHANGED", "DESCRIPTION"]);
        for item in &items {
            table.row(vec![
                value::text(item, "name").into(),
                value::number(item, "revision").into(),
                value::text(item, "status").into(),
                value::text(item, "author").into(),
                value::time(item, "updated_at").into(),
                value::text(item, "description").into(),
            ]);
        }
        table.render(out, "No role has an instruction there.")
    })
}
