//! The value of a context, made of examples and choices.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::factors::{Factors, Kind};
use super::known_of;
use super::pairs::Choice;
use crate::template::builder::neutral;
use crate::template::schema::{Field, FieldPath, Known, Object, Schema, Situation, Type};

/// The value of a context in which these choices were made.
pub(super) fn value(
    schema: &Schema,
    situation: &Situation,
    factors: &Factors,
    choices: &[Choice],
) -> Value {
    let mut maker = Maker {
        situation,
        factors,
        choices,
        path: FieldPath::new(),
    };
    maker.object(schema.root(), None)
}

struct Maker<'a> {
    situation: &'a Situation,
    factors: &'a Factors,
    choices: &'a [Choice],
    path: FieldPath,
}

impl Maker<'_> {
    fn object(&mut self, object: &Object, example: Option<&Value>) -> Value {
        let mut fields = Map::new();
        for field in &object.fields {
            self.path.push(Arc::clone(&field.name));
            let example = example.and_then(|example| example.get(&*field.name));
            fields.insert(String::from(&*field.name), self.field(field, example));
            self.path.pop();
        }
        Value::Object(fields)
    }

    fn field(&mut self, field: &Field, example: Option<&Value>) -> Value {
        if let Some(Known::Eq(word)) = known_of(self.situation, &self.path) {
            return Value::from(&**word);
        }
        if !self.is(Kind::Set) {
            return Value::Null;
        }
        // An example of something larger may have null here, where this context has to have a value.
        let example = example
            .filter(|example| !example.is_null())
            .or(field.sample.as_ref());
        self.value(&field.ty, example)
    }

    fn value(&mut self, ty: &Type, example: Option<&Value>) -> Value {
        match (ty, example) {
            (Type::Object(object), example) => self.object(object, example),
            (Type::List { of, .. }, Some(Value::Array(items))) if self.is(Kind::Filled) => items
                .iter()
                .map(|item| self.value(of, Some(item)))
                .collect(),
            (Type::Map { of, .. }, Some(Value::Object(entries))) if self.is(Kind::Filled) => {
                entries
                    .iter()
                    .map(|(key, value)| (key.clone(), self.value(of, Some(value))))
                    .collect()
            }
            (Type::List { .. } | Type::Map { .. }, _) | (_, None) => neutral(ty),
            (_, Some(example)) => example.clone(),
        }
    }

    fn is(&self, kind: Kind) -> bool {
        self.factors.chosen(&self.path, kind, self.choices)
    }
}
