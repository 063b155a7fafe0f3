//! Objects, lists and maps.

use std::sync::Arc;

use serde_json::Value;

use super::super::document::Node;
use super::super::limits::{MAX_DEPTH, MAX_FIELDS, MAX_ITEMS, MAX_KEY_CHARACTERS};
use super::super::names;
use super::super::read::Reader;
use super::super::types::{Field, Object, Type};
use super::Shape;
use crate::template::builder::sample_item;

impl<'a> Reader<'a> {
    /// An object: a closed set of fields.
    pub(in super::super) fn object(&mut self, node: &'a Node, depth: usize) -> Option<Type> {
        self.shallow(depth)?;
        if node.get("additionalProperties") != Some(&Node::Bool(false)) {
            self.faults.below(
                "additionalProperties",
                "The context is closed: write `\"additionalProperties\": false`.",
            );
        }
        let Some(properties) = node.get("properties").and_then(Node::as_map) else {
            self.faults
                .below("properties", "`properties` is an object of named fields.");
            return None;
        };
        if properties.is_empty() {
            self.faults
                .below("properties", "Give the object a field, or leave it out.");
        }
        let required = self.required(node, properties);
        self.faults.enter("properties");
        let mut fields = Vec::with_capacity(properties.len());
        for (name, property) in properties {
            if self.fields >= MAX_FIELDS {
                self.faults
                    .here(format!("A schema has at most {MAX_FIELDS} fields, those of a definition counted wherever it is used."));
                break;
            }
            self.fields += 1;
            self.faults.enter(name.as_str());
            self.names.push(Arc::from(name.as_str()));
            let required = required.contains(&name.as_str());
            fields.extend(self.field(name, property, required, depth));
            self.names.pop();
            self.faults.leave();
        }
        self.faults.leave();
        Some(Type::Object(Arc::new(Object { fields })))
    }

    fn field(&mut self, name: &str, node: &'a Node, required: bool, depth: usize) -> Option<Field> {
        if let Some(why) = names::refuse(name) {
            self.faults.here(why);
        }
        let Shape {
            ty,
            nullable,
            description,
            sample,
        } = self.shape(node, depth + 1)?;
        if description.is_none() && node.get("description").is_none() {
            self.faults.below(
                "description",
                "Describe the field in a sentence: it is what authors of templates read.",
            );
        }
        if !nullable && !required {
            self.faults.here(format!(
                "`{name}` is never null, so that it must be in `required`; or let it be null."
            ));
        }
        let sample = self.field_sample(&ty, sample);
        Some(Field {
            name: Arc::from(name),
            description: description?,
            ty,
            nullable,
            required,
            sample,
        })
    }

    /// What stands for a field in samples; a fault where nothing can be made up.
    fn field_sample(&mut self, ty: &Type, sample: Option<Value>) -> Option<Value> {
        let needed = match (ty, &sample) {
            (Type::Object(_), _) => return None,
            (Type::List { .. }, Some(Value::Array(items))) => items.is_empty(),
            (Type::Map { .. }, Some(Value::Object(entries))) => entries.is_empty(),
            (_, Some(_)) => false,
            (Type::Enum { values }, None) => {
                return values.first().map(|word| Value::from(&**word));
            }
            (Type::Bool, None) => return Some(Value::Bool(true)),
            (Type::List { of, .. }, None) if matches!(**of, Type::Object(_)) => {
                return Some(Value::Array(vec![sample_item(of)]));
            }
            (_, None) => true,
        };
        if needed {
            self.faults.below(
                "examples",
                "Give an example that is not empty: samples and the reference are made of them.",
            );
        }
        sample
    }

    fn required(&mut self, node: &'a Node, properties: &[(String, Node)]) -> Vec<&'a str> {
        let Some(given) = node.get("required") else {
            return Vec::new();
        };
        let Some(items) = given.as_list() else {
            self.faults
                .below("required", "`required` is a list of names of fields.");
            return Vec::new();
        };
        let mut names: Vec<&'a str> = Vec::with_capacity(items.len());
        self.faults.enter("required");
        for (index, item) in items.iter().enumerate() {
            match item.as_text() {
                Some(name) if names.contains(&name) => self
                    .faults
                    .below(&index.to_string(), format!("`{name}` is there twice.")),
                Some(name) if properties.iter().any(|(property, _)| property == name) => {
                    names.push(name);
                }
                _ => self.faults.below(
                    &index.to_string(),
                    "`required` names fields that are in `properties`.",
                ),
            }
        }
        self.faults.leave();
        names
    }

    /// A list.
    pub(super) fn list(&mut self, node: &'a Node, depth: usize) -> Option<Type> {
        self.allow(
            node,
            &[
                "type",
                "items",
                "maxItems",
                "x-keep",
                "description",
                "examples",
            ],
        );
        self.shallow(depth)?;
        match node.get("x-keep").map(Node::as_text) {
            None | Some(Some("first")) => {}
            Some(Some("last")) => {
                self.keep_last.insert(self.names.clone());
            }
            Some(_) => self.faults.below(
                "x-keep",
                "Say which items a list keeps that is too long: `\"first\"` or `\"last\"`.",
            ),
        }
        let max = self.most(node, "maxItems", MAX_ITEMS);
        let of = self.inner(node, "items", depth);
        Some(Type::List {
            of: Arc::new(of?),
            max: max?,
        })
    }

    /// A map.
    pub(super) fn map(&mut self, node: &'a Node, depth: usize) -> Option<Type> {
        self.allow(
            node,
            &[
                "type",
                "additionalProperties",
                "maxProperties",
                "propertyNames",
                "description",
                "examples",
            ],
        );
        self.shallow(depth)?;
        let max = self.most(node, "maxProperties", MAX_ITEMS);
        self.faults.enter("propertyNames");
        let key_max = if let Some(keys) = node.get("propertyNames") {
            self.allow(keys, &["maxLength"]);
            self.most(keys, "maxLength", MAX_KEY_CHARACTERS)
        } else {
            self.faults.here(format!(
                "Give `propertyNames` a `maxLength` from 1 to {MAX_KEY_CHARACTERS}: keys are printed too."
            ));
            None
        };
        self.faults.leave();
        let of = self.inner(node, "additionalProperties", depth);
        Some(Type::Map {
            of: Arc::new(of?),
            max: max?,
            key_max: key_max?,
        })
    }

    /// What each item of a list or value of a map is.
    fn inner(&mut self, node: &'a Node, key: &str, depth: usize) -> Option<Type> {
        let Some(inner) = node.get(key) else {
            self.faults
                .below(key, format!("Say with `{key}` what each value is."));
            return None;
        };
        self.faults.enter(key);
        let shape = self.shape(inner, depth + 1);
        if shape.as_ref().is_some_and(|shape| shape.nullable) {
            self.faults
                .here("Items of lists and values of maps are never null; leave them out instead.");
        }
        self.faults.leave();
        shape.map(|shape| shape.ty)
    }

    fn shallow(&mut self, depth: usize) -> Option<()> {
        if depth > MAX_DEPTH {
            self.faults.here(format!(
                "Objects, lists and maps are at most {MAX_DEPTH} levels deep."
            ));
            return None;
        }
        Some(())
    }
}
