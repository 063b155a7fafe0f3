//! What is read, and that the built-in schema is what its issue asks for.

mod built_in;
pub(in crate::template) mod json_schema;
mod refused;

use serde_json::{Value, json};

use super::{Field, Known, Schema, SchemaFault, Type};

/// A small schema with everything of the vocabulary.
pub(in crate::template) fn base() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A small context",
        "description": "For tests.",
        "x-version": 3,
        "type": "object",
        "additionalProperties": false,
        "required": ["name", "count", "flag", "words", "labels", "people", "level"],
        "properties": {
            "name": {"description": "A name.", "type": "string", "maxLength": 10, "examples": ["Ada"]},
            "note": {"description": "A note.", "type": ["string", "null"], "maxLength": 20, "examples": ["Hm."]},
            "count": {"description": "A number.", "type": "integer", "minimum": 1, "maximum": 9, "examples": [2]},
            "flag": {"description": "A flag.", "type": "boolean"},
            "level": {"description": "A word.", "type": "string", "enum": ["low", "high"]},
            "mood": {"description": "A word or none.", "type": ["string", "null"], "enum": ["glad", null]},
            "words": {
                "description": "Some texts.", "type": "array", "maxItems": 3, "x-keep": "last",
                "items": {"type": "string", "maxLength": 5}, "examples": [["a", "b"]]
            },
            "labels": {
                "description": "Texts by key.", "type": "object", "maxProperties": 2,
                "propertyNames": {"maxLength": 4},
                "additionalProperties": {"type": "string", "maxLength": 5}, "examples": [{"k": "v"}]
            },
            "people": {
                "description": "Some people.", "type": "array", "maxItems": 4, "items": {"$ref": "#/$defs/person"}
            },
            "boss": {"description": "One of them.", "anyOf": [{"$ref": "#/$defs/person"}, {"type": "null"}]},
            "subject": {
                "description": "What it is about.", "type": ["object", "null"], "additionalProperties": false,
                "required": ["kind"],
                "properties": {
                    "kind": {"description": "Which.", "type": "string", "enum": ["new", "old"], "examples": ["old"]},
                    "title": {"description": "A title.", "type": ["string", "null"], "maxLength": 10, "examples": ["T"]}
                }
            }
        },
        "$defs": {
            "person": {
                "description": "A person.", "type": "object", "additionalProperties": false, "required": ["name"],
                "properties": {
                    "name": {"description": "The name.", "type": "string", "maxLength": 10, "examples": ["Bo"]},
                    "about": {"description": "More.", "type": ["string", "null"], "maxLength": 10, "examples": ["Kind."]}
                }
            }
        },
        "x-situations": {
            "begin": {"description": "It begins.", "set": ["subject"], "is": {"subject.kind": "new"}},
            "go-on": {"description": "It goes on.", "set": ["subject"], "is": {"subject.kind": "old"}},
            "none": {"description": "There is nothing.", "null": ["subject"]}
        }
    })
}

/// The schema of a document.
pub(in crate::template) fn parse(document: &Value) -> Result<Schema, Vec<SchemaFault>> {
    Schema::parse(&document.to_string())
}

fn names(fields: &[Field]) -> Vec<&str> {
    fields.iter().map(|field| &*field.name).collect()
}

#[test]
fn everything_of_the_vocabulary_is_read() {
    let schema = parse(&base()).unwrap();
    assert_eq!(schema.version(), 3);
    assert_eq!(schema.about(), "For tests.");
    assert_eq!(
        schema.root().field("name").unwrap().ty,
        Type::Str { max: 10 }
    );
    assert_eq!(
        schema.root().field("count").unwrap().ty,
        Type::Int { min: 1, max: 9 }
    );
    assert_eq!(schema.root().field("flag").unwrap().ty, Type::Bool);
    let note = schema.root().field("note").unwrap();
    assert!(note.nullable && !note.required);
    assert_eq!(note.sample, Some(json!("Hm.")));
    assert!(schema.root().field("name").unwrap().required);
    let Type::Enum { values } = &schema.root().field("mood").unwrap().ty else {
        panic!("mood is an enum");
    };
    assert_eq!(
        values.iter().map(|word| &**word).collect::<Vec<_>>(),
        ["glad"]
    );
    let Type::Map {
        of,
        max: 2,
        key_max: 4,
    } = &schema.root().field("labels").unwrap().ty
    else {
        panic!("labels is a map");
    };
    assert_eq!(**of, Type::Str { max: 5 });
    let boss = schema.root().field("boss").unwrap();
    assert!(boss.nullable);
    assert_eq!(&*boss.description, "One of them.");
    assert_eq!(
        schema.field(&["people", "about"]).unwrap().ty,
        Type::Str { max: 10 }
    );
    assert_eq!(schema.field(&["people", "nobody"]), None);
    assert_eq!(schema.field(&["name", "name"]), None);
    assert!(schema.keeps_last(&["words"]));
    assert!(!schema.keeps_last(&["people"]));
    assert_eq!(
        schema.root().field("level").unwrap().sample,
        Some(json!("low"))
    );
    assert_eq!(
        schema.root().field("people").unwrap().sample,
        Some(json!([{"name": "Bo", "about": "Kind."}]))
    );
    let begin = schema.situation("begin").unwrap();
    assert_eq!(schema.about_situation("begin"), Some("It begins."));
    assert!(
        begin
            .known
            .contains(&(vec!["subject".into()], Known::NonNull))
    );
    assert!(begin.known.contains(&(
        vec!["subject".into(), "kind".into()],
        Known::Eq("new".into())
    )));
}

#[test]
fn fields_and_situations_keep_their_order() {
    let text = r#"{
        "x-version": 1, "type": "object", "additionalProperties": false, "required": ["zeta", "alpha"],
        "properties": {
            "zeta": {"description": "Z.", "type": "boolean"},
            "alpha": {"description": "A.", "type": "boolean"}
        },
        "x-situations": {"second": {"description": "S."}, "first": {"description": "F."}}
    }"#;
    let schema = Schema::parse(text).unwrap();
    assert_eq!(names(&schema.root().fields), ["zeta", "alpha"]);
    let situations: Vec<&str> = schema.situations().iter().map(|one| &*one.name).collect();
    assert_eq!(situations, ["second", "first"]);
    assert_eq!(schema.text(), text);
}

#[test]
fn the_digest_is_of_what_the_document_says() {
    let document = base();
    let compact = Schema::parse(&document.to_string()).unwrap();
    let spaced = Schema::parse(&serde_json::to_string_pretty(&document).unwrap()).unwrap();
    assert_eq!(compact.digest(), spaced.digest());
    assert_eq!(compact.digest().len(), 64);
    assert_ne!(compact.text(), spaced.text());

    let one = r#"{"x-version": 1, "type": "object", "additionalProperties": false, "required": ["a"], "properties": {"a": {"description": "A.", "type": "boolean"}}, "x-situations": {"s": {"description": "S."}}}"#;
    let other = r#"{"x-situations": {"s": {"description": "S."}}, "properties": {"a": {"type": "boolean", "description": "A."}}, "required": ["a"], "additionalProperties": false, "type": "object", "x-version": 1}"#;
    assert_eq!(
        Schema::parse(one).unwrap().digest(),
        Schema::parse(other).unwrap().digest()
    );
    // Of `printf '%s' '…' | sha256sum` over the canonical text, so that no other text is digested by mistake.
    assert_eq!(
        &**Schema::parse(one).unwrap().digest(),
        "f76ea785013e292f321ea27382742f9d2eb1c87006b963a3bd3d30cc5f439979"
    );

    let mut changed = document;
    changed["properties"]["name"]["maxLength"] = json!(11);
    assert_ne!(parse(&changed).unwrap().digest(), compact.digest());
}

#[test]
fn types_are_told_in_words() {
    let schema = parse(&base()).unwrap();
    let words = |name: &str| schema.root().field(name).unwrap().ty.in_words();
    assert_eq!(words("name"), "text of at most 10 characters");
    assert_eq!(words("level"), "one of `low`, `high`");
    assert_eq!(words("count"), "whole number from 1 to 9");
    assert_eq!(words("people"), "list of at most 4 items, each an object");
    assert_eq!(
        words("labels"),
        "map of at most 2 entries, each a text of at most 5 characters, under keys of at most 4 characters"
    );
}
