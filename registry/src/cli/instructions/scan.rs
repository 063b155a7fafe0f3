//! `vestry instructions scan`: the catalog.

use serde_json::{Map, Value};

use super::Where;
use crate::cli::failure::Outcome;
use crate::cli::output::{Out, Table};
use crate::instructions::{Catalog, Entry, scan};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    #[command(flatten)]
    places: Where,
}

pub(super) fn run(out: Out, args: &Args) -> Outcome {
    let catalog = scan(&args.places.places()?)?;
    if out.is_json() {
        return out.json(&serde_json::to_value(&catalog)?);
    }
    out.text(&table(out, &catalog))?;
    if catalog.truncated > 0 {
        out.note(format!("{} more are not listed", catalog.truncated));
    }
    for left in &catalog.left_out {
        out.note(format!(
            "left out: {} ({}): {}",
            left.path, left.level, left.reason
        ));
    }
    if catalog.left_out_truncated > 0 {
        out.note(format!("{} more were left out", catalog.left_out_truncated));
    }
    Ok(())
}

fn table(out: Out, catalog: &Catalog) -> String {
    let mut table = Table::new(&["LEVEL", "PATH", "BYTES", "FRONTMATTER"]);
    for entry in &catalog.entries {
        table.row(vec![
            entry.level.to_string().into(),
            entry.path.clone().into(),
            entry.size.to_string().into(),
            said(entry).into(),
        ]);
    }
    table.render(out, "There are no instruction files.")
}

/// The frontmatter in one line: the description where there is one.
fn said(entry: &Entry) -> String {
    if let Some(error) = &entry.frontmatter_error {
        return format!("unreadable: line {}: {}", error.line, error.detail);
    }
    let none = Map::new();
    let frontmatter = entry.frontmatter.as_ref().unwrap_or(&none);
    match frontmatter.get("description").and_then(Value::as_str) {
        Some(description) => description.to_owned(),
        None if frontmatter.is_empty() => String::new(),
        None => Value::Object(frontmatter.clone()).to_string(),
    }
}
