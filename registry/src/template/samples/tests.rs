//! Samples are valid, named, and meet every null and every pair of nulls that a situation has.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::Value;

use super::factors::Factors;
use super::{MAX_COMBINATIONS, combinations, random_context, sample, samples};
use crate::template::builder::{Context, build_whole};
use crate::template::schema::tests::{base, json_schema, parse};
use crate::template::schema::{FieldPath, Known, Object, Schema, Situation, Type};

fn schemas() -> [Schema; 2] {
    [Schema::built_in().clone(), parse(&base()).unwrap()]
}

fn assert_valid(schema: &Schema, context: &Context, situation: &str) {
    let document: Value = serde_json::from_str(schema.text()).unwrap();
    assert!(
        json_schema::accepts(&document, context.value()),
        "{}",
        context.value()
    );
    assert_eq!(context.situations(), [situation.into()]);
    assert!(context.cuts().is_empty(), "{:?}", context.cuts());
    assert_eq!(
        build_whole(schema, context.value()).unwrap().value(),
        context.value()
    );
}

/// What may be null or empty and can be seen in a value: the field's path, and whether it is there. Written without the
/// factors that the samples are made with.
fn seen(
    object: &Object,
    value: &Value,
    path: &mut FieldPath,
    found: &mut BTreeSet<(String, bool)>,
) {
    for field in &object.fields {
        path.push(field.name.clone());
        let name = path.join(".");
        let value = &value[&*field.name];
        if field.nullable {
            found.insert((format!("{name}?"), !value.is_null()));
        }
        if !value.is_null() {
            inside(&field.ty, value, path, found);
        }
        path.pop();
    }
}

fn inside(ty: &Type, value: &Value, path: &mut FieldPath, found: &mut BTreeSet<(String, bool)>) {
    let name = path.join(".");
    match (ty, value) {
        (Type::Object(object), value) => seen(object, value, path, found),
        (Type::List { of, .. }, Value::Array(items)) => {
            found.insert((format!("{name}[]"), !items.is_empty()));
            items.iter().for_each(|item| inside(of, item, path, found));
        }
        (Type::Map { of, .. }, Value::Object(entries)) => {
            found.insert((format!("{name}[]"), !entries.is_empty()));
            entries
                .values()
                .for_each(|entry| inside(of, entry, path, found));
        }
        _ => {}
    }
}

fn seen_in(schema: &Schema, context: &Context) -> BTreeSet<(String, bool)> {
    let mut found = BTreeSet::new();
    seen(
        schema.root(),
        context.value(),
        &mut FieldPath::new(),
        &mut found,
    );
    found
}

/// Whether the situation leaves it open that a field, or one above it, is null.
fn settled(situation: &Situation, name: &str, there: bool) -> bool {
    let name = name.trim_end_matches('?').trim_end_matches("[]");
    situation.known.iter().any(|(path, known)| {
        let path = path.join(".");
        match known {
            // What is below something that is null is never met.
            Known::Null => name.starts_with(&format!("{path}.")) || (path == name && there),
            Known::NonNull | Known::Eq(_) => path == name && !there,
        }
    })
}

/// Every path that may be null or empty.
fn open_paths(object: &Object, path: &mut FieldPath, found: &mut Vec<String>) {
    for field in &object.fields {
        path.push(field.name.clone());
        let name = path.join(".");
        if field.nullable {
            found.push(format!("{name}?"));
        }
        if matches!(field.ty, Type::List { .. } | Type::Map { .. }) {
            found.push(format!("{name}[]"));
        }
        if let Some(inner) = field.ty.inner_object() {
            open_paths(inner, path, found);
        }
        path.pop();
    }
}

#[test]
fn samples_are_named_and_valid() {
    for schema in schemas() {
        let samples = samples(&schema);
        assert_eq!(samples.len(), schema.situations().len() * 3);
        let names: BTreeSet<&str> = samples.iter().map(|sample| &*sample.name).collect();
        assert_eq!(names.len(), samples.len());
        for situation in schema.situations() {
            for suffix in ["", "-empty", "-sparse"] {
                let name = format!("{}{suffix}", situation.name);
                let sample = sample(&schema, &name).unwrap_or_else(|| panic!("{name} is missing"));
                assert_valid(&schema, &sample.context, &situation.name);
            }
        }
        assert_eq!(sample(&schema, "nothing"), None);
    }
}

/// Everything that may be null or empty is so in one sample of each situation, and is not in another, as far as the
/// situation allows.
#[test]
fn samples_meet_every_null() {
    for schema in schemas() {
        let all = samples(&schema);
        let mut paths = Vec::new();
        open_paths(schema.root(), &mut FieldPath::new(), &mut paths);
        for situation in schema.situations() {
            let found: BTreeSet<(String, bool)> = all
                .iter()
                .filter(|sample| sample.context.situations() == [situation.name.clone()])
                .flat_map(|sample| seen_in(&schema, &sample.context))
                .collect();
            for path in &paths {
                for there in [true, false] {
                    let met = found.contains(&(path.clone(), there));
                    assert_eq!(
                        met,
                        !settled(situation, path, there),
                        "{}: {path} {there}",
                        situation.name
                    );
                }
            }
        }
    }
}

#[test]
fn the_full_sample_has_no_null_but_the_other_subjects() {
    let schema = Schema::built_in();
    let context = sample(schema, "task-resume").unwrap().context;
    for (path, there) in seen_in(schema, &context) {
        let other = [
            "conversation?",
            "agent_conversation?",
            "opening.conversation?",
            "opening.agent_conversation?",
        ];
        assert_eq!(there, !other.contains(&path.as_str()), "{path}");
    }
    assert_eq!(context.value()["opening"]["kind"], "task-resume");
    assert_eq!(context.value()["people"].as_array().unwrap().len(), 2);
}

/// Any two that may be null or empty are met in every way in which any context can have them.
#[test]
fn combinations_meet_every_pair() {
    for schema in schemas() {
        for situation in schema.situations() {
            let contexts = combinations(&schema, situation);
            assert!(
                (4..=MAX_COMBINATIONS / 2).contains(&contexts.len()),
                "{}: {}",
                situation.name,
                contexts.len()
            );
            let mut pairs: BTreeMap<(String, String), BTreeSet<(bool, bool)>> = BTreeMap::new();
            for context in &contexts {
                assert_valid(&schema, context, &situation.name);
                let found: Vec<(String, bool)> = seen_in(&schema, context).into_iter().collect();
                for (one, first) in &found {
                    for (other, second) in &found {
                        pairs
                            .entry((one.clone(), other.clone()))
                            .or_default()
                            .insert((*first, *second));
                    }
                }
            }
            let mut paths = Vec::new();
            open_paths(schema.root(), &mut FieldPath::new(), &mut paths);
            let nothing = BTreeSet::new();
            for (index, one) in paths.iter().enumerate() {
                for other in &paths[..index] {
                    let met = pairs.get(&(one.clone(), other.clone())).unwrap_or(&nothing);
                    for (first, second) in
                        [(true, true), (true, false), (false, true), (false, false)]
                    {
                        // One that is below the other is only met when that one is there.
                        let place = |name: &str| {
                            name.trim_end_matches('?').trim_end_matches("[]").to_owned()
                        };
                        let below = place(one).starts_with(&format!("{}.", place(other)))
                            || place(one) == place(other);
                        let possible = !settled(situation, one, first)
                            && !settled(situation, other, second)
                            && (second || !below);
                        assert_eq!(
                            met.contains(&(first, second)),
                            possible,
                            "{}: {one} {first}, {other} {second}",
                            situation.name
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn combinations_are_the_same_each_time() {
    let schema = Schema::built_in();
    let situation = &schema.situations()[0];
    assert_eq!(
        combinations(schema, situation),
        combinations(schema, situation)
    );
}

/// A schema with more that may be null than contexts can meet in pairs still gets bounded work.
#[test]
fn combinations_are_bounded() {
    let mut document = base();
    for number in 0..120 {
        document["properties"][format!("f{number}")] = serde_json::json!({"description": "F.", "type": ["string", "null"], "maxLength": 3, "examples": ["a"]});
    }
    let schema = parse(&document).unwrap();
    let situation = &schema.situations()[0];
    assert!(Factors::of(&schema, situation).list.len() > 120);
    let contexts = combinations(&schema, situation);
    assert!(
        (8..=MAX_COMBINATIONS).contains(&contexts.len()),
        "{}",
        contexts.len()
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn random_contexts_are_valid(seed in any::<u64>(), index in any::<prop::sample::Index>()) {
        for schema in schemas() {
            let situation = index.get(schema.situations());
            let context = random_context(&schema, situation, seed).unwrap();
            assert_valid(&schema, &context, &situation.name);
            prop_assert_eq!(Some(context), random_context(&schema, situation, seed));
        }
    }
}

/// Random contexts reach the ends of what the schema allows.
#[test]
fn random_contexts_reach_the_maxima() {
    let schema = Schema::built_in();
    let situation = schema.situation("task-start").unwrap();
    let contexts: Vec<Context> = (0..400)
        .filter_map(|seed| random_context(schema, situation, seed))
        .collect();
    assert_eq!(contexts.len(), 400);
    let lengths = |path: &str| -> BTreeSet<usize> {
        contexts
            .iter()
            .map(|context| {
                let value = context.value().pointer(path).unwrap();
                value
                    .as_array()
                    .map_or_else(|| value.as_str().unwrap().chars().count(), Vec::len)
            })
            .collect()
    };
    assert!(lengths("/people").contains(&200) && lengths("/people").contains(&0));
    assert!(lengths("/task/title").contains(&300) && lengths("/task/title").contains(&0));
    let largest = contexts
        .iter()
        .map(|context| context.value().to_string().len())
        .max()
        .unwrap();
    assert!(largest < 1 << 20, "{largest}");
}
