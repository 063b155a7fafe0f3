//! The reference for authors of templates, as a page to read.
//!
//! What it shows comes from a schema, which may be an operator's: every text goes through the escapes of `maud`.

use maud::{DOCTYPE, Markup, html};

use super::parts::{described, head};
use crate::template::reference::{FieldDoc, Reference};

/// The sections, each under its identifier.
const SECTIONS: [(&str, &str); 5] = [
    ("situations", "Situations"),
    ("fields", "Fields"),
    ("helpers", "Helpers"),
    ("guards", "Guarding what may be null"),
    ("refusals", "What is refused"),
];

/// The page of a reference.
pub(in crate::http) fn reference_page(reference: &Reference) -> Markup {
    let [situations, fields, helpers, guards, refusals] = SECTIONS;
    html! {
        (DOCTYPE)
        html lang="en" {
            (head("Vestry templates"))
            body {
                header {
                    h1 { "Templates: what they may read and call" }
                    p { (described(&reference.about)) }
                    p {
                        "Version " (reference.schema_version) " of the context schema, SHA-256 " code { (reference.schema_digest) } ". The API: "
                        a href="/docs" { "docs" } "."
                    }
                }
                (nav(reference))
                main {
                    (section(situations, self::situations(reference)))
                    (section(fields, self::fields(reference)))
                    (section(helpers, self::helpers(reference)))
                    (section(guards, self::guards(reference)))
                    (section(refusals, self::refusals(reference)))
                }
            }
        }
    }
}

fn nav(reference: &Reference) -> Markup {
    html! {
        nav {
            @for (id, title) in SECTIONS {
                details open {
                    summary { a href={ "#" (id) } { (title) } }
                    ul {
                        @if id == "fields" {
                            @for field in reference.fields.iter().filter(|field| is_outer(field)) {
                                li { a href={ "#field-" (field.path) } { (field.path) } }
                            }
                        } @else if id == "helpers" {
                            @for helper in &reference.helpers { li { a href={ "#helper-" (helper.name) } { (helper.name) } } }
                        }
                    }
                }
            }
        }
    }
}

fn section((id, title): (&str, &str), content: Markup) -> Markup {
    html! { section id=(id) { h2 { (title) } (content) } }
}

fn situations(reference: &Reference) -> Markup {
    html! {
        p { "A template is checked for each of these kinds of run, and must hold in all of them." }
        table {
            tr { th { "Situation" } th { "When" } th { "Set" } th { "Null" } }
            @for situation in &reference.situations {
                tr {
                    td { code { (situation.name) } }
                    td { (described(&situation.about)) }
                    td {
                        @for path in &situation.set { code { (path) } " " }
                        @for (path, word) in &situation.is { code { (path) " = " (word) } " " }
                    }
                    td { @for path in &situation.null { code { (path) } " " } }
                }
            }
        }
    }
}

/// Whether a field is one of the context itself.
fn is_outer(field: &FieldDoc) -> bool {
    !field.path.contains('.')
}

fn fields(reference: &Reference) -> Markup {
    html! {
        p { code { "people[].name" } " is the name of each of the people. What may be null needs a guard." }
        @for group in reference.fields.chunk_by(|_, next| !is_outer(next)) {
            @if let Some(outer) = group.first() {
                article id={ "field-" (outer.path) } {
                    h3 { code { (outer.path) } }
                    table {
                        tr { th { "Field" } th { "Type" } th { "May be null" } th { "Example" } th { "What it is" } }
                        @for field in group { (row(field)) }
                    }
                }
            }
        }
    }
}

fn row(field: &FieldDoc) -> Markup {
    html! {
        tr {
            td { code { (field.path) } @if field.required { span.required title="required" { "*" } } }
            td { (described(&field.ty)) }
            td { @if field.nullable { "yes" } @else { "no" } }
            td { @if let Some(sample) = &field.sample { code { (sample) } } }
            td {
                (described(&field.description))
                @if field.filled_by_server { " Filled by the server." }
            }
        }
    }
}

fn helpers(reference: &Reference) -> Markup {
    html! {
        @for helper in &reference.helpers {
            article id={ "helper-" (helper.name) } {
                h3 { code { (helper.name) } }
                p { code { (helper.signature) } }
                p { (described(&helper.description)) }
                pre { code { (helper.example) } }
                p.note { "writes" }
                pre { code { (helper.result) } }
            }
        }
    }
}

fn guards(reference: &Reference) -> Markup {
    html! {
        @for guard in reference.guards {
            article {
                p { (described(guard.rule)) }
                pre { code { (guard.example) } }
            }
        }
    }
}

fn refusals(reference: &Reference) -> Markup {
    html! {
        table {
            tr { th { "Refused" } th { "Code" } th { "Why" } th { "Instead" } }
            @for refusal in reference.refusals {
                tr {
                    td { code { (refusal.example) } }
                    td { code { (refusal.code) } }
                    td { (described(refusal.why)) }
                    td { @if !refusal.instead.is_empty() { code { (refusal.instead) } } }
                }
            }
        }
    }
}
