//! The context schema: the contract that authors of templates write against.
//!
//! A schema is one JSON document in the vocabulary of JSON Schema, with three keys of our own: `x-version`,
//! `x-situations` and `x-keep`. Reading it gives the types that the checker proves with and the builder fills.

mod canonical;
mod document;
mod fault;
mod limits;
mod names;
mod read;
mod shape;
mod situations;
mod skills;
pub mod types;
mod words;

#[cfg(test)]
pub(in crate::template) mod tests;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, LazyLock};

pub use fault::SchemaFault;
pub use limits::{MAX_DEPTH, MAX_FIELDS, MAX_TEXT_BYTES};
pub use names::RESERVED_NAMES;
pub use skills::FIELD as SKILLS_FIELD;
pub use types::{Field, Known, Object, Situation, Type};

/// The path of a field: the names on the way to it. Items of lists and values of maps have no name of their own, so
/// that `people`, `name` is the name of each of the people.
pub type FieldPath = Vec<Arc<str>>;

/// The text of the schema that is part of the program.
const BUILT_IN: &str = include_str!("../../../schema/context.json");

/// A context schema that was read and found sound.
#[derive(Clone, PartialEq, Eq)]
pub struct Schema {
    root: Arc<Object>,
    about: Arc<str>,
    situations: Vec<Situation>,
    about_situations: Vec<Arc<str>>,
    keep_last: BTreeSet<FieldPath>,
    version: u32,
    digest: Arc<str>,
    text: Arc<str>,
}

impl fmt::Debug for Schema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Schema")
            .field("version", &self.version)
            .field("digest", &self.digest)
            .finish_non_exhaustive()
    }
}

impl Schema {
    /// Reads a schema from its JSON text.
    ///
    /// # Errors
    /// Everything that is wrong with it, each fault with the JSON pointer of the place.
    pub fn parse(text: &str) -> Result<Self, Vec<SchemaFault>> {
        read::schema(text)
    }

    /// The schema that is part of the program. It is read once in a process.
    ///
    /// A test proves that it is sound; a schema that was not would be an empty one here, in which no template finds a field.
    #[must_use]
    pub fn built_in() -> &'static Self {
        static SCHEMA: LazyLock<Schema> =
            LazyLock::new(|| Schema::parse(BUILT_IN).unwrap_or_else(|_| Schema::empty()));
        &SCHEMA
    }

    fn empty() -> Self {
        Self {
            root: Arc::default(),
            about: Arc::from(""),
            situations: Vec::new(),
            about_situations: Vec::new(),
            keep_last: BTreeSet::new(),
            version: 0,
            digest: Arc::from(""),
            text: Arc::from(""),
        }
    }

    /// The fields of the context.
    #[must_use]
    pub fn root(&self) -> &Arc<Object> {
        &self.root
    }

    /// What the schema says of itself.
    #[must_use]
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The kinds of run that a template is checked for, in the order of the schema; at least one.
    #[must_use]
    pub fn situations(&self) -> &[Situation] {
        &self.situations
    }

    /// The situation of that name.
    #[must_use]
    pub fn situation(&self, name: &str) -> Option<&Situation> {
        self.situations
            .iter()
            .find(|situation| &*situation.name == name)
    }

    /// The sentence that says what a situation is.
    #[must_use]
    pub fn about_situation(&self, name: &str) -> Option<&str> {
        self.situations
            .iter()
            .zip(&self.about_situations)
            .find(|(situation, _)| &*situation.name == name)
            .map(|(_, about)| &**about)
    }

    /// The field at a path, which goes through lists and maps without a step of its own.
    #[must_use]
    pub fn field<Name: AsRef<str>>(&self, path: &[Name]) -> Option<&Field> {
        let mut object = Some(&*self.root);
        let mut found = None;
        for name in path {
            let field = object?.field(name.as_ref())?;
            object = field.ty.inner_object();
            found = Some(field);
        }
        found
    }

    /// Whether a list that is too long keeps its last items rather than its first.
    #[must_use]
    pub fn keeps_last<Name: AsRef<str>>(&self, path: &[Name]) -> bool {
        // Asked only where something is cut, so that a walk over a handful of paths is enough.
        self.keep_last.iter().any(|kept| {
            kept.len() == path.len()
                && kept
                    .iter()
                    .zip(path)
                    .all(|(one, other)| **one == *other.as_ref())
        })
    }

    /// The version that the document gives itself, from 1.
    #[must_use]
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The SHA-256 of the canonical text, 64 lower-case hexadecimal digits. White space and the order of keys do not change it.
    #[must_use]
    pub fn digest(&self) -> &Arc<str> {
        &self.digest
    }

    /// The document as it was given.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}
