//! Faults of the document as a whole: what it is, how large it is, and what refers to what.

use serde_json::json;

use super::super::{base, parse};
use super::{refused, with, without};
use crate::template::schema::{MAX_TEXT_BYTES, Schema};

#[test]
fn what_is_no_document() {
    for text in ["", "{", "[]", "1", r#"{"a": 1, "a": 2}"#] {
        let faults = Schema::parse(text).unwrap_err();
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert_eq!(faults[0].path, "");
    }
    let twice = Schema::parse(r#"{"a": 1, "a": 2}"#).unwrap_err();
    assert!(twice[0].detail.contains("`a` is there twice"), "{twice:?}");
    let long = " ".repeat(MAX_TEXT_BYTES + 1);
    assert!(
        Schema::parse(&long).unwrap_err()[0]
            .detail
            .contains("the most is")
    );
    let deep = "[".repeat(10_000);
    assert_eq!(Schema::parse(&deep).unwrap_err().len(), 1);
}

#[test]
fn what_the_document_says_of_itself() {
    refused(
        &without("/x-version"),
        "/x-version",
        "a whole number from 1",
    );
    refused(
        &with("/x-version", json!(0)),
        "/x-version",
        "a whole number from 1",
    );
    refused(
        &with("/x-version", json!("1")),
        "/x-version",
        "a whole number from 1",
    );
    refused(
        &with("/description", json!("")),
        "/description",
        "one line of text",
    );
    refused(&with("/type", json!("array")), "/type", "is an object");
    refused(
        &with("/patternProperties", json!({})),
        "/patternProperties",
        "not in the vocabulary",
    );
    let faults = parse(&with("/$defs", json!([]))).unwrap_err();
    assert_eq!(faults[0].path, "/$defs");
}

#[test]
fn what_is_not_in_the_vocabulary() {
    refused(
        &with("/properties/name/pattern", json!("a")),
        "/properties/name/pattern",
        "not in the vocabulary",
    );
    refused(
        &with("/properties/name/minLength", json!(1)),
        "/properties/name/minLength",
        "not in the vocabulary",
    );
    refused(
        &with("/properties/count/maxLength", json!(1)),
        "/properties/count/maxLength",
        "not in the vocabulary",
    );
    refused(
        &with("/properties/flag/enum", json!([true])),
        "/properties/flag/enum",
        "not in the vocabulary",
    );
    refused(
        &with("/properties/words/minItems", json!(1)),
        "/properties/words/minItems",
        "not in the vocabulary",
    );
    refused(
        &with("/properties/labels/pattern", json!(1)),
        "/properties/labels/pattern",
        "not in the vocabulary",
    );
    refused(
        &with("/properties/boss/type", json!("object")),
        "/properties/boss/type",
        "not in the vocabulary",
    );
    refused(
        &with("/properties/subject/examples", json!([{}])),
        "/properties/subject/examples",
        "not in the vocabulary",
    );
    refused(
        &with("/$defs/person/title", json!("P")),
        "/$defs/person/title",
        "not in the vocabulary",
    );
    refused(
        &with("/x-situations/none/unless", json!([])),
        "/x-situations/none/unless",
        "not in the vocabulary",
    );
}

#[test]
fn too_many_levels_and_fields() {
    let mut value = json!({"type": "string", "maxLength": 3});
    for _ in 0..11 {
        value = json!({"type": "array", "maxItems": 2, "items": value});
    }
    value["description"] = json!("Deep.");
    let mut example = json!("a");
    for _ in 0..11 {
        example = json!([example]);
    }
    let path = format!("/properties/words{}", "/items".repeat(10));
    value["examples"] = json!([example]);
    refused(
        &with("/properties/words", value.clone()),
        &path,
        "at most 10 levels",
    );
    let mut value = value["items"].take();
    value["description"] = json!("As deep as may be.");
    value["examples"] = json!([example[0]]);
    parse(&with("/properties/words", value)).unwrap();

    let mut document = base();
    for number in 0..500 {
        document["properties"][format!("f{number}")] = json!({"description": "F.", "type": ["string", "null"], "maxLength": 3, "examples": ["a"]});
    }
    let faults = parse(&document).unwrap_err();
    assert!(
        faults
            .iter()
            .any(|fault| fault.detail.contains("at most 500 fields")),
        "{faults:?}"
    );
}

/// Definitions that use one another twice are 2²⁰ fields when written out: refused at once, and not after a minute.
#[test]
fn definitions_that_explode() {
    let mut document = base();
    let double = |name: &str| {
        json!({
            "type": "object", "additionalProperties": false, "required": ["a", "b"],
            "properties": {
                "a": {"description": "A.", "$ref": format!("#/$defs/{name}")},
                "b": {"description": "B.", "$ref": format!("#/$defs/{name}")}
            }
        })
    };
    for number in 0..9 {
        document["$defs"][format!("d{number}")] = double(&format!("d{}", number + 1));
    }
    document["$defs"]["d9"] = json!({"type": "boolean", "description": "D."});
    document["properties"]["subject"] =
        json!({"description": "S.", "anyOf": [{"$ref": "#/$defs/d0"}, {"type": "null"}]});
    let faults = parse(&document).unwrap_err();
    assert!(
        faults
            .iter()
            .any(|fault| fault.detail.contains("at most 500 fields")),
        "{faults:?}"
    );
}

#[test]
fn references() {
    refused(
        &with("/properties/people/items/$ref", json!("#/$defs/nobody")),
        "/properties/people/items/$ref",
        "no such definition",
    );
    refused(
        &with("/properties/people/items/$ref", json!("https://x/y")),
        "/properties/people/items/$ref",
        "no such definition",
    );
    refused(
        &with("/properties/people/items/$ref", json!(1)),
        "/properties/people/items/$ref",
        "name of a definition",
    );
    refused(
        &with("/$defs/unused", json!({"type": "boolean"})),
        "/$defs/unused",
        "No field refers",
    );
    refused(
        &with(
            "/$defs/person/properties/friend",
            json!({"description": "F.", "anyOf": [{"$ref": "#/$defs/person"}, {"type": "null"}]}),
        ),
        "/$defs/person/properties/friend/anyOf/0/$ref",
        "refers to itself",
    );
    let mut document = base();
    for number in 0..20 {
        document["$defs"][format!("d{number}")] =
            json!({"$ref": format!("#/$defs/d{}", number + 1)});
    }
    document["$defs"]["d20"] = json!({"type": "boolean"});
    document["properties"]["flag"] = json!({"description": "F.", "$ref": "#/$defs/d0"});
    let faults = parse(&document).unwrap_err();
    assert!(
        faults
            .iter()
            .any(|fault| fault.path == "/$defs/d15/$ref" && fault.detail.contains("More than 16")),
        "{faults:?}"
    );
}

#[test]
fn every_fault_is_told_at_once() {
    let mut document = without("/properties/name/description");
    document["properties"]["count"]["maximum"] = json!(0);
    document["x-version"] = json!(null);
    let faults = parse(&document).unwrap_err();
    let paths: Vec<&str> = faults.iter().map(|fault| &*fault.path).collect();
    assert_eq!(
        paths,
        [
            "/x-version",
            "/properties/count/minimum",
            "/properties/name/description"
        ]
    );
}

/// A definition that is used twice is wrong once.
#[test]
fn a_shared_definition_is_wrong_once() {
    refused(
        &with("/$defs/person/properties/name/maxLength", json!(0)),
        "/$defs/person/properties/name/maxLength",
        "from 1",
    );
}
