//! Faults of fields: their names, types, maxima, examples and nulls.

use serde_json::json;

use super::super::{base, parse};
use super::{refused, with, without};
use crate::template::schema::RESERVED_NAMES;

#[test]
fn fractions_bare_nulls_and_unknown_types() {
    for (ty, part) in [
        (json!("number"), "use `integer`"),
        (json!("null"), "always null"),
        (json!("date"), "There are the types"),
        (json!(["string", "integer"]), "Give the type"),
        (json!(["string", "null", "null"]), "Give the type"),
        (json!(["null", "null"]), "Give the type"),
        (json!(1), "Give the type"),
    ] {
        refused(
            &with("/properties/name/type", ty),
            "/properties/name/type",
            part,
        );
    }
    refused(
        &with("/properties/name", json!("text")),
        "/properties/name",
        "describes a value",
    );
    refused(
        &without("/properties/name/type"),
        "/properties/name/type",
        "Give the type",
    );
}

#[test]
fn missing_descriptions_maxima_and_examples() {
    refused(
        &without("/properties/name/description"),
        "/properties/name/description",
        "Describe the field",
    );
    refused(
        &with("/properties/name/description", json!("two\nlines")),
        "/properties/name/description",
        "one line",
    );
    refused(
        &without("/properties/name/maxLength"),
        "/properties/name/maxLength",
        "Give `maxLength`",
    );
    refused(
        &with("/properties/name/maxLength", json!(0)),
        "/properties/name/maxLength",
        "from 1",
    );
    refused(
        &with("/properties/name/maxLength", json!(1_000_000)),
        "/properties/name/maxLength",
        "from 1",
    );
    refused(
        &without("/properties/count/minimum"),
        "/properties/count/minimum",
        "Give `minimum`",
    );
    refused(
        &without("/properties/count/maximum"),
        "/properties/count/maximum",
        "Give `maximum`",
    );
    refused(
        &with("/properties/count/maximum", json!(1.5)),
        "/properties/count/maximum",
        "whole number",
    );
    refused(
        &with("/properties/count/maximum", json!(1_u64 << 53)),
        "/properties/count/maximum",
        "whole number",
    );
    refused(
        &with("/properties/count/minimum", json!(10)),
        "/properties/count/minimum",
        "not be above",
    );
    refused(
        &without("/properties/words/maxItems"),
        "/properties/words/maxItems",
        "Give `maxItems`",
    );
    refused(
        &without("/properties/words/items"),
        "/properties/words/items",
        "what each value is",
    );
    refused(
        &without("/properties/labels/maxProperties"),
        "/properties/labels/maxProperties",
        "Give `maxProperties`",
    );
    refused(
        &without("/properties/labels/propertyNames"),
        "/properties/labels/propertyNames",
        "maxLength",
    );
    refused(
        &with("/properties/words/x-keep", json!("middle")),
        "/properties/words/x-keep",
        "`\"first\"` or `\"last\"`",
    );
    for field in ["name", "count", "words", "labels"] {
        let path = format!("/properties/{field}/examples");
        refused(&without(&path), &path, "Give an example");
        refused(&with(&path, json!([])), &path, "one or more values");
    }
    refused(
        &with("/properties/words/examples", json!([[]])),
        "/properties/words/examples",
        "not empty",
    );
}

#[test]
fn examples_that_do_not_fit() {
    refused(
        &with("/properties/name/examples", json!([1])),
        "/properties/name/examples/0",
        "a text of at most 10",
    );
    refused(
        &with("/properties/name/examples", json!([null])),
        "/properties/name/examples/0",
        "a text",
    );
    refused(
        &with("/properties/name/examples", json!(["a", "a".repeat(11)])),
        "/properties/name/examples/1",
        "maximum of 10",
    );
    refused(
        &with("/properties/count/examples", json!([10])),
        "/properties/count/examples/0",
        "from 1 to 9",
    );
    refused(
        &with("/properties/count/examples", json!([2.0])),
        "/properties/count/examples/0",
        "whole number",
    );
    refused(
        &with("/properties/level/examples", json!(["Low"])),
        "/properties/level/examples/0",
        "one of `low`, `high`",
    );
    refused(
        &with("/properties/people/examples", json!([[{"about": null}]])),
        "/properties/people/examples/0",
        "[0].name: This is missing",
    );
    refused(
        &with(
            "/properties/people/examples",
            json!([[{"name": "a", "age": 1}]]),
        ),
        "/properties/people/examples/0",
        "[0].age: There is no such field",
    );
    refused(
        &with("/properties/boss/examples", json!([{"name": "a"}])),
        "/properties/boss/examples",
        "no examples of its own",
    );
    refused(
        &with("/properties/labels/examples", json!([{"12": "a"}])),
        "/properties/labels/examples/0",
        "other than digits",
    );
}

#[test]
fn enums() {
    let path = "/properties/level/enum";
    refused(&with(path, json!([])), path, "one or more words");
    refused(
        &with(path, json!(["a", "a"])),
        &format!("{path}/1"),
        "twice",
    );
    refused(
        &with(path, json!(["a", 1])),
        &format!("{path}/1"),
        "has words",
    );
    refused(
        &with(path, json!(["a", ""])),
        &format!("{path}/1"),
        "made of letters",
    );
    refused(
        &with(path, json!(["a\"b"])),
        &format!("{path}/0"),
        "made of letters",
    );
    refused(
        &with(path, json!(["a", null])),
        &format!("{path}/1"),
        "null once where the type allows",
    );
    refused(
        &with("/properties/mood/enum", json!(["glad"])),
        "/properties/mood/enum",
        "`null` must be among",
    );
    let many: Vec<String> = (0..101).map(|number| format!("w{number}")).collect();
    refused(&with(path, json!(many)), path, "at most 100");
}

#[test]
fn objects() {
    refused(
        &without("/properties/subject/additionalProperties"),
        "/properties/subject/additionalProperties",
        "closed",
    );
    refused(
        &with("/additionalProperties", json!(true)),
        "/additionalProperties",
        "closed",
    );
    refused(
        &with("/$defs/person/properties", json!([])),
        "/$defs/person/properties",
        "named fields",
    );
    let mut document = base();
    document["required"]
        .as_array_mut()
        .unwrap()
        .push(json!("nobody"));
    refused(&document, "/required/7", "names fields");
    let faults = parse(&with("/required", json!("name"))).unwrap_err();
    assert!(
        faults
            .iter()
            .any(|fault| fault.path == "/required" && fault.detail.contains("list of names"))
    );
}

#[test]
fn fields_that_are_neither_null_nor_required() {
    let mut document = base();
    document["required"]
        .as_array_mut()
        .unwrap()
        .retain(|name| name != "flag");
    refused(&document, "/properties/flag", "must be in `required`");
    let mut document = base();
    document["required"]
        .as_array_mut()
        .unwrap()
        .push(json!("flag"));
    refused(&document, "/required/7", "twice");
}

#[test]
fn nullable_items() {
    refused(
        &with("/properties/words/items/type", json!(["string", "null"])),
        "/properties/words/items",
        "never null",
    );
    refused(
        &with(
            "/properties/labels/additionalProperties/type",
            json!(["string", "null"]),
        ),
        "/properties/labels/additionalProperties",
        "never null",
    );
    refused(
        &with(
            "/properties/people/items",
            json!({"anyOf": [{"$ref": "#/$defs/person"}, {"type": "null"}]}),
        ),
        "/properties/people/items",
        "never null",
    );
}

#[test]
fn choices_other_than_null() {
    let path = "/properties/boss/anyOf";
    for choices in [
        json!([]),
        json!([{"type": "null"}]),
        json!([{"$ref": "#/$defs/person"}, {"$ref": "#/$defs/person"}]),
        json!([{"type": "null"}, {"type": "null"}, {"type": "null"}]),
    ] {
        let faults = parse(&with(path, choices)).unwrap_err();
        assert!(
            faults
                .iter()
                .any(|fault| fault.path == path && fault.detail.contains("value and null")),
            "{faults:?}"
        );
    }
    refused(
        &with(
            path,
            json!([{"type": ["string", "null"], "maxLength": 3, "examples": ["a"]}, {"type": "null"}]),
        ),
        "/properties/boss/anyOf/0",
        "may be null already",
    );
}

#[test]
fn names_that_mean_something_else() {
    let field =
        json!({"description": "F.", "type": ["string", "null"], "maxLength": 3, "examples": ["a"]});
    for name in RESERVED_NAMES {
        refused(
            &with(&format!("/properties/{name}"), field.clone()),
            &format!("/properties/{name}"),
            "means something else",
        );
    }
    for name in ["else", "elsewhere", "else_if"] {
        refused(
            &with(&format!("/properties/{name}"), field.clone()),
            &format!("/properties/{name}"),
            "begins with `else`",
        );
    }
    for name in [
        "Title",
        "_x",
        "1st",
        "a-b",
        "a.b",
        "é",
        "",
        "toString",
        "a b",
        "__proto__",
    ] {
        refused(
            &with(&format!("/properties/{name}"), field.clone()),
            &format!("/properties/{name}"),
            "is no name",
        );
    }
    refused(
        &with("/properties/a~1b", field.clone()),
        "/properties/a~1b",
        "is no name",
    );
    let long = "a".repeat(65);
    refused(
        &with(&format!("/properties/{long}"), field),
        &format!("/properties/{long}"),
        "is no name",
    );
}
