//! The canonical text of a document: without white space, the keys of each object in the order of their bytes.

use std::fmt::Write as _;

use serde::ser::{Serialize, SerializeMap as _, SerializeSeq as _, Serializer};
use sha2::{Digest as _, Sha256};

use super::document::Node;

/// The SHA-256 of the canonical text, in hexadecimal.
pub(super) fn digest(document: &Node) -> String {
    // The document has text keys and finite numbers only, so that writing it to memory cannot fail.
    let canonical = serde_json::to_vec(&Canonical(document)).unwrap_or_default();
    Sha256::digest(canonical)
        .iter()
        .fold(String::with_capacity(64), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
}

struct Canonical<'a>(&'a Node);

impl Serialize for Canonical<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Node::Null => serializer.serialize_unit(),
            Node::Bool(value) => serializer.serialize_bool(*value),
            Node::Int(number) => serializer.serialize_i64(*number),
            Node::Number(number) => serializer.serialize_f64(*number),
            Node::Text(text) => serializer.serialize_str(text),
            Node::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                for item in items {
                    list.serialize_element(&Canonical(item))?;
                }
                list.end()
            }
            Node::Map(entries) => {
                let mut sorted: Vec<&(String, Node)> = entries.iter().collect();
                sorted.sort_by(|(one, _), (other, _)| one.cmp(other));
                let mut map = serializer.serialize_map(Some(sorted.len()))?;
                for (key, value) in sorted {
                    map.serialize_entry(key, &Canonical(value))?;
                }
                map.end()
            }
        }
    }
}
