//! What is built, what is refused and where, and what is cut.

mod laws;
mod rendering;
mod situations;

use serde_json::{Value, json};

use super::{Context, Cut, CutUnit, MAX_FAULTS, Needs, build};
use crate::template::schema::Schema;
use crate::template::schema::tests::{base, parse};

fn small() -> Schema {
    parse(&base()).unwrap()
}

/// What a host gives that leaves out everything that it may.
fn least() -> Value {
    json!({"name": "Ada", "count": 2, "flag": true, "level": "high", "words": [], "labels": {}, "people": []})
}

fn with(pointer: &str, value: Value) -> Value {
    let mut given = least();
    let (parent, key) = pointer.rsplit_once('/').unwrap();
    given.pointer_mut(parent).unwrap()[key] = value;
    given
}

fn built(given: &Value) -> Context {
    build(&small(), given, &Needs::all()).unwrap_or_else(|faults| panic!("{faults:?}"))
}

#[track_caller]
fn refused(given: &Value, path: &str, part: &str) {
    let faults = build(&small(), given, &Needs::all()).expect_err("the context is refused");
    let [fault] = faults.as_slice() else {
        panic!("one fault: {faults:#?}");
    };
    assert_eq!(fault.path, path, "{fault}");
    assert!(fault.detail.contains(part), "{fault}");
    assert!(fault.detail.ends_with('.'), "a sentence: {fault}");
}

#[test]
fn what_may_be_null_is_null_when_it_is_left_out() {
    let context = built(&least());
    let mut expected = least();
    for name in ["note", "mood", "boss", "subject"] {
        expected[name] = Value::Null;
    }
    assert_eq!(*context.value(), expected);
    assert!(context.cuts().is_empty());
    assert_eq!(context.situations(), ["none".into()]);
    assert_eq!(context.schema_digest(), small().digest());
    assert_eq!(context.clone().into_value(), expected);

    let given = with("/boss", json!({"name": "Bo"}));
    assert_eq!(
        built(&given).value()["boss"],
        json!({"name": "Bo", "about": null})
    );
}

#[test]
fn what_is_not_of_the_type_is_refused_at_its_path() {
    refused(&json!([]), "", "must be a JSON object");
    refused(
        &with("/name", json!(1)),
        "name",
        "must be a text of at most 10 characters.",
    );
    refused(&with("/name", json!(null)), "name", "must be a text");
    refused(
        &with("/note", json!(1)),
        "note",
        "must be a text of at most 20 characters, or null.",
    );
    refused(
        &with("/count", json!("2")),
        "count",
        "whole number from 1 to 9",
    );
    for number in [json!(0), json!(10), json!(2.5), json!(2.0), json!(u64::MAX)] {
        refused(&with("/count", number), "count", "whole number from 1 to 9");
    }
    refused(&with("/flag", json!("true")), "flag", "true or false");
    refused(
        &with("/level", json!("High")),
        "level",
        "one of `low`, `high`",
    );
    refused(&with("/words", json!({})), "words", "a list");
    refused(&with("/words", json!(["a", null])), "words[1]", "a text");
    refused(
        &with("/people", json!([{"name": "Bo"}, "Cy"])),
        "people[1]",
        "an object",
    );
    refused(
        &with("/people", json!([{"name": "Bo"}, {"name": 3}])),
        "people[1].name",
        "a text",
    );
    refused(
        &with("/labels", json!({"a b": 1})),
        "labels[\"a b\"]",
        "a text",
    );
    refused(
        &with("/labels", json!({"abcde": "x"})),
        "labels[\"abcde\"]",
        "at most 4 characters",
    );
    refused(
        &with("/labels", json!({"12": "x"})),
        "labels[\"12\"]",
        "other than digits",
    );
    refused(
        &with("/subject", json!("T")),
        "subject",
        "an object, or null",
    );
}

#[test]
fn unknown_fields_are_refused_with_what_there_is() {
    refused(
        &with("/titel", json!("T")),
        "titel",
        "There is no such field; here are `boss`, `count`, ",
    );
    refused(
        &with("/boss", json!({"name": "Bo", "age": 3})),
        "boss.age",
        "here are `about`, `name`.",
    );
    refused(
        &with("/people", json!([{"name": "Bo", "a\"b": 3}])),
        "people[0][\"a\\\"b\"]",
        "no such field",
    );
    let long = "x".repeat(1_000);
    let faults = build(
        &small(),
        &with(&format!("/{long}"), json!(1)),
        &Needs::none(),
    )
    .unwrap_err();
    assert_eq!(faults[0].path, format!("[\"{}…\"]", "x".repeat(64)));
}

#[test]
fn missing_fields_are_named() {
    let mut given = least();
    given.as_object_mut().unwrap().remove("name");
    refused(
        &given,
        "name",
        "This is missing: give a text of at most 10 characters.",
    );
    refused(
        &with("/people", json!([{"about": "Kind."}])),
        "people[0].name",
        "missing",
    );
    refused(&with("/subject", json!({})), "subject.kind", "missing");
    let faults = build(&small(), &json!({}), &Needs::all()).unwrap_err();
    let paths: Vec<&str> = faults.iter().map(|fault| &*fault.path).collect();
    // In the order of the schema, which has no order in this test's document.
    assert_eq!(
        paths,
        [
            "count", "flag", "labels", "level", "name", "people", "words"
        ]
    );
}

/// A host's data may be anything, a secret too: no fault repeats it.
#[test]
fn faults_never_repeat_the_data() {
    let secret = "hunter2-secret";
    for pointer in [
        "/count", "/flag", "/level", "/words", "/people", "/boss", "/subject", "/unknown",
    ] {
        let faults = build(&small(), &with(pointer, json!(secret)), &Needs::all()).unwrap_err();
        assert!(!faults.is_empty());
        for fault in faults {
            assert!(!fault.to_string().contains(secret), "{fault}");
        }
    }
}

#[test]
fn the_number_of_faults_is_bounded() {
    let many: Value = (0..1_000)
        .map(|number| (format!("f{number}"), json!(1)))
        .collect::<serde_json::Map<_, _>>()
        .into();
    assert_eq!(
        build(&small(), &many, &Needs::none()).unwrap_err().len(),
        MAX_FAULTS
    );
}

#[test]
fn texts_are_cut_by_characters() {
    let context = built(&with("/name", json!("äöüäöüäöüä")));
    assert_eq!(context.value()["name"], "äöüäöüäöüä");
    assert!(context.cuts().is_empty());

    let context = built(&with("/name", json!("äöüäöüäöüäö")));
    assert_eq!(context.value()["name"], "äöüäöüäöü…");
    assert_eq!(
        context.cuts(),
        [Cut {
            path: "name".to_owned(),
            unit: CutUnit::Characters,
            given: 11,
            kept: 10
        }]
    );
}

#[test]
fn lists_keep_their_first_or_last_items() {
    let people: Vec<Value> = ["a", "b", "c", "d", "e", "f"]
        .iter()
        .map(|name| json!({"name": name}))
        .collect();
    let context = built(&with("/people", json!(people)));
    let kept: Vec<&str> = context.value()["people"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert_eq!(kept, ["a", "b", "c", "d"]);
    assert_eq!(
        context.cuts(),
        [Cut {
            path: "people".to_owned(),
            unit: CutUnit::Items,
            given: 6,
            kept: 4
        }]
    );

    let context = built(&with("/words", json!(["a", "b", "c", "d", "longer"])));
    assert_eq!(context.value()["words"], json!(["c", "d", "long…"]));
    let paths: Vec<&str> = context.cuts().iter().map(|cut| &*cut.path).collect();
    assert_eq!(paths, ["words", "words[4]"]);
}

#[test]
fn maps_keep_their_first_keys() {
    let context = built(&with("/labels", json!({"b": "2", "ä": "3", "Z": "1"})));
    assert_eq!(context.value()["labels"], json!({"Z": "1", "b": "2"}));
    assert_eq!(
        context.cuts(),
        [Cut {
            path: "labels".to_owned(),
            unit: CutUnit::Entries,
            given: 3,
            kept: 2
        }]
    );
}

#[test]
fn only_what_is_needed_must_be_there() {
    let schema = small();
    let nothing = build(&schema, &json!({}), &Needs::none()).unwrap();
    assert_eq!(
        *nothing.value(),
        json!({
            "name": "", "note": null, "count": 1, "flag": false, "level": "low",
            "mood": null, "words": [], "labels": {}, "people": [], "boss": null, "subject": null
        })
    );
    let needs = Needs::of([vec!["people", "name"]]);
    let faults = build(&schema, &json!({}), &needs).unwrap_err();
    assert_eq!(
        faults.iter().map(|fault| &*fault.path).collect::<Vec<_>>(),
        ["people"]
    );
    let faults = build(&schema, &json!({"people": [{}]}), &needs).unwrap_err();
    assert_eq!(
        faults.iter().map(|fault| &*fault.path).collect::<Vec<_>>(),
        ["people[0].name"]
    );
    build(&schema, &json!({"people": [{"name": "Bo"}]}), &needs).unwrap();

    // To ask whether there is a subject is not to ask what it is.
    let needs = Needs::of([["subject"]]);
    let context = build(&schema, &json!({"subject": {}}), &needs).unwrap();
    assert_eq!(
        context.value()["subject"],
        json!({"kind": "new", "title": null})
    );
    let whole = Needs::none().with_whole(&["subject"]);
    let faults = build(&schema, &json!({"subject": {}}), &whole).unwrap_err();
    assert_eq!(faults[0].path, "subject.kind");
    assert!(whole.contains(&["subject", "kind"]) && whole.contains::<&str>(&[]));
    assert!(!whole.contains(&["name"]));
}

/// As the checker names what a template reads.
#[test]
fn needs_are_made_of_what_the_checker_says() {
    let needs = Needs::of_reads(["people", "people.*", "people.*.name", "task.**"]);
    assert_eq!(needs, Needs::of([["people", "name"]]).with_whole(&["task"]));
    assert!(needs.contains(&["task", "title"]) && !needs.contains(&["people", "about"]));
}

/// What is given must be right, needed or not.
#[test]
fn what_is_not_needed_is_checked_all_the_same() {
    for given in [
        json!({"name": 1}),
        json!({"more": 1}),
        json!({"name": null}),
        json!({"boss": {"nane": ""}}),
    ] {
        assert!(build(&small(), &given, &Needs::none()).is_err(), "{given}");
    }
}
