//! `vestry prompt list`.

use serde_json::{Value, json};

use super::LibraryAt;
use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::{Table, value};
use crate::cli::session::Session;
use crate::prompts::{LibraryFile, sha256};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// List the templates of a scope of the registry instead.
    #[arg(long)]
    scope: Option<String>,
    #[command(flatten)]
    library: LibraryAt,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    match &args.scope {
        Some(scope) => of_scope(options, scope).await,
        None => of_library(options, &args),
    }
}

fn of_library(options: &Options, args: &Args) -> Outcome {
    let out = options.out();
    let library = args.library.existing(options)?;
    let files = library.files()?;
    let items: Vec<Value> = files
        .iter()
        .map(|(name, read)| match read {
            Ok(file) => row(file),
            Err(error) => json!({"file": name, "refused": error.to_string()}),
        })
        .collect();
    let listed = json!({"library": library.directory().display().to_string(), "items": items});
    out.either(&listed, || {
        let mut table = Table::new(&["FILE", "WORKFLOWS", "REPOS", "FIELDS"]);
        for item in &items {
            let refused = value::text(item, "refused");
            if refused.is_empty() {
                let of = |field: &str, all: &str| match item.get(field) {
                    Some(Value::Array(_)) => value::joined(item, field),
                    _ => all.to_owned(),
                };
                table.row(vec![
                    value::text(item, "file").into(),
                    of("workflows", "all").into(),
                    of("repos", "all").into(),
                    of("fields", "the primary role").into(),
                ]);
            } else {
                table.row(vec![
                    value::text(item, "file").into(),
                    refused.into(),
                    "".into(),
                    "".into(),
                ]);
            }
        }
        table.render(
            out,
            "Your library has no templates; `vestry prompt add FILE` puts one into it.",
        )
    })
}

fn row(file: &LibraryFile) -> Value {
    fn texts<T: ToString>(set: Option<&std::collections::BTreeSet<T>>) -> Value {
        set.map_or(Value::Null, |set| {
            set.iter().map(|one| Value::from(one.to_string())).collect()
        })
    }
    let selectors = &file.selectors;
    json!({
        "file": file.file,
        "source": format!("user:{}", file.file),
        "workflows": texts(selectors.workflows.as_ref()),
        "repos": texts(selectors.repositories.as_ref()),
        "fields": texts(selectors.roles.as_ref()),
        "templateSha256": sha256(&file.template),
    })
}

async fn of_scope(options: &Options, scope: &str) -> Outcome {
    let session = Session::open(options)?;
    let filter = [("scope", Some(scope)), ("kind", Some("prompt"))];
    let (items, _) = session.list("/v1/skills", &filter, None).await?;
    let out = session.out;
    out.either(&json!({"items": items}), || {
        let mut table = Table::new(&[
            "TEMPLATE",
            "REV",
            "STATUS",
            "AUTHOR",
            "CHANGED",
            "DESCRIPTION",
        ]);
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
        table.render(out, "There is no prompt template.")
    })
}
