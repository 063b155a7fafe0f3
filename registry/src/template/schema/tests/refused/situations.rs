//! Faults of situations, and of the field that the server fills.

use serde_json::{Value, json};

use super::super::{base, parse};
use super::{refused, with, without};

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
