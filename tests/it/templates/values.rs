//! Contexts that are valid in a situation: all of a tiny world, and random ones of any.

use serde_json::{Map, Value as Json, json};
use vestry::template::World;
use vestry::template::schema::types::{Known, Object, Situation, Type};

use super::rng::Rng;

/// All contexts of the tiny world: every nullness pattern, empty and full texts, lists of up to two.
pub(super) fn tiny() -> Vec<(usize, Json)> {
    let mut tasks = vec![Json::Null];
    for title in ["", "t"] {
        for due in [Json::Null, json!(""), json!("d")] {
            for parent in [Json::Null, json!({"title": ""}), json!({"title": "p"})] {
                tasks.push(json!({"title": title, "due": due, "parent": parent}));
            }
        }
    }
    let (bare, noted) = (
        json!({"name": "n", "note": null}),
        json!({"name": "", "note": {"text": "x"}}),
    );
    let items = [
        json!([]),
        json!([bare]),
        json!([noted]),
        json!([noted, bare]),
    ];
    let openings = [
        json!({"kind": "start"}),
        json!({"kind": "resume"}),
        Json::Null,
    ];
    let mut all = Vec::new();
    for (situation, opening) in openings.iter().enumerate() {
        for task in &tasks {
            if situation == 0 && task.is_null() {
                continue;
            }
            for items in &items {
                all.push((
                    situation,
                    json!({"opening": opening, "task": task, "items": items}),
                ));
            }
        }
    }
    all
}

/// A random context of a situation.
pub(super) fn random(world: World<'_>, situation: &Situation, rng: &mut Rng) -> Json {
    let mut value = object(world.root, rng);
    for (path, known) in &situation.known {
        let mut at = &mut value;
        let mut of = world.root;
        for (number, step) in path.iter().enumerate() {
            let field = of.field(step).unwrap();
            at = at.get_mut(&**step).unwrap();
            if let Type::Object(inner) = &field.ty {
                of = inner;
            }
            if number + 1 < path.len() {
                continue;
            }
            match known {
                Known::Null => *at = Json::Null,
                Known::NonNull if at.is_null() => *at = of_type(&field.ty, rng),
                Known::NonNull => {}
                Known::Eq(word) => *at = json!(word),
            }
        }
    }
    value
}

fn object(object: &Object, rng: &mut Rng) -> Json {
    let mut fields = Map::new();
    for field in &object.fields {
        let value = if field.nullable && rng.chance(40) {
            Json::Null
        } else {
            of_type(&field.ty, rng)
        };
        fields.insert(field.name.to_string(), value);
    }
    Json::Object(fields)
}

fn text(max: usize, rng: &mut Rng) -> String {
    let length = if rng.chance(20) {
        0
    } else {
        rng.below(max + 1)
    };
    (0..length)
        .map(|_| *rng.pick(&[&'a', &'Ж', &'ß', &'\n', &'"', &'😀', &'{', &'<', &' ', &'0']))
        .collect()
}

fn of_type(ty: &Type, rng: &mut Rng) -> Json {
    match ty {
        Type::Str { max } => json!(text(*max, rng)),
        Type::Enum { values } => json!(values[rng.below(values.len())]),
        Type::Int { min, max } => {
            let range = usize::try_from(max - min + 1).unwrap();
            if rng.chance(30) && *min <= 0 {
                json!(0)
            } else {
                json!(min + i64::try_from(rng.below(range)).unwrap())
            }
        }
        Type::Bool => json!(rng.chance(50)),
        Type::Object(inner) => object(inner, rng),
        Type::List { of, max } => (0..rng.below(max + 1)).map(|_| of_type(of, rng)).collect(),
        Type::Map { of, max, key_max } => {
            let mut entries = Map::new();
            for _ in 0..rng.below(max + 1) {
                entries.insert(text(*key_max, rng), of_type(of, rng));
            }
            Json::Object(entries)
        }
    }
}

/// A context with as much of everything as the schema allows, and the longest characters: what costs most.
pub(super) fn largest(object: &Object) -> Json {
    fn of_type(ty: &Type) -> Json {
        match ty {
            Type::Str { max } => json!("😀".repeat(*max)),
            Type::Enum { values } => json!(values.iter().max_by_key(|word| word.len()).unwrap()),
            Type::Int { max, .. } => json!(max),
            Type::Bool => json!(true),
            Type::Object(inner) => largest(inner),
            Type::List { of, max } => (0..*max).map(|_| of_type(of)).collect(),
            Type::Map { of, max, key_max } => {
                let key = |number: usize| {
                    char::from_u32(0x1f600 + u32::try_from(number).unwrap())
                        .unwrap()
                        .to_string()
                        .repeat(*key_max)
                };
                Json::Object((0..*max).map(|number| (key(number), of_type(of))).collect())
            }
        }
    }
    Json::Object(
        object
            .fields
            .iter()
            .map(|field| (field.name.to_string(), of_type(&field.ty)))
            .collect(),
    )
}
