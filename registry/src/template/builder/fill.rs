//! The walk over a type and the data given for it.

use serde_json::{Map, Value};

use super::fault::{BuildFault, Cut, CutUnit, MAX_FAULTS};
use super::needs::Need;
use super::neutral;
use super::path::{self, Step};
use crate::template::schema::{Object, SKILLS_FIELD, Schema, Type};

/// Where the field `skills` comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Skills {
    /// The host may not give it; it is empty until the server fills it.
    FromServer,
    /// It is data as all else.
    Given,
}

/// Walks over a type and the data given for it, and makes the value.
pub(super) struct Filler<'a> {
    schema: Option<&'a Schema>,
    skills: Skills,
    place: Vec<Step<'a>>,
    faults: Vec<BuildFault>,
    cuts: Vec<Cut>,
}

impl<'a> Filler<'a> {
    /// Without a schema, lists that are too long keep their first items.
    pub(super) fn new(schema: Option<&'a Schema>, skills: Skills) -> Self {
        Self {
            schema,
            skills,
            place: Vec::new(),
            faults: Vec::new(),
            cuts: Vec::new(),
        }
    }

    /// What was wrong, and what was cut.
    pub(super) fn into_parts(self) -> (Vec<BuildFault>, Vec<Cut>) {
        (self.faults, self.cuts)
    }

    /// An object with exactly the fields of its type.
    pub(super) fn object(
        &mut self,
        object: &'a Object,
        given: &'a Map<String, Value>,
        need: Need<'_>,
    ) -> Value {
        let from_server = self.place.is_empty() && self.skills == Skills::FromServer;
        let mut fields = Map::new();
        for field in &object.fields {
            let need = need.of(&field.name);
            self.place.push(Step::Field(&field.name));
            let value = match given.get(&*field.name) {
                given if from_server && *field.name == *SKILLS_FIELD => {
                    if given.is_some() {
                        self.fault(
                            "The server fills this from the offer; leave it out.".to_owned(),
                        );
                    }
                    neutral(&field.ty)
                }
                None if field.required && need.is_some() => {
                    self.fault(format!(
                        "This is missing: give {}.",
                        expected(&field.ty, field.nullable)
                    ));
                    neutral(&field.ty)
                }
                None | Some(Value::Null) if field.nullable => Value::Null,
                None => neutral(&field.ty),
                Some(value) => self.value(&field.ty, field.nullable, value, need),
            };
            self.place.pop();
            fields.insert(String::from(&*field.name), value);
        }
        for name in given.keys() {
            if object.field(name).is_none() {
                self.place.push(Step::Field(name));
                self.unknown(object);
                self.place.pop();
            }
        }
        Value::Object(fields)
    }

    /// A value of the type; a neutral one when what was given is none.
    pub(super) fn value(
        &mut self,
        ty: &'a Type,
        nullable: bool,
        given: &'a Value,
        need: Need<'_>,
    ) -> Value {
        match (ty, given) {
            (Type::Str { max }, Value::String(text)) => Value::String(self.text(text, *max)),
            (Type::Enum { values }, Value::String(word))
                if values.iter().any(|value| **value == **word) =>
            {
                given.clone()
            }
            (Type::Int { min, max }, Value::Number(number))
                if number
                    .as_i64()
                    .is_some_and(|number| (*min..=*max).contains(&number)) =>
            {
                given.clone()
            }
            (Type::Bool, Value::Bool(_)) => given.clone(),
            (Type::Object(object), Value::Object(fields)) => self.object(object, fields, need),
            (Type::List { of, max }, Value::Array(items)) => self.list(of, *max, items, need),
            (Type::Map { of, max, key_max }, Value::Object(entries)) => {
                self.map(of, *max, *key_max, entries, need)
            }
            _ => {
                self.fault(format!("This must be {}.", expected(ty, nullable)));
                neutral(ty)
            }
        }
    }

    fn text(&mut self, text: &str, max: usize) -> String {
        // As many bytes as characters at least, so that most texts need no count.
        if text.len() <= max {
            return text.to_owned();
        }
        let given = text.chars().count();
        if given <= max {
            return text.to_owned();
        }
        self.cut(CutUnit::Characters, given, max);
        text.chars()
            .take(max.saturating_sub(1))
            .chain(['…'])
            .collect()
    }

    fn list(&mut self, of: &'a Type, max: usize, items: &'a [Value], need: Need<'_>) -> Value {
        let excess = items.len().saturating_sub(max);
        let mut skipped = 0;
        if excess > 0 {
            self.cut(CutUnit::Items, items.len(), max);
            let names = path::names(&self.place);
            if self.schema.is_some_and(|schema| schema.keeps_last(&names)) {
                skipped = excess;
            }
        }
        let mut list = Vec::with_capacity(items.len().min(max));
        for (index, item) in items.iter().enumerate().skip(skipped).take(max) {
            self.place.push(Step::Item(index));
            list.push(self.value(of, false, item, need));
            self.place.pop();
        }
        Value::Array(list)
    }

    fn map(
        &mut self,
        of: &'a Type,
        max: usize,
        key_max: usize,
        entries: &'a Map<String, Value>,
        need: Need<'_>,
    ) -> Value {
        // By their bytes, whatever order the document had.
        let mut sorted: Vec<(&String, &Value)> = entries.iter().collect();
        sorted.sort_by_key(|(key, _)| *key);
        if sorted.len() > max {
            self.cut(CutUnit::Entries, sorted.len(), max);
        }
        let mut map = Map::new();
        for (key, value) in sorted.into_iter().take(max) {
            self.place.push(Step::Key(key));
            if key.chars().count() > key_max {
                self.fault(format!(
                    "The key is too long: at most {key_max} characters."
                ));
            }
            if key.chars().all(|c| c.is_ascii_digit()) {
                // Engines in JavaScript put such keys first, in the order of the numbers.
                self.fault("A key needs something other than digits.".to_owned());
            }
            let value = self.value(of, false, value, need);
            self.place.pop();
            map.insert(key.clone(), value);
        }
        Value::Object(map)
    }

    fn unknown(&mut self, object: &Object) {
        let names: Vec<String> = object
            .fields
            .iter()
            .map(|field| format!("`{}`", field.name))
            .collect();
        self.fault(format!(
            "There is no such field; here are {}.",
            names.join(", ")
        ));
    }

    fn fault(&mut self, detail: String) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(BuildFault {
                path: path::text(&self.place),
                detail,
            });
        }
    }

    fn cut(&mut self, unit: CutUnit, given: usize, kept: usize) {
        self.cuts.push(Cut {
            path: path::text(&self.place),
            unit,
            given,
            kept,
        });
    }
}

/// What a field takes, in words.
fn expected(ty: &Type, nullable: bool) -> String {
    let null = if nullable { ", or null" } else { "" };
    format!("{}{null}", ty.with_article())
}
