//! What holds for every context, on the small schema and on the built-in one.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::{Needs, build, build_whole};
use super::small;
use crate::template::samples::random_context;
use crate::template::schema::tests::json_schema;
use crate::template::schema::{SKILLS_FIELD, Schema};

/// A random valid context of either schema.
fn context() -> impl Strategy<Value = (Schema, Value)> {
    (any::<bool>(), any::<u64>(), any::<prop::sample::Index>()).prop_map(
        |(built_in, seed, index)| {
            let schema = if built_in {
                Schema::built_in().clone()
            } else {
                small()
            };
            let situation = index.get(schema.situations());
            let context =
                random_context(&schema, situation, seed).expect("a random context is valid");
            let value = context.into_value();
            (schema, value)
        },
    )
}

/// Any JSON, small.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (0_i64..12).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-zé{}\"]{0,30}".prop_map(Value::from),
        prop::sample::select(vec!["low", "open", "task-start", "person"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(
                prop::sample::select(vec![
                    "name", "about", "kind", "title", "id", "x", "7", "näme"
                ]),
                inner,
                0..5
            )
            .prop_map(|entries| entries
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect::<Map<_, _>>()
                .into()),
        ]
    })
}

/// A change somewhere in a context.
#[derive(Debug, Clone)]
enum Change {
    Put(Value),
    Remove,
    Add(String, Value),
    Lengthen(usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        3 => any_json().prop_map(Change::Put),
        2 => Just(Change::Remove),
        2 => ("[a-z]{1,5}", any_json()).prop_map(|(key, value)| Change::Add(key, value)),
        2 => (1_usize..3_000).prop_map(Change::Lengthen),
    ]
}

/// Does a change at the place that the indices lead to.
fn apply(value: &mut Value, way: &[prop::sample::Index], change: &Change) {
    if let Some((step, rest)) = way.split_first() {
        match value {
            Value::Object(fields) if !fields.is_empty() => {
                let key = step
                    .get(&fields.keys().cloned().collect::<Vec<_>>())
                    .clone();
                if rest.is_empty() && matches!(change, Change::Remove) {
                    fields.remove(&key);
                } else {
                    apply(&mut fields[&key], rest, change);
                }
                return;
            }
            Value::Array(items) if !items.is_empty() => {
                let index = step.index(items.len());
                apply(&mut items[index], rest, change);
                return;
            }
            _ => {}
        }
    }
    match (change, value) {
        (Change::Put(new), place) => *place = new.clone(),
        (Change::Add(key, new), Value::Object(fields)) => {
            fields.insert(key.clone(), new.clone());
        }
        (Change::Lengthen(by), Value::String(text)) => text.push_str(&"ä".repeat(*by)),
        (Change::Lengthen(by), Value::Array(items)) => {
            if let Some(first) = items.first().cloned() {
                items.extend(std::iter::repeat_n(first, *by));
            }
        }
        _ => {}
    }
}

fn without_skills(mut value: Value) -> Value {
    value.as_object_mut().unwrap().remove(SKILLS_FIELD);
    value
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_is_valid_is_kept((schema, value) in context()) {
        let context = build_whole(&schema, &value).unwrap();
        prop_assert_eq!(context.value(), &value);
        prop_assert!(context.cuts().is_empty());
        prop_assert_eq!(context.situations().len(), 1);
        let document: Value = serde_json::from_str(schema.text()).unwrap();
        prop_assert!(json_schema::accepts(&document, &value));
    }

    /// Whatever a host gives, and whatever is needed of it: what is built is valid, and building it again changes nothing.
    #[test]
    fn what_is_built_is_valid(
        (schema, value) in context(),
        changes in prop::collection::vec((prop::collection::vec(any::<prop::sample::Index>(), 1..5), change()), 0..4),
        all in any::<bool>(),
    ) {
        let mut given = without_skills(value);
        for (way, change) in &changes {
            apply(&mut given, way, change);
        }
        let needs = if all { Needs::all() } else { Needs::none() };
        match build(&schema, &given, &needs) {
            Ok(context) => {
                let document: Value = serde_json::from_str(schema.text()).unwrap();
                prop_assert!(json_schema::accepts(&document, context.value()), "{}", context.value());
                let again = build(&schema, &without_skills(context.value().clone()), &needs).unwrap();
                prop_assert_eq!(again.value(), context.value());
                prop_assert!(again.cuts().is_empty());
            }
            Err(faults) => {
                prop_assert!(!changes.is_empty());
                prop_assert!(!faults.is_empty());
            }
        }
    }

    #[test]
    fn an_unknown_field_is_always_refused((schema, value) in context(), way in prop::collection::vec(any::<prop::sample::Index>(), 0..4)) {
        let mut given = without_skills(value);
        if let Some(labels) = given.get_mut("labels") {
            // A map that is full is cut, and says nothing of the keys that it loses.
            *labels = json!({});
        }
        let before = given.clone();
        apply(&mut given, &way, &Change::Add("zz_unknown".to_owned(), json!(1)));
        prop_assume!(given != before);
        let faults = build(&schema, &given, &Needs::none());
        let found = matches!(&faults, Err(faults) if faults.iter().any(|fault| fault.path.ends_with("zz_unknown")));
        // The keys of a map are the host's own; this one is too long.
        let in_map = matches!(&faults, Err(faults) if faults.iter().any(|fault| fault.path.contains("[\"zz_unknown\"]")));
        prop_assert!(found || in_map, "{:?}", faults);
    }

    #[test]
    fn any_json_is_built_or_refused(given in any_json()) {
        for schema in [Schema::built_in(), &small()] {
            if let Ok(context) = build(schema, &given, &Needs::none()) {
                let document: Value = serde_json::from_str(schema.text()).unwrap();
                prop_assert!(json_schema::accepts(&document, context.value()));
            }
        }
    }

    /// A template that reads fewer fields asks for no more.
    #[test]
    fn fewer_needs_never_refuse_more(
        (schema, value) in context(),
        kept in prop::collection::vec(any::<bool>(), 16),
        needed in prop::collection::vec(any::<bool>(), 16),
    ) {
        let names: Vec<String> = schema.root().fields.iter().map(|field| field.name.to_string()).collect();
        let mut given = without_skills(value);
        for (name, kept) in names.iter().zip(&kept) {
            if !kept {
                given.as_object_mut().unwrap().remove(name);
            }
        }
        let mut needs = Needs::none();
        let mut fewer = Needs::none();
        for (index, name) in names.iter().enumerate() {
            needs = needs.with_whole(&[name]);
            if needed[index % needed.len()] {
                fewer = fewer.with_whole(&[name]);
            }
        }
        if build(&schema, &given, &needs).is_ok() {
            prop_assert!(build(&schema, &given, &fewer).is_ok());
        }
        // What is needed and not null is there, or the context is refused.
        if let Ok(context) = build(&schema, &given, &fewer) {
            for field in &schema.root().fields {
                let asked = fewer.contains(&[&field.name]) && field.required && *field.name != *SKILLS_FIELD;
                prop_assert!(!asked || given.get(&*field.name).is_some());
                prop_assert!(context.value().get(&*field.name).is_some());
            }
        }
    }
}
