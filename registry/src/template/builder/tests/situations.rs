//! Which situations a context fits, what a host has to give for what is read, and what the server adds.

use serde_json::{Value, json};

use super::super::{BuildFault, Needs, SkillLine, build};
use super::{built, least, small, with};
use crate::template::schema::Schema;

#[test]
fn a_context_fits_a_situation() {
    let context = built(&with("/subject", json!({"kind": "old"})));
    assert_eq!(context.situations(), ["go-on".into()]);
    let context = built(&with("/subject", json!({"kind": "new"})));
    assert_eq!(context.situations(), ["begin".into()]);
    let any = build(&small(), &least(), &Needs::none()).unwrap();
    assert_eq!(
        any.situations(),
        ["begin".into(), "go-on".into(), "none".into()]
    );
}

fn faults_of(given: &Value, needs: &Needs) -> Vec<BuildFault> {
    build(Schema::built_in(), given, needs).unwrap_err()
}

#[test]
fn a_context_that_fits_no_situation_says_what_is_missing() {
    let subject = Needs::of([["task"], ["conversation"], ["agent_conversation"]]);
    let none = faults_of(&json!({}), &subject);
    let [fault] = none.as_slice() else {
        panic!("one fault: {none:?}");
    };
    assert_eq!(fault.path, "");
    assert_eq!(
        fault.detail,
        "The context fits no situation. For `task-start`, `task-resume` or `loaded-task`, `task` must be set. \
         For `conversation-start`, `conversation-resume` or `loaded-conversation`, `conversation` must be set. \
         For `agent-conversation-start`, `agent-conversation-resume` or `loaded-agent-conversation`, \
         `agent_conversation` must be set."
    );

    let opening = Needs::of([
        vec!["opening", "kind"],
        vec!["task"],
        vec!["opening", "task"],
    ]);
    let given = json!({"opening": {"kind": "task-resume"}});
    let faults = faults_of(&given, &opening);
    let told: Vec<String> = faults.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "task: In the situation `task-resume` this must be set.",
            "opening.task: In the situation `task-resume` this must be set."
        ]
    );
}

#[test]
fn a_run_has_one_subject() {
    let task = json!({"id": "T", "title": "", "body": "", "status": "open", "creator": {"kind": "person", "name": "A"}});
    let conversation = json!({"id": "C", "person": {"name": "B"}, "subscriptions": []});
    let both = Needs::of([["task"], ["conversation"]]);
    let faults = faults_of(&json!({"task": task, "conversation": conversation}), &both);
    assert!(faults[0].detail.contains("fits no situation"), "{faults:?}");
    // A template that reads one of them cannot tell.
    build(
        Schema::built_in(),
        &json!({"task": task, "conversation": conversation}),
        &Needs::of([["task"]]),
    )
    .unwrap();
}

/// A host whose skills read only the organization gives only that.
#[test]
fn a_host_gives_what_its_skills_read() {
    let given = json!({"organization": {"name": "Northwind"}});
    let context = build(
        Schema::built_in(),
        &given,
        &Needs::of([["organization", "name"]]),
    )
    .unwrap();
    assert_eq!(
        context.value()["organization"],
        json!({"name": "Northwind", "about": null})
    );
    assert_eq!(context.value()["opening"], Value::Null);
    assert_eq!(
        context.value()["workspace"],
        json!({"path": "", "repository": null})
    );
}

#[test]
fn the_server_fills_the_skills() {
    let faults = faults_of(&json!({"skills": []}), &Needs::none());
    assert_eq!(
        faults[0].to_string(),
        "skills: The server fills this from the offer; leave it out."
    );

    let context = build(
        Schema::built_in(),
        &json!({}),
        &Needs::of([["skills", "name"]]),
    )
    .unwrap();
    assert_eq!(context.value()["skills"], json!([]));
    let long = "d".repeat(2_000);
    let lines = [
        SkillLine {
            name: "refunds",
            description: "How to refund.",
        },
        SkillLine {
            name: "visits",
            description: &long,
        },
    ];
    let context = context.with_skills(lines);
    let skills = &context.value()["skills"];
    assert_eq!(
        skills[0],
        json!({"name": "refunds", "description": "How to refund."})
    );
    assert_eq!(
        skills[1]["description"].as_str().unwrap().chars().count(),
        1_024
    );
    let many = std::iter::repeat_n(
        SkillLine {
            name: "n",
            description: "d",
        },
        1_000,
    );
    assert_eq!(
        context.with_skills(many).value()["skills"]
            .as_array()
            .unwrap()
            .len(),
        200
    );

    // A schema without the field has no use for them.
    let context = built(&least());
    assert_eq!(context.clone().with_skills(lines), context);
}
