//! A context that was built.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::Names;
use super::fault::Cut;
use super::fill::{Filler, Skills};
use super::needs::Needs;
use crate::template::schema::{SKILLS_FIELD, Schema, Type};

/// A skill of an offer, as the field `skills` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SkillLine<'a> {
    /// The name of the skill.
    pub name: &'a str,
    /// Its description.
    pub description: &'a str,
}

/// The data of a run, valid under a schema. Only the builder makes one.
///
/// ```
/// use vestry::template::builder::{Needs, build};
/// use vestry::template::schema::Schema;
/// let context = build(Schema::built_in(), &serde_json::json!({}), &Needs::none()).unwrap();
/// let value = context.value().clone();
/// ```
///
/// Nobody puts something into it afterwards:
///
/// ```compile_fail,E0616
/// use vestry::template::builder::{Needs, build};
/// use vestry::template::schema::Schema;
/// let mut context = build(Schema::built_in(), &serde_json::json!({}), &Needs::none()).unwrap();
/// context.value = serde_json::json!({ "secret": "x" });
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Context {
    value: Value,
    situations: Names,
    cuts: Vec<Cut>,
    digest: Arc<str>,
    skills: Option<Type>,
}

impl Context {
    pub(super) fn new(schema: &Schema, value: Value, situations: Names, cuts: Vec<Cut>) -> Self {
        Self {
            value,
            situations,
            cuts,
            digest: Arc::clone(schema.digest()),
            skills: schema
                .root()
                .field(SKILLS_FIELD)
                .map(|field| field.ty.clone()),
        }
    }

    /// The same context with the skills of an offer, in the order of the catalog; cut to the maxima as all else. Nothing
    /// changes under a schema without `skills`.
    #[must_use]
    pub fn with_skills<'s>(mut self, skills: impl IntoIterator<Item = SkillLine<'s>>) -> Self {
        let Some(ty) = self.skills.clone() else {
            return self;
        };
        let given: Value = skills
            .into_iter()
            .map(|skill| {
                Value::Object(Map::from_iter([
                    ("name".to_owned(), Value::from(skill.name)),
                    ("description".to_owned(), Value::from(skill.description)),
                ]))
            })
            .collect();
        // The schema made sure that a list of names and descriptions is a value of the type, so that only cuts can come of it.
        let filled =
            Filler::new(None, Skills::Given).value(&ty, false, &given, Needs::all().at_root());
        if let Value::Object(fields) = &mut self.value {
            fields.insert(SKILLS_FIELD.to_owned(), filled);
        }
        self
    }

    /// The data: every field of the schema is there, and nothing else.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The data, for who is done with the context.
    #[must_use]
    pub fn into_value(self) -> Value {
        self.value
    }

    /// The situations that the context fits as far as its needs told them apart; at least one, and exactly one where
    /// everything was needed and the schema's situations exclude one another.
    #[must_use]
    pub fn situations(&self) -> &[Arc<str>] {
        &self.situations
    }

    /// What was longer than its maximum and was cut. `skills` is not among it.
    #[must_use]
    pub fn cuts(&self) -> &[Cut] {
        &self.cuts
    }

    /// The digest of the schema that the context is valid under.
    #[must_use]
    pub fn schema_digest(&self) -> &Arc<str> {
        &self.digest
    }
}
