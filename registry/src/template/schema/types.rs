//! The types of a context: what the checker proves with, and the builder fills.

use std::sync::Arc;

/// A type of the schema. There are no floats and no bare nulls: whether a field may be null is said by [`Field::nullable`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// A text of at most so many characters.
    Str {
        /// Characters, not bytes.
        max: usize,
    },
    /// One of a few words.
    Enum {
        /// The words, in the order of the schema, each once.
        values: Arc<[Arc<str>]>,
    },
    /// A whole number within bounds that every reader of JSON keeps (±2⁵³ − 1).
    Int {
        /// The smallest.
        min: i64,
        /// The largest.
        max: i64,
    },
    /// True or false.
    Bool,
    /// A closed set of fields, all of which are always there.
    Object(Arc<Object>),
    /// A list of at most so many items.
    List {
        /// What each item is. Items are never null.
        of: Arc<Type>,
        /// Items.
        max: usize,
    },
    /// Keys of the author's choosing, in the order of their bytes.
    Map {
        /// What each value is. Values are never null.
        of: Arc<Type>,
        /// Entries.
        max: usize,
        /// Characters of a key.
        key_max: usize,
    },
}

/// The fields of an object, in the order of the schema.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Object {
    /// Each name is there once.
    pub fields: Vec<Field>,
}

impl Object {
    /// The field of that name.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| &*field.name == name)
    }
}

/// A field of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: Arc<str>,
    /// What it is, for authors.
    pub description: Arc<str>,
    /// The type of its value.
    pub ty: Type,
    /// Whether the value may be null instead.
    pub nullable: bool,
    /// Whether a host must give it where a template reads it; one that need not be given is nullable.
    pub required: bool,
    /// A value, for samples and for the reference; of the field's type and never null, unless the type is an object.
    pub sample: Option<serde_json::Value>,
}

/// What is known of a field in a situation. The path is absolute: `opening`, `kind` for `opening.kind`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// It is null.
    Null,
    /// It is not null.
    NonNull,
    /// It is this word of its enum.
    Eq(Arc<str>),
}

/// A kind of run that a context is for: which subject it has, and which word the discriminator is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Situation {
    /// Its name, such as `task-start` or `loaded-task`.
    pub name: Arc<str>,
    /// What is known in it.
    pub known: Vec<(Vec<Arc<str>>, Known)>,
}
