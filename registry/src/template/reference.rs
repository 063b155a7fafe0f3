//! The reference for authors of templates: made of the schema, the table of helpers and the rules, as data and as Markdown.

mod fields;
mod markdown;
mod rules;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Serialize;

use super::helpers;
use super::schema::{Known, Schema};

pub use fields::FieldDoc;
pub use rules::{GUARDS, Guard, REFUSALS, Refusal};

/// A helper, as the reference shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct HelperDoc {
    /// Its name.
    pub name: Cow<'static, str>,
    /// How it is called and what it gives, such as `len list → number`.
    pub signature: Cow<'static, str>,
    /// What it does, in a sentence.
    pub description: Cow<'static, str>,
    /// A template that uses it.
    pub example: Cow<'static, str>,
    /// What the example renders.
    pub result: Cow<'static, str>,
}

/// A situation, as the reference shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SituationDoc {
    /// Its name.
    pub name: String,
    /// What it is.
    pub about: String,
    /// The fields that are not null in it.
    pub set: Vec<String>,
    /// The fields that are null in it.
    pub null: Vec<String>,
    /// The fields whose word it settles, and the word.
    pub is: BTreeMap<String, String>,
}

/// Everything that an author of templates can look up.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Reference {
    /// The version of the schema.
    pub schema_version: u32,
    /// The digest of the schema.
    pub schema_digest: String,
    /// What the schema says of itself.
    pub about: String,
    /// The situations that a template is checked for.
    pub situations: Vec<SituationDoc>,
    /// Every field, in the order of the schema.
    pub fields: Vec<FieldDoc>,
    /// Every helper.
    pub helpers: Vec<HelperDoc>,
    /// How what may be null is guarded.
    pub guards: &'static [Guard],
    /// What is refused, and what to write instead.
    pub refusals: &'static [Refusal],
}

impl From<&helpers::HelperDoc> for HelperDoc {
    fn from(doc: &helpers::HelperDoc) -> Self {
        Self {
            name: doc.name.into(),
            signature: doc.signature.into(),
            description: doc.description.into(),
            example: doc.example.into(),
            result: doc.result.into(),
        }
    }
}

impl Reference {
    /// The reference of a schema, with the helpers that there are.
    #[must_use]
    pub fn of(schema: &Schema) -> Self {
        let helpers: Vec<HelperDoc> = helpers::table().iter().map(HelperDoc::from).collect();
        Self::new(schema, &helpers)
    }

    /// The reference of a schema, with these helpers.
    #[must_use]
    pub fn new(schema: &Schema, helpers: &[HelperDoc]) -> Self {
        Self {
            schema_version: schema.version(),
            schema_digest: schema.digest().to_string(),
            about: schema.about().to_owned(),
            situations: situations(schema),
            fields: fields::all(schema),
            helpers: helpers.to_vec(),
            guards: GUARDS,
            refusals: REFUSALS,
        }
    }

    /// The reference as a Markdown document.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        markdown::document(self)
    }
}

/// The reference of a schema as a Markdown document.
#[must_use]
pub fn markdown(schema: &Schema, helpers: &[HelperDoc]) -> String {
    Reference::new(schema, helpers).to_markdown()
}

fn situations(schema: &Schema) -> Vec<SituationDoc> {
    schema
        .situations()
        .iter()
        .map(|situation| {
            let paths = |wanted: &Known| -> Vec<String> {
                situation
                    .known
                    .iter()
                    .filter(|(_, known)| known == wanted)
                    .map(|(path, _)| path.join("."))
                    .collect()
            };
            SituationDoc {
                name: situation.name.to_string(),
                about: schema
                    .about_situation(&situation.name)
                    .unwrap_or_default()
                    .to_owned(),
                set: paths(&Known::NonNull),
                null: paths(&Known::Null),
                is: situation
                    .known
                    .iter()
                    .filter_map(|(path, known)| match known {
                        Known::Eq(word) => Some((path.join("."), word.to_string())),
                        Known::Null | Known::NonNull => None,
                    })
                    .collect(),
            }
        })
        .collect()
}
