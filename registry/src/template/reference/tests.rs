//! The reference has everything of the schema, and its tables hold together.

use serde_json::json;

use super::{GUARDS, HelperDoc, REFUSALS, Reference, markdown};
use crate::template::helpers::{FUNCTIONS, table};
use crate::template::schema::tests::{base, parse};
use crate::template::schema::{Object, RESERVED_NAMES, Schema};
use crate::template::{Checked, Diagnostics, World, check_in};

fn helpers() -> Vec<HelperDoc> {
    vec![HelperDoc {
        name: "default".into(),
        signature: "default value text → text".into(),
        description: "The value, or the text where there is none.".into(),
        example: "{{default task.due \"a|b `c`\"}}".into(),
        result: "2026-03-14".into(),
    }]
}

fn count(object: &Object) -> usize {
    object
        .fields
        .iter()
        .map(|field| 1 + field.ty.inner_object().map_or(0, count))
        .sum()
}

#[test]
fn every_field_is_there_with_all_that_is_known_of_it() {
    let schema = Schema::built_in();
    let reference = Reference::new(schema, &helpers());
    assert_eq!(reference.fields.len(), count(schema.root()));
    assert_eq!(reference.schema_version, 1);
    assert_eq!(reference.schema_digest, **schema.digest());
    for field in &reference.fields {
        let names: Vec<&str> = field
            .path
            .split('.')
            .map(|step| step.trim_end_matches("[]"))
            .collect();
        let known = schema
            .field(&names)
            .unwrap_or_else(|| panic!("{}", field.path));
        assert_eq!(field.description, *known.description);
        assert_eq!(field.nullable, known.nullable);
        assert_eq!(
            field.sample.is_none(),
            known.ty.inner_object().is_some(),
            "{}",
            field.path
        );
    }
    let filled: Vec<&str> = reference
        .fields
        .iter()
        .filter(|field| field.filled_by_server)
        .map(|field| &*field.path)
        .collect();
    assert_eq!(filled, ["skills"]);
    let paths: Vec<&str> = reference.fields.iter().map(|field| &*field.path).collect();
    for path in [
        "people",
        "people[].name",
        "role.reports_to.name",
        "opening.task.events[].at",
    ] {
        assert!(paths.contains(&path), "{path}");
    }
}

#[test]
fn maps_and_situations_are_shown() {
    let reference = Reference::new(&parse(&base()).unwrap(), &[]);
    let labels = reference
        .fields
        .iter()
        .find(|field| field.path == "labels")
        .unwrap();
    assert_eq!(labels.sample, Some(json!({"k": "v"})));
    let begin = reference
        .situations
        .iter()
        .find(|situation| situation.name == "begin")
        .unwrap();
    assert_eq!(begin.set, ["subject"]);
    assert_eq!(
        begin.is.clone().into_iter().collect::<Vec<_>>(),
        [("subject.kind".to_owned(), "new".to_owned())]
    );
    assert_eq!(begin.about, "It begins.");
    let data = serde_json::to_value(&reference).unwrap();
    assert_eq!(data["fields"][0]["type"], "object");
    assert_eq!(data["guards"].as_array().unwrap().len(), GUARDS.len());
}

#[test]
fn the_markdown_has_every_field_and_helper_and_rule() {
    let text = markdown(Schema::built_in(), &helpers());
    let reference = Reference::new(Schema::built_in(), &helpers());
    for field in &reference.fields {
        assert!(
            text.contains(&format!("| `{}` |", field.path)),
            "{}",
            field.path
        );
        assert!(
            text.contains(&field.description.replace('|', "\\|")),
            "{}",
            field.path
        );
    }
    for rule in GUARDS {
        assert!(text.contains(rule.rule), "{}", rule.rule);
    }
    for refusal in REFUSALS {
        assert!(text.contains(refusal.why), "{}", refusal.why);
    }
    assert!(text.contains("### `default`"));
    assert!(text.contains("``{{default task.due \"a|b `c`\"}}``"));
}

fn check(template: &str) -> Result<Checked, Diagnostics> {
    let schema = Schema::built_in();
    check_in(
        template,
        World {
            root: schema.root(),
            situations: schema.situations(),
        },
    )
}

#[test]
fn guards_are_accepted_and_warn_of_nothing() {
    for guard in GUARDS {
        let checked = check(guard.example)
            .unwrap_or_else(|diagnostics| panic!("{}", diagnostics.text(guard.example)));
        let warnings = checked.warnings().text(guard.example);
        assert!(warnings.is_empty(), "{}: {warnings}", guard.example);
    }
}

#[test]
fn refusals_are_refused_and_what_to_write_instead_is_not() {
    let mut wrong = Vec::new();
    for refusal in REFUSALS {
        match check(refusal.example) {
            Ok(_) => wrong.push(format!("accepted: {}", refusal.example)),
            Err(diagnostics) if diagnostics.iter().all(|found| found.code != refusal.code) => {
                wrong.push(diagnostics.text(refusal.example));
            }
            Err(_) => {}
        }
        if let Err(diagnostics) = check(refusal.instead) {
            wrong.push(diagnostics.text(refusal.instead));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What can be called is what is described, each once, and the reference has it as the table does, whose examples
/// `tests/it/templates/helpers.rs` runs.
#[test]
fn every_helper_is_described() {
    let called: Vec<&str> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
    let mut described: Vec<&str> = table().iter().map(|helper| helper.name).collect();
    described.sort_by_key(|name| called.iter().position(|called| called == name));
    assert_eq!(described, called);
    let reference = Reference::of(Schema::built_in());
    for (shown, helper) in reference.helpers.iter().zip(table()) {
        assert_eq!(*shown, HelperDoc::from(helper));
        for text in [
            helper.signature,
            helper.description,
            helper.example,
            helper.result,
        ] {
            assert!(!text.is_empty(), "{}", helper.name);
        }
    }
    assert_eq!(reference.helpers.len(), called.len());
}

/// No field may have the name of a helper, whatever helpers there are.
#[test]
fn the_names_of_helpers_are_reserved() {
    for helper in table() {
        assert!(RESERVED_NAMES.contains(&helper.name), "{}", helper.name);
    }
}

/// Whatever a cell has in it, a table keeps its columns.
#[test]
fn every_row_has_as_many_cells_as_its_head() {
    let mut document = base();
    document["properties"]["name"]["description"] = json!("One | two ``three``");
    document["properties"]["name"]["examples"] = json!(["a|`b\n"]);
    let schema = parse(&document).unwrap();
    for text in [
        markdown(&schema, &helpers()),
        markdown(Schema::built_in(), &[]),
    ] {
        let mut columns = None;
        let mut rows = 0;
        for line in text.lines() {
            if !line.starts_with('|') {
                columns = None;
                continue;
            }
            let pipes = line.replace("\\|", "").matches('|').count();
            rows += 1;
            assert_eq!(*columns.get_or_insert(pipes), pipes, "{line}");
        }
        assert!(rows > 40);
    }
}

#[test]
fn rules_are_said_once_and_in_sentences() {
    for guard in GUARDS {
        assert!(guard.rule.ends_with('.'), "{}", guard.rule);
    }
    for (index, refusal) in REFUSALS.iter().enumerate() {
        assert!(refusal.why.ends_with('.'), "{}", refusal.why);
        assert!(
            REFUSALS[..index]
                .iter()
                .all(|other| other.example != refusal.example),
            "{}",
            refusal.example
        );
        assert_ne!(refusal.example, refusal.instead);
    }
    assert!(RESERVED_NAMES.is_sorted());
}
