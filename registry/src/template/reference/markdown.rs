//! The reference as Markdown.

use std::fmt::Write as _;

use serde_json::Value;

use super::{FieldDoc, Reference};

/// The most characters of an example in a table.
const MAX_EXAMPLE: usize = 80;

/// The whole document.
pub(super) fn document(reference: &Reference) -> String {
    let mut text = String::with_capacity(32 << 10);
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "# Templates: what they may read and call\n\n{}\n\nSchema version {}, SHA-256 `{}`.\n",
        reference.about, reference.schema_version, reference.schema_digest
    );
    situations(reference, &mut text);
    fields(reference, &mut text);
    helpers(reference, &mut text);
    guards(reference, &mut text);
    refusals(reference, &mut text);
    text
}

fn situations(reference: &Reference, text: &mut String) {
    text.push_str(
        "\n## Situations\n\nA template is checked for each of these kinds of run, and must hold in all of them.\n\n\
         | Situation | When | Set | Null |\n|---|---|---|---|\n",
    );
    for situation in &reference.situations {
        let is = situation
            .is
            .iter()
            .map(|(path, word)| code(&format!("{path} = {word}")));
        let set: Vec<String> = situation
            .set
            .iter()
            .map(|path| code(path))
            .chain(is)
            .collect();
        let null: Vec<String> = situation.null.iter().map(|path| code(path)).collect();
        row(
            text,
            &[
                &code(&situation.name),
                &situation.about,
                &set.join(", "),
                &null.join(", "),
            ],
        );
    }
}

fn fields(reference: &Reference, text: &mut String) {
    text.push_str(
        "\n## Fields\n\n`people[].name` is the name of each of the people. What may be null needs a guard.\n",
    );
    for field in &reference.fields {
        if !field.path.contains('.') {
            let _ = write!(
                text,
                "\n### {}\n\n| Field | Type | May be null | Example | What it is |\n|---|---|---|---|---|\n",
                code(&field.path)
            );
        }
        field_row(field, text);
    }
}

fn field_row(field: &FieldDoc, text: &mut String) {
    let null = if field.nullable { "yes" } else { "no" };
    let sample = field.sample.as_ref().map_or(String::new(), example);
    row(
        text,
        &[
            &code(&field.path),
            &field.ty,
            null,
            &sample,
            &field.description,
        ],
    );
}

fn example(sample: &Value) -> String {
    let whole = sample.to_string();
    let mut short: String = whole.chars().take(MAX_EXAMPLE).collect();
    if short.len() < whole.len() {
        short.push('…');
    }
    code(&short)
}

fn helpers(reference: &Reference, text: &mut String) {
    text.push_str("\n## Helpers\n");
    for helper in &reference.helpers {
        let _ = write!(
            text,
            "\n### {}\n\n{}\n\n{}\n\nExample: {} gives {}\n",
            code(&helper.name),
            code(&helper.signature),
            helper.description,
            code(&helper.example),
            code(&helper.result)
        );
    }
}

fn guards(reference: &Reference, text: &mut String) {
    text.push_str("\n## Guarding what may be null\n\n| Rule | Example |\n|---|---|\n");
    for guard in reference.guards {
        row(text, &[guard.rule, &code(guard.example)]);
    }
}

fn refusals(reference: &Reference, text: &mut String) {
    text.push_str(
        "\n## What is refused\n\n| Refused | Code | Why | Instead |\n|---|---|---|---|\n",
    );
    for refusal in reference.refusals {
        let instead = if refusal.instead.is_empty() {
            String::new()
        } else {
            code(refusal.instead)
        };
        row(
            text,
            &[
                &code(refusal.example),
                &code(refusal.code),
                refusal.why,
                &instead,
            ],
        );
    }
}

/// A row of a table. A pipe would end the cell, also within code.
fn row(text: &mut String, cells: &[&str]) {
    for cell in cells {
        let _ = write!(text, "| {} ", cell.replace('|', "\\|").replace('\n', " "));
    }
    text.push_str("|\n");
}

/// Text as code, whatever backticks it has.
fn code(text: &str) -> String {
    if text.is_empty() {
        return "*nothing*".to_owned();
    }
    let longest = text
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{}{pad}{fence}", text.replace('\n', "⏎"))
}
