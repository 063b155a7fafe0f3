//! The schema that is part of the program.

use serde_json::Value;

use super::super::{BUILT_IN, FieldPath, Known, MAX_FIELDS, Object, Schema, Type};

/// Every field below an object, with its path.
fn all(object: &Object, path: &mut FieldPath, found: &mut Vec<(String, bool)>) {
    for field in &object.fields {
        path.push(field.name.clone());
        found.push((path.join("."), field.nullable));
        if let Some(inner) = field.ty.inner_object() {
            all(inner, path, found);
        }
        path.pop();
    }
}

#[test]
fn it_is_sound() {
    assert_eq!(
        Schema::parse(BUILT_IN).map(|schema| schema.version()),
        Ok(1)
    );
    assert_eq!(Schema::built_in().text(), BUILT_IN);
    assert!(!Schema::built_in().root().fields.is_empty());
}

#[test]
fn it_has_every_field_that_is_promised_and_null_where_promised() {
    let schema = Schema::built_in();
    let promised = "organization.name organization.about? role.name role.about? role.reports_to? role.reports_to.name \
        role.chain.name role.reports.name roles.name roles.about? people.name people.about? skills.name skills.description \
        projects.name projects.about? task? task.id task.title task.body task.status task.due? task.project? task.parent? \
        task.creator task.requester? task.assignee? conversation? conversation.id conversation.person \
        conversation.subscriptions agent_conversation? agent_conversation.id agent_conversation.origin \
        agent_conversation.peer workspace workspace.path workspace.repository? opening? opening.kind opening.stop_reason? \
        opening.task? opening.task.events opening.task.blockers opening.task.handoff? opening.conversation? \
        opening.conversation.messages opening.agent_conversation? opening.agent_conversation.messages";
    for promise in promised.split_whitespace() {
        let path: Vec<&str> = promise.trim_end_matches('?').split('.').collect();
        let field = schema
            .field(&path)
            .unwrap_or_else(|| panic!("{promise} is missing"));
        assert_eq!(field.nullable, promise.ends_with('?'), "{promise}");
    }
    let mut found = Vec::new();
    all(schema.root(), &mut Vec::new(), &mut found);
    assert!(found.len() < MAX_FIELDS / 2, "{} fields", found.len());
    for (path, nullable) in &found {
        if path.ends_with(".about") {
            assert!(nullable, "{path}");
        }
    }
}

#[test]
fn it_has_no_field_for_secrets() {
    let mut found = Vec::new();
    all(Schema::built_in().root(), &mut Vec::new(), &mut found);
    for (path, _) in found {
        for word in [
            "secret",
            "token",
            "env",
            "password",
            "connection",
            "credential",
            "key",
        ] {
            let name = path.rsplit('.').next().unwrap_or_default();
            assert!(!name.split('_').any(|part| part == word), "{path}");
        }
    }
}

#[test]
fn it_has_exactly_six_openings_and_three_places_to_load() {
    let schema = Schema::built_in();
    let Type::Enum { values } = &schema.field(&["opening", "kind"]).unwrap().ty else {
        panic!("opening.kind is an enum");
    };
    let kinds: Vec<&str> = values.iter().map(|kind| &**kind).collect();
    assert_eq!(
        kinds,
        [
            "task-start",
            "task-resume",
            "conversation-start",
            "conversation-resume",
            "agent-conversation-start",
            "agent-conversation-resume"
        ]
    );
    let situations: Vec<&str> = schema.situations().iter().map(|one| &*one.name).collect();
    assert_eq!(&situations[..6], kinds);
    assert_eq!(
        &situations[6..],
        [
            "loaded-task",
            "loaded-conversation",
            "loaded-agent-conversation"
        ]
    );
}

/// Every situation says of each subject, and of each subject's facts, whether it is there.
#[test]
fn situations_settle_their_subject() {
    for situation in Schema::built_in().situations() {
        let known = |path: &str| {
            situation
                .known
                .iter()
                .find(|(known, _)| known.join(".") == path)
                .map(|(_, known)| known.clone())
        };
        let subjects = ["task", "conversation", "agent_conversation"];
        let set: Vec<&str> = subjects
            .into_iter()
            .filter(|subject| known(subject) == Some(Known::NonNull))
            .collect();
        let [subject] = set.as_slice() else {
            panic!("{} has {set:?}", situation.name);
        };
        for other in subjects.iter().filter(|other| *other != subject) {
            assert_eq!(known(other), Some(Known::Null), "{}", situation.name);
        }
        if situation.name.starts_with("loaded-") {
            assert_eq!(known("opening"), Some(Known::Null));
            assert_eq!(
                *situation.name,
                format!("loaded-{}", subject.replace('_', "-"))
            );
            continue;
        }
        assert_eq!(known("opening"), Some(Known::NonNull));
        assert_eq!(
            known("opening.kind"),
            Some(Known::Eq(situation.name.clone()))
        );
        assert!(situation.name.starts_with(&subject.replace('_', "-")));
        for other in subjects {
            let expected = if other == *subject {
                Known::NonNull
            } else {
                Known::Null
            };
            assert_eq!(
                known(&format!("opening.{other}")),
                Some(expected),
                "{}",
                situation.name
            );
        }
    }
}

/// The document must stand as JSON Schema too: what the vocabulary says with keys of our own is beside it.
#[test]
fn its_keys_are_those_of_json_schema_but_for_ours() {
    fn own_keys(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Object(entries) => {
                for (key, value) in entries {
                    if key.starts_with("x-") && !found.contains(key) {
                        found.push(key.clone());
                    }
                    own_keys(value, found);
                }
            }
            Value::Array(items) => items.iter().for_each(|item| own_keys(item, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    own_keys(&serde_json::from_str(BUILT_IN).unwrap(), &mut found);
    found.sort();
    assert_eq!(found, ["x-keep", "x-situations", "x-version"]);
}
