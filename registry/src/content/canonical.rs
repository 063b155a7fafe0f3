//! From the JSON form of a skill to the canonical bytes of its SKILL.md.

use serde_json::{Map, Value};
use vestry_policies::{Digest, SkillName};

use super::digest;
use super::text::{TextError, check_line, check_text};

/// The most characters of a description (the Agent Skills specification).
pub(super) const MAX_DESCRIPTION: usize = 1_024;
/// The most characters of the message of a revision.
pub(super) const MAX_MESSAGE: usize = 500;
/// The most bytes of a SKILL.md.
pub(super) const MAX_SKILL_MD: usize = 1 << 20;

/// The keys of frontmatter that the specification defines beside name and description, in the order they are written.
const DEFINED_KEYS: [&str; 4] = ["license", "compatibility", "allowed-tools", "metadata"];

/// Why content is refused: the field, and a sentence that says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct ContentError {
    /// The field.
    pub field: &'static str,
    /// What to do.
    pub detail: String,
}

impl ContentError {
    fn new(field: &'static str, detail: impl Into<String>) -> Self {
        Self {
            field,
            detail: detail.into(),
        }
    }

    fn text(field: &'static str, error: &TextError) -> Self {
        Self::new(field, format!("The {field} is refused: {error}."))
    }
}

/// A skill as an author sends it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Draft {
    /// When to use it; one line.
    pub description: String,
    /// The instructions, in Markdown.
    pub body: String,
    /// Whether the body is a template.
    pub templated: bool,
    /// Further keys of the frontmatter; inert data.
    pub frontmatter: Map<String, Value>,
    /// What changed, for the history.
    pub message: String,
}

/// A checked skill with its canonical bytes, ready to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct PreparedSkill {
    pub(crate) description: String,
    pub(crate) templated: bool,
    pub(crate) frontmatter: Map<String, Value>,
    pub(crate) message: String,
    pub(crate) skill_md: Vec<u8>,
    pub(crate) body_offset: usize,
    pub(crate) content_digest: Digest,
    pub(crate) digest: Digest,
}

impl PreparedSkill {
    /// Checks a draft and writes its SKILL.md.
    ///
    /// # Errors
    /// The first [`ContentError`].
    pub fn new(name: &SkillName, draft: Draft) -> Result<Self, ContentError> {
        let Draft {
            description,
            body,
            templated,
            mut frontmatter,
            message,
        } = draft;
        check_description(&description)?;
        check_text(&body).map_err(|error| ContentError::text("body", &error))?;
        if body.trim().is_empty() {
            return Err(ContentError::new(
                "body",
                "The body is empty; write the instructions that the model shall follow.",
            ));
        }
        check_line(&message).map_err(|error| ContentError::text("message", &error))?;
        if message.chars().count() > MAX_MESSAGE {
            return Err(ContentError::new(
                "message",
                format!(
                    "The message has more than {MAX_MESSAGE} characters; say what changed in fewer."
                ),
            ));
        }
        take_equal(&mut frontmatter, "name", name.as_str())?;
        take_equal(&mut frontmatter, "description", &description)?;
        check_frontmatter(&frontmatter)?;
        let templated = settle_templated(&mut frontmatter, templated)?;
        let header = write_frontmatter(name, &description, &frontmatter);
        let body_offset = header.len();
        let skill_md = [header.as_bytes(), body.as_bytes()].concat();
        if skill_md.len() > MAX_SKILL_MD {
            return Err(ContentError::new(
                "body",
                format!(
                    "The SKILL.md has more than {MAX_SKILL_MD} bytes; move parts of it to files."
                ),
            ));
        }
        let content_digest = digest::of_bytes(&skill_md);
        Ok(Self {
            description,
            templated,
            frontmatter,
            message,
            body_offset,
            content_digest,
            digest: digest::of_manifest(content_digest, &[]),
            skill_md,
        })
    }

    /// The digest of the revision that this content makes.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The size of the SKILL.md in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.skill_md.len()
    }
}

fn check_description(description: &str) -> Result<(), ContentError> {
    check_line(description).map_err(|error| ContentError::text("description", &error))?;
    let length = description.chars().count();
    if description.trim() != description || length == 0 || length > MAX_DESCRIPTION {
        return Err(ContentError::new(
            "description",
            format!(
                "A description has 1 to {MAX_DESCRIPTION} characters without white space around them; say when to use the skill."
            ),
        ));
    }
    Ok(())
}

/// Takes a key out of the frontmatter that is written from elsewhere; it may be there only with the same value.
fn take_equal(
    frontmatter: &mut Map<String, Value>,
    key: &'static str,
    value: &str,
) -> Result<(), ContentError> {
    match frontmatter.remove(key) {
        None => Ok(()),
        Some(Value::String(text)) if text == value => Ok(()),
        Some(_) => Err(ContentError::new(
            "frontmatter",
            format!(
                "The frontmatter's `{key}` differs from the skill's; leave it out or make them equal."
            ),
        )),
    }
}

fn check_frontmatter(frontmatter: &Map<String, Value>) -> Result<(), ContentError> {
    for (key, value) in frontmatter {
        check_line(key).map_err(|error| ContentError::text("frontmatter", &error))?;
        check_value(value)?;
    }
    Ok(())
}

fn check_value(value: &Value) -> Result<(), ContentError> {
    match value {
        Value::String(text) => {
            check_text(text).map_err(|error| ContentError::text("frontmatter", &error))
        }
        Value::Array(items) => items.iter().try_for_each(check_value),
        Value::Object(fields) => fields.iter().try_for_each(|(key, value)| {
            check_line(key).map_err(|error| ContentError::text("frontmatter", &error))?;
            check_value(value)
        }),
        Value::Number(number) if is_rounded(number) => Err(ContentError::new(
            "frontmatter",
            "The frontmatter has a number that is too large to be kept exactly; write it as a text.",
        )),
        Value::Null | Value::Bool(_) | Value::Number(_) => Ok(()),
    }
}

/// Whether a number may have lost digits when it was read: JSON has integers of any length, this has those of 64 bits.
fn is_rounded(number: &serde_json::Number) -> bool {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    number.is_f64() && number.as_f64().is_none_or(|value| value.abs() >= EXACT)
}

/// A body is a template only if its SKILL.md says so: `metadata.templated: "true"`.
fn settle_templated(
    frontmatter: &mut Map<String, Value>,
    templated: bool,
) -> Result<bool, ContentError> {
    let said = frontmatter
        .get("metadata")
        .and_then(|metadata| metadata.get("templated"))
        .map(|value| value.as_str() == Some("true"));
    match (said, templated) {
        (Some(false), true) => Err(ContentError::new(
            "templated",
            "`templated` is true but `metadata.templated` is not \"true\"; make them agree.",
        )),
        (Some(said), _) => Ok(said),
        (None, false) => Ok(false),
        (None, true) => {
            let metadata = frontmatter
                .entry("metadata")
                .or_insert_with(|| Value::Object(Map::new()));
            let Value::Object(fields) = metadata else {
                return Err(ContentError::new(
                    "frontmatter",
                    "The frontmatter's `metadata` is not a map; write it as `{\"key\": \"value\"}`.",
                ));
            };
            fields.insert("templated".to_owned(), Value::String("true".to_owned()));
            Ok(true)
        }
    }
}

/// Writes the frontmatter as YAML. Values are written as JSON, which is YAML in flow style, so that there is one way to
/// write each and nothing of a value can be read as structure.
fn write_frontmatter(
    name: &SkillName,
    description: &str,
    frontmatter: &Map<String, Value>,
) -> String {
    let mut text = format!(
        "---\nname: {name}\ndescription: {}\n",
        Value::from(description)
    );
    for key in DEFINED_KEYS {
        if let Some(value) = frontmatter.get(key) {
            text.push_str(&format!("{key}: {value}\n"));
        }
    }
    for (key, value) in frontmatter {
        if !DEFINED_KEYS.contains(&key.as_str()) {
            text.push_str(&format!("{}: {value}\n", Value::from(key.as_str())));
        }
    }
    text.push_str("---\n");
    text
}
