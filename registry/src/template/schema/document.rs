//! A JSON document as its author wrote it: keys keep their order, and none is there twice.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// A JSON value whose objects keep the order of their keys.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// An object.
    Map(Vec<(String, Self)>),
}

impl Node {
    /// The document of a text.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// The value of a key; none when this is not an object.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.as_map()?
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// The text, if it is one.
    pub(super) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The whole number, if it is one.
    pub(super) fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The items, if it is a list.
    pub(super) fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The entries, if it is an object.
    pub(super) fn as_map(&self) -> Option<&[(String, Self)]> {
        match self {
            Self::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The value without the order of its keys.
    pub(super) fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::from(*value),
            Self::Int(number) => Value::from(*number),
            Self::Number(number) => Value::from(*number),
            Self::Text(text) => Value::from(text.as_str()),
            Self::List(items) => items.iter().map(Self::to_value).collect(),
            Self::Map(entries) => entries
                .iter()
                .map(|(key, value)| (key.clone(), value.to_value()))
                .collect(),
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Int(number))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        // A number this large is refused everywhere, whatever its last digits.
        Ok(i64::try_from(number).map_or(Node::Number(number as f64), Node::Int))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Node, E> {
        Ok(Node::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut map: Vec<(String, Node)> = Vec::new();
        let mut seen = std::collections::HashSet::new();
        while let Some((key, value)) = entries.next_entry::<String, Node>()? {
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format!("the key `{key}` is there twice")));
            }
            map.push((key, value));
        }
        Ok(Node::Map(map))
    }
}
