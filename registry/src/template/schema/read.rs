//! Reading a schema: the document first, then its fields, then its situations.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::document::Node;
use super::fault::{Faults, SchemaFault};
use super::limits::{MAX_DESCRIPTION_CHARACTERS, MAX_REFERENCES, MAX_TEXT_BYTES};
use super::shape::Shape;
use super::types::{Object, Type};
use super::{FieldPath, Schema, canonical, situations, skills};

const ROOT_KEYS: &[&str] = &[
    "$schema",
    "$id",
    "title",
    "description",
    "x-version",
    "x-situations",
    "type",
    "properties",
    "required",
    "additionalProperties",
    "$defs",
];

/// Reads the schema of a text, or says everything that is wrong with it.
pub(super) fn schema(text: &str) -> Result<Schema, Vec<SchemaFault>> {
    let whole = |detail: String| {
        vec![SchemaFault {
            path: String::new(),
            detail,
        }]
    };
    if text.len() > MAX_TEXT_BYTES {
        return Err(whole(format!(
            "The schema has {} bytes; the most is {MAX_TEXT_BYTES}.",
            text.len()
        )));
    }
    let document = Node::parse(text)
        .map_err(|error| whole(format!("The schema is not a JSON document: {error}.")))?;
    if document.as_map().is_none() {
        return Err(whole("The schema must be a JSON object.".to_owned()));
    }

    let mut reader = Reader::new(&document);
    reader.allow(&document, ROOT_KEYS);
    let about = reader.description(&document);
    let version = reader.version(&document);
    let root = reader.root(&document);
    reader.unused_definitions();
    let situations = root
        .as_ref()
        .and_then(|root| situations::read(&document, root, &mut reader.faults));
    if let Some(root) = &root {
        skills::check(root, &mut reader.faults);
    }

    let Reader {
        faults, keep_last, ..
    } = reader;
    match (faults.none(), root, situations, version) {
        (true, Some(root), Some(situations), Some(version)) => Ok(Schema {
            root,
            about: about.unwrap_or_else(|| Arc::from("")),
            situations: situations.list,
            about_situations: situations.about,
            keep_last,
            version,
            digest: Arc::from(canonical::digest(&document)),
            text: Arc::from(text),
        }),
        _ => Err(faults.into_list()),
    }
}

/// What is known while the fields are read.
pub(super) struct Reader<'a> {
    pub(super) faults: Faults,
    /// The fields counted so far.
    pub(super) fields: usize,
    /// The names on the way to the field that is being read.
    pub(super) names: FieldPath,
    /// Lists that keep their last items.
    pub(super) keep_last: BTreeSet<FieldPath>,
    definitions: &'a [(String, Node)],
    /// Definitions that are being read.
    open: Vec<&'a str>,
    used: BTreeSet<&'a str>,
}

impl<'a> Reader<'a> {
    fn new(document: &'a Node) -> Self {
        Self {
            faults: Faults::default(),
            fields: 0,
            names: Vec::new(),
            keep_last: BTreeSet::new(),
            definitions: document
                .get("$defs")
                .and_then(Node::as_map)
                .unwrap_or_default(),
            open: Vec::new(),
            used: BTreeSet::new(),
        }
    }

    /// Refuses keys that are not in the vocabulary here.
    pub(super) fn allow(&mut self, node: &Node, keys: &[&str]) {
        for (key, _) in node.as_map().unwrap_or_default() {
            if !keys.contains(&key.as_str()) {
                self.faults.below(
                    key,
                    format!(
                        "`{key}` is not in the vocabulary here; there are {}.",
                        keys.join(", ")
                    ),
                );
            }
        }
    }

    /// The description of a place, if it has one.
    pub(super) fn description(&mut self, node: &Node) -> Option<Arc<str>> {
        description(node, &mut self.faults)
    }

    fn version(&mut self, document: &Node) -> Option<u32> {
        let version = document
            .get("x-version")
            .and_then(Node::as_int)
            .and_then(|version| u32::try_from(version).ok())
            .filter(|version| *version > 0);
        if version.is_none() {
            self.faults.below(
                "x-version",
                "Give the schema a version, a whole number from 1, and count it up with each change.",
            );
        }
        version
    }

    fn root(&mut self, document: &'a Node) -> Option<Arc<Object>> {
        if document
            .get("$defs")
            .is_some_and(|defs| defs.as_map().is_none())
        {
            self.faults
                .below("$defs", "`$defs` must be an object of named definitions.");
        }
        if document.get("type").and_then(Node::as_text) != Some("object") {
            self.faults.below(
                "type",
                "The context is an object: write `\"type\": \"object\"`.",
            );
        }
        match self.object(document, 0)? {
            Type::Object(object) => Some(object),
            _ => None,
        }
    }

    /// What a reference refers to; a fault when there is nothing, or when it comes back to itself.
    pub(super) fn reference(&mut self, target: &str, depth: usize) -> Option<Shape> {
        let Some((name, node)) = target.strip_prefix("#/$defs/").and_then(|name| {
            self.definitions
                .iter()
                .find(|(definition, _)| definition == name)
        }) else {
            self.faults.below(
                "$ref",
                "There is no such definition; write `#/$defs/` and a name that is in `$defs`.",
            );
            return None;
        };
        self.used.insert(name);
        if self.open.contains(&name.as_str()) {
            self.faults.below(
                "$ref",
                format!("`{name}` refers to itself; a context ends somewhere, so write out the levels that it has."),
            );
            return None;
        }
        if self.open.len() >= MAX_REFERENCES {
            self.faults.below(
                "$ref",
                format!("More than {MAX_REFERENCES} definitions refer to one another here; write some of them out."),
            );
            return None;
        }
        self.open.push(name);
        let back = self.faults.jump(vec!["$defs".to_owned(), name.clone()]);
        let shape = self.shape(node, depth);
        self.faults.jump(back);
        self.open.pop();
        shape
    }

    fn unused_definitions(&mut self) {
        for (name, _) in self.definitions {
            if !self.used.contains(name.as_str()) {
                self.faults.enter("$defs");
                self.faults.below(
                    name,
                    format!("No field refers to `{name}`; remove the definition or use it."),
                );
                self.faults.leave();
            }
        }
    }
}

/// The description of a place, if it has one: a line of text.
pub(super) fn description(node: &Node, faults: &mut Faults) -> Option<Arc<str>> {
    let given = node.get("description")?;
    let text = given.as_text().filter(|text| {
        !text.trim().is_empty()
            && text.chars().count() <= MAX_DESCRIPTION_CHARACTERS
            && !text.chars().any(char::is_control)
    });
    if text.is_none() {
        faults.below(
            "description",
            format!("A description is one line of text, at most {MAX_DESCRIPTION_CHARACTERS} characters."),
        );
    }
    text.map(Arc::from)
}
