//! The vocabulary: what a place of the document says about a value.

mod containers;
mod leaves;

use std::sync::Arc;

use serde_json::Value;

use super::document::Node;
use super::read::Reader;
use super::types::Type;
use crate::template::builder::check_example;

/// What a place of the document says about a value.
#[derive(Debug, Clone)]
pub(super) struct Shape {
    pub(super) ty: Type,
    pub(super) nullable: bool,
    pub(super) description: Option<Arc<str>>,
    pub(super) sample: Option<Value>,
}

impl<'a> Reader<'a> {
    /// Reads a place that describes a value; none when something there is wrong.
    pub(super) fn shape(&mut self, node: &'a Node, depth: usize) -> Option<Shape> {
        if node.as_map().is_none() {
            self.faults
                .here("This must be a JSON object that describes a value.");
            return None;
        }
        if node.get("$ref").is_some() {
            self.referred(node, depth)
        } else if node.get("anyOf").is_some() {
            self.either(node, depth)
        } else {
            self.plain(node, depth)
        }
    }

    /// A reference, with a description and examples of its own where it has some.
    fn referred(&mut self, node: &'a Node, depth: usize) -> Option<Shape> {
        self.allow(node, &["$ref", "description", "examples"]);
        let description = self.description(node);
        let Some(target) = node.get("$ref").and_then(Node::as_text) else {
            self.faults
                .below("$ref", "Write `#/$defs/` and the name of a definition.");
            return None;
        };
        let shape = self.reference(target, depth)?;
        self.with_own(node, description, shape)
    }

    /// A value or null.
    fn either(&mut self, node: &'a Node, depth: usize) -> Option<Shape> {
        self.allow(node, &["anyOf", "description", "examples"]);
        let description = self.description(node);
        let choices = node.get("anyOf").and_then(Node::as_list);
        let value = match choices {
            Some([value, null]) if is_null_type(null) => Some((0, value)),
            Some([null, value]) if is_null_type(null) => Some((1, value)),
            _ => None,
        };
        let Some((index, value)) = value else {
            self.faults.below(
                "anyOf",
                "The only choice is between a value and null: write the value's schema and `{\"type\": \"null\"}`.",
            );
            return None;
        };
        self.faults.enter("anyOf");
        self.faults.enter(index.to_string());
        let shape = self.shape(value, depth).and_then(|shape| {
            if shape.nullable {
                self.faults
                    .here("This value may be null already; say so once.");
                None
            } else {
                Some(shape)
            }
        });
        self.faults.leave();
        self.faults.leave();
        let shape = Shape {
            nullable: true,
            ..shape?
        };
        self.with_own(node, description, shape)
    }

    fn with_own(
        &mut self,
        node: &Node,
        description: Option<Arc<str>>,
        shape: Shape,
    ) -> Option<Shape> {
        let sample = if node.get("examples").is_some() {
            self.sample(node, &shape.ty)?
        } else {
            shape.sample
        };
        Some(Shape {
            description: description.or(shape.description),
            sample,
            ..shape
        })
    }

    fn plain(&mut self, node: &'a Node, depth: usize) -> Option<Shape> {
        let (word, nullable) = self.type_word(node)?;
        let description = self.description(node);
        let ty = match word {
            "string" if node.get("enum").is_some() => self.words(node, nullable),
            "string" => self.text(node),
            "integer" => self.whole_number(node),
            "boolean" => {
                self.allow(node, &["type", "description", "examples"]);
                Some(Type::Bool)
            }
            "object" if node.get("properties").is_some() => {
                self.allow(
                    node,
                    &[
                        "type",
                        "properties",
                        "required",
                        "additionalProperties",
                        "description",
                    ],
                );
                return self.object(node, depth).map(|ty| Shape {
                    ty,
                    nullable,
                    description,
                    sample: None,
                });
            }
            "object" => self.map(node, depth),
            "array" => self.list(node, depth),
            "number" => {
                self.faults.below(
                    "type",
                    "Engines print fractions differently; use `integer`, or a text that the host has formatted.",
                );
                None
            }
            "null" => {
                self.faults.below(
                    "type",
                    "A field that is always null says nothing; name the type that it has when it is set.",
                );
                None
            }
            _ => {
                self.faults.below(
                    "type",
                    "There are the types string, integer, boolean, object and array.",
                );
                None
            }
        }?;
        let sample = self.sample(node, &ty)?;
        Some(Shape {
            ty,
            nullable,
            description,
            sample,
        })
    }

    /// The type's word, and whether null is allowed beside it.
    fn type_word(&mut self, node: &'a Node) -> Option<(&'a str, bool)> {
        let found = match node.get("type") {
            Some(Node::Text(word)) => Some((word.as_str(), false)),
            Some(Node::List(words)) => match words.as_slice() {
                [Node::Text(word), Node::Text(null)] | [Node::Text(null), Node::Text(word)]
                    if null == "null" && word != "null" =>
                {
                    Some((word.as_str(), true))
                }
                _ => None,
            },
            _ => None,
        };
        if found.is_none() {
            self.faults.below(
                "type",
                "Give the type: a word such as `\"string\"`, or such a word and `\"null\"`.",
            );
        }
        found
    }

    /// The first of the examples, once all of them fit. The outer answer is none when one does not.
    fn sample(&mut self, node: &Node, ty: &Type) -> Option<Option<Value>> {
        let Some(examples) = node.get("examples") else {
            return Some(None);
        };
        if matches!(ty, Type::Object(_)) {
            self.faults.below(
                "examples",
                "An object has no examples of its own: give them to its fields.",
            );
            return None;
        }
        let examples = examples.as_list().unwrap_or_default();
        if examples.is_empty() {
            self.faults
                .below("examples", "`examples` is a list of one or more values.");
            return None;
        }
        self.faults.enter("examples");
        let mut sound = true;
        let mut first = None;
        for (index, example) in examples.iter().enumerate() {
            match check_example(ty, &example.to_value()) {
                Ok(value) => {
                    first.get_or_insert(value);
                }
                Err(details) => {
                    sound = false;
                    for detail in details {
                        self.faults.below(&index.to_string(), detail);
                    }
                }
            }
        }
        self.faults.leave();
        sound.then_some(first)
    }
}

fn is_null_type(node: &Node) -> bool {
    matches!(node.as_map(), Some([(key, Node::Text(word))]) if key == "type" && word == "null")
}
