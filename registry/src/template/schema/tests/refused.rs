//! Every kind of fault is refused, at its place.

use serde_json::{Value, json};

use super::super::{MAX_TEXT_BYTES, RESERVED_NAMES, Schema};
use super::{base, parse};

/// The base with a value at a JSON pointer, whose parent is there.
fn with(pointer: &str, value: Value) -> Value {
    let mut document = base();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    let key = key.replace("~1", "/").replace("~0", "~");
    document.pointer_mut(parent).unwrap()[key] = value;
    document
}

/// The base without what is at a JSON pointer.
fn without(pointer: &str) -> Value {
    let mut document = base();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    document
        .pointer_mut(parent)
        .unwrap()
        .as_object_mut()
        .unwrap()
        .remove(key)
        .unwrap();
    document
}

/// The document has this fault, and no other.
#[track_caller]
fn refused(document: &Value, path: &str, part: &str) {
    let faults = parse(document).expect_err("the document is refused");
    let [fault] = faults.as_slice() else {
        panic!("one fault: {faults:#?}");
    };
    assert_eq!(fault.path, path, "{fault}");
    assert!(fault.detail.contains(part), "{fault}");
    assert!(fault.detail.ends_with('.'), "a sentence: {fault}");
}

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
fn situations() {
    refused(
        &without("/x-situations"),
        "/x-situations",
        "Name the situations",
    );
    refused(
        &with("/x-situations", json!({})),
        "/x-situations",
        "Name the situations",
    );
    refused(
        &with("/x-situations/none", json!([])),
        "/x-situations/none",
        "is an object",
    );
}

#[test]
fn facts_that_cannot_be() {
    refused(
        &with("/x-situations/none/null", json!(["nothing"])),
        "/x-situations/none/null/0",
        "no such field",
    );
    refused(
        &with("/x-situations/none/null", json!(["people.about"])),
        "/x-situations/none/null/0",
        "no such field",
    );
    refused(
        &with("/x-situations/none/null", json!(["name"])),
        "/x-situations/none/null/0",
        "never null",
    );
    refused(
        &with("/x-situations/none/null", json!("subject")),
        "/x-situations/none/null",
        "list of paths",
    );
    refused(
        &with("/x-situations/none/set", json!(["subject"])),
        "/x-situations/none",
        "`subject` is there twice",
    );
    refused(
        &with("/x-situations/none/is", json!({"subject.kind": "new"})),
        "/x-situations/none",
        "may be null here",
    );
    refused(
        &with("/x-situations/begin/is", json!({"subject.kind": "newer"})),
        "/x-situations/begin/is/subject.kind",
        "has this word",
    );
    refused(
        &with("/x-situations/begin/is", json!({"name": "Ada"})),
        "/x-situations/begin/is/name",
        "must be an enum",
    );
    refused(
        &with("/x-situations/begin/is", json!({"nothing": "a"})),
        "/x-situations/begin/is/nothing",
        "no such field",
    );
    refused(
        &with("/x-situations/begin/is", json!([])),
        "/x-situations/begin/is",
        "Give an object",
    );
    refused(
        &without("/x-situations/none/description"),
        "/x-situations/none/description",
        "Say in a sentence",
    );
    refused(
        &with("/x-situations/a b", json!({"description": "A."})),
        "/x-situations/a b",
        "name of a situation",
    );
}

#[test]
fn skills_that_the_server_could_not_fill() {
    let skills = |item: Value| {
        let mut document = base();
        document["required"]
            .as_array_mut()
            .unwrap()
            .push(json!("skills"));
        document["properties"]["skills"] =
            json!({"description": "S.", "type": "array", "maxItems": 5, "items": item});
        document
    };
    let text = json!({"description": "T.", "type": "string", "maxLength": 9, "examples": ["a"]});
    let item = |fields: Value, required: Value| json!({"type": "object", "additionalProperties": false, "properties": fields, "required": required});
    let sound = skills(item(
        json!({"name": text, "description": text}),
        json!(["name", "description"]),
    ));
    parse(&sound).unwrap();
    let short = skills(item(json!({"name": text}), json!(["name"])));
    refused(&short, "/properties/skills", "filled by the server");
    let more = skills(item(
        json!({"name": text, "description": text, "more": text}),
        json!(["name", "description", "more"]),
    ));
    refused(&more, "/properties/skills", "filled by the server");
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
