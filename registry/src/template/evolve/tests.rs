//! What is additive, what is breaking, and that a schema does not differ from itself.

use serde_json::{Value, json};

use super::ChangeKind::{
    Added, Described, MadeNullable, Narrowed, Removed, Renamed, Retyped, Situation, Widened,
};
use super::{Change, ChangeKind, compare, is_additive};
use crate::template::schema::Schema;
use crate::template::schema::tests::{base, parse};

fn changes(edit: impl FnOnce(&mut Value)) -> Vec<Change> {
    let mut document = base();
    edit(&mut document);
    compare(&parse(&base()).unwrap(), &parse(&document).unwrap())
}

/// The edit makes exactly these changes.
#[track_caller]
fn assert_changes(edit: impl FnOnce(&mut Value), expected: &[(&str, ChangeKind, bool)]) {
    let found = changes(edit);
    let short: Vec<(&str, ChangeKind, bool)> = found
        .iter()
        .map(|change| (&*change.path, change.kind, change.breaking))
        .collect();
    assert_eq!(short, expected, "{found:#?}");
    for change in &found {
        assert!(change.sentence.ends_with('.'), "{change:?}");
    }
    assert_eq!(
        is_additive(&found),
        expected.iter().all(|(_, _, breaking)| !breaking)
    );
}

fn field(document: &mut Value, name: &str) -> Value {
    document["properties"][name].clone()
}

fn remove(document: &mut Value, name: &str) {
    document["properties"].as_object_mut().unwrap().remove(name);
    document["required"]
        .as_array_mut()
        .unwrap()
        .retain(|required| required != name);
}

#[test]
fn a_schema_does_not_differ_from_itself() {
    assert_eq!(compare(Schema::built_in(), Schema::built_in()), []);
    assert_changes(|_| {}, &[]);
    // Nor from one that says the same in another way.
    assert_changes(
        |document| {
            let person = document["$defs"]["person"].clone();
            document["properties"]["people"]["items"] = person;
        },
        &[],
    );
    assert_changes(|document| document["x-version"] = json!(4), &[]);
}

#[test]
fn fields_are_added() {
    assert_changes(
        |document| document["properties"]["more"] = field(document, "note"),
        &[("more", Added, false)],
    );
    assert_changes(
        |document| {
            document["properties"]["more"] = field(document, "flag");
            document["required"]
                .as_array_mut()
                .unwrap()
                .push(json!("more"));
        },
        &[("more", Added, false)],
    );
    assert_changes(
        |document| {
            let note = field(document, "note");
            document["$defs"]["person"]["properties"]["more"] = note;
        },
        &[
            ("boss.more", Added, false),
            ("people.more", Added, false),
            ("people", Described, false),
        ],
    );
}

#[test]
fn fields_are_removed_and_renamed() {
    assert_changes(
        |document| remove(document, "note"),
        &[("note", Removed, true)],
    );
    assert_changes(
        |document| {
            document["properties"]["remark"] = field(document, "note");
            remove(document, "note");
        },
        &[("note", Renamed, true)],
    );
    // What is another thing as well is gone, and something is new.
    assert_changes(
        |document| {
            document["properties"]["remark"] = field(document, "note");
            document["properties"]["remark"]["maxLength"] = json!(21);
            remove(document, "note");
        },
        &[("note", Removed, true), ("remark", Added, false)],
    );
}

#[test]
fn nullability() {
    assert_changes(
        |document| document["properties"]["name"]["type"] = json!(["string", "null"]),
        &[("name", MadeNullable, true)],
    );
    assert_changes(
        |document| {
            document["properties"]["name"]["type"] = json!(["string", "null"]);
            document["required"]
                .as_array_mut()
                .unwrap()
                .retain(|required| required != "name");
        },
        &[("name", MadeNullable, true), ("name", Widened, false)],
    );
    assert_changes(
        |document| {
            document["properties"]["note"]["type"] = json!("string");
            document["required"]
                .as_array_mut()
                .unwrap()
                .push(json!("note"));
        },
        &[("note", Narrowed, true), ("note", Narrowed, true)],
    );
    assert_changes(
        |document| {
            document["required"]
                .as_array_mut()
                .unwrap()
                .push(json!("note"))
        },
        &[("note", Narrowed, true)],
    );
}

#[test]
fn maxima_and_ranges() {
    for (pointer, path) in [
        ("/properties/name/maxLength", "name"),
        ("/properties/words/maxItems", "words"),
        ("/properties/words/items/maxLength", "words"),
        ("/properties/labels/maxProperties", "labels"),
        ("/properties/labels/propertyNames/maxLength", "labels"),
        (
            "/properties/labels/additionalProperties/maxLength",
            "labels",
        ),
        ("/properties/count/maximum", "count"),
    ] {
        let by = |difference: i64| {
            move |document: &mut Value| {
                let place = document.pointer_mut(pointer).unwrap();
                *place = json!(place.as_i64().unwrap() + difference);
            }
        };
        assert_changes(by(-1), &[(path, Narrowed, true)]);
        assert_changes(by(1), &[(path, Widened, false)]);
    }
    assert_changes(
        |document| document["properties"]["count"]["minimum"] = json!(2),
        &[("count", Narrowed, true)],
    );
    // Further on one side and less far on the other is less.
    assert_changes(
        |document| {
            document["properties"]["count"]["minimum"] = json!(0);
            document["properties"]["count"]["maximum"] = json!(8);
        },
        &[("count", Narrowed, true)],
    );
}

#[test]
fn words() {
    assert_changes(
        |document| document["properties"]["level"]["enum"] = json!(["low", "high", "top"]),
        &[("level", Added, false)],
    );
    assert_changes(
        |document| document["properties"]["level"]["enum"] = json!(["low"]),
        &[("level", Removed, true)],
    );
    assert_changes(
        |document| {
            document["properties"]["level"]["enum"] = json!(["high", "low"]);
            document["properties"]["level"]["examples"] = json!(["low"]);
        },
        &[("level", Described, false)],
    );
}

#[test]
fn types() {
    assert_changes(
        |document| {
            document["properties"]["note"] =
                json!({"description": "A note.", "type": ["boolean", "null"]});
        },
        &[("note", Retyped, true), ("note", Described, false)],
    );
    assert_changes(
        |document| {
            document["properties"]["level"] = json!({"description": "A word.", "type": "string", "maxLength": 9, "examples": ["low"]});
        },
        &[("level", Retyped, true)],
    );
}

#[test]
fn what_is_said_of_fields() {
    assert_changes(
        |document| document["properties"]["name"]["description"] = json!("The name."),
        &[("name", Described, false)],
    );
    assert_changes(
        |document| document["properties"]["name"]["examples"] = json!(["Bo"]),
        &[("name", Described, false)],
    );
    assert_changes(
        |document| {
            document["properties"]["words"]
                .as_object_mut()
                .unwrap()
                .remove("x-keep");
        },
        &[("words", Described, false)],
    );
    assert_changes(
        |document| document["properties"]["people"]["x-keep"] = json!("last"),
        &[("people", Described, false)],
    );
}

#[test]
fn situations() {
    let situations = "x-situations";
    assert_changes(
        |document| document[situations]["more"] = json!({"description": "More.", "set": ["boss"]}),
        &[("more", Added, false)],
    );
    assert_changes(
        |document| {
            document[situations].as_object_mut().unwrap().remove("none");
        },
        &[("none", Removed, true)],
    );
    assert_changes(
        |document| document[situations]["none"]["description"] = json!("Nothing."),
        &[("none", Described, false)],
    );
    // Less is known: what a template relied on may be null. More is known: what a host gave may be refused.
    assert_changes(
        |document| {
            document[situations]["none"]
                .as_object_mut()
                .unwrap()
                .remove("null");
        },
        &[("none", Situation, true)],
    );
    assert_changes(
        |document| document[situations]["none"]["set"] = json!(["boss"]),
        &[("none", Situation, true)],
    );
    assert_changes(
        |document| document[situations]["begin"]["is"] = json!({"subject.kind": "old"}),
        &[("begin", Situation, true)],
    );
    // Of a field that is new, nobody relied on anything.
    assert_changes(
        |document| {
            document["properties"]["more"] = field(document, "note");
            document[situations]["none"]["set"] = json!(["more"]);
        },
        &[("more", Added, false), ("none", Situation, false)],
    );
}

/// Whatever is only added one way is breaking the other way.
#[test]
fn what_is_added_breaks_when_it_is_taken_away() {
    let mut document = base();
    document["properties"]["more"] = field(&mut document, "note");
    document["properties"]["level"]["enum"] = json!(["low", "high", "top"]);
    document["properties"]["name"]["maxLength"] = json!(99);
    document["x-situations"]["more"] = json!({"description": "More.", "set": ["boss"]});
    let (old, new) = (parse(&base()).unwrap(), parse(&document).unwrap());
    let forth = compare(&old, &new);
    let back = compare(&new, &old);
    assert_eq!(forth.len(), 4);
    assert!(is_additive(&forth));
    assert_eq!(back.len(), 4);
    assert!(back.iter().all(|change| change.breaking), "{back:?}");
}
