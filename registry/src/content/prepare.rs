//! From what an author sends, a SKILL.md or the JSON form of one, to content that is ready to be stored.
//!
//! The JSON form is written as a SKILL.md, and every SKILL.md goes through one reader.

use serde_json::{Map, Value};
use vestry_policies::{Digest, Mode, SkillName};

use super::digest;
use super::skill_md::{self, MAX_DESCRIPTION, MAX_KEY, PromptFile, SkillMd, SkillMdError, Warning};
use super::text::{TextError, check_line, check_text};

/// The most characters of the message of a revision.
pub(super) const MAX_MESSAGE: usize = 500;
/// The most bytes of a SKILL.md.
pub const MAX_SKILL_MD: usize = 1 << 20;

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
    /// How it reaches a model; as the frontmatter says when there is none.
    pub mode: Option<Mode>,
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
    pub(crate) warnings: Vec<Warning>,
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
            mode,
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
        take_equal(&mut frontmatter, "name", name.as_str())?;
        take_equal(&mut frontmatter, "description", &description)?;
        check_frontmatter(&frontmatter)?;
        settle_templated(&mut frontmatter, templated)?;
        settle_mode(&mut frontmatter, mode)?;
        let text = skill_md::write(name, &description, &frontmatter, &body);
        // A line of what was written here would tell the author of the JSON nothing.
        Self::read(name, text, message, |SkillMdError { detail, .. }| {
            ContentError::new(
                "frontmatter",
                format!("The frontmatter is refused: {detail}."),
            )
        })
    }

    /// Checks a SKILL.md, whose bytes are kept as they are.
    ///
    /// # Errors
    /// The first [`ContentError`]; its sentence begins with the line.
    pub fn from_skill_md(
        name: &SkillName,
        text: String,
        message: String,
    ) -> Result<Self, ContentError> {
        Self::read(name, text, message, |error| {
            ContentError::new("skill_md", format!("SKILL.md, {error}."))
        })
    }

    fn read(
        name: &SkillName,
        text: String,
        message: String,
        refusal: impl Fn(SkillMdError) -> ContentError,
    ) -> Result<Self, ContentError> {
        check_line(&message).map_err(|error| ContentError::text("message", &error))?;
        if message.chars().count() > MAX_MESSAGE {
            return Err(ContentError::new(
                "message",
                format!(
                    "The message has more than {MAX_MESSAGE} characters; say what changed in fewer."
                ),
            ));
        }
        if text.len() > MAX_SKILL_MD {
            return Err(ContentError::new(
                "body",
                format!(
                    "The SKILL.md has more than {MAX_SKILL_MD} bytes; move parts of it to files."
                ),
            ));
        }
        let SkillMd {
            name: named,
            name_line,
            description,
            templated,
            frontmatter,
            body_offset,
            warnings,
        } = SkillMd::parse(&text).map_err(&refusal)?;
        if named != name.as_str() {
            return Err(refusal(SkillMdError {
                line: name_line,
                detail: format!(
                    "`name` is `{named}` and the skill is published as `{name}`; write `name: {name}`, or publish it under its own name"
                ),
            }));
        }
        let skill_md = text.into_bytes();
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
            warnings,
        })
    }

    /// Holds it to what a prompt template is; [`Self::new`] and [`Self::from_skill_md`] hold it to what all content is.
    ///
    /// # Errors
    /// A selector that cannot be read, and what makes it a template of another kind; of a SKILL.md with its line.
    pub fn check_prompt(&mut self, is_skill_md: bool) -> Result<(), ContentError> {
        let text = std::str::from_utf8(&self.skill_md).unwrap_or_default();
        PromptFile::read(text).map_err(|error| {
            if is_skill_md {
                ContentError::new("skill_md", format!("SKILL.md, {error}."))
            } else {
                ContentError::new(
                    "frontmatter",
                    format!("The frontmatter is refused: {}.", error.detail),
                )
            }
        })?;
        // What these are about was read just now.
        self.warnings
            .retain(|warning| !matches!(warning.code, "unknown-key" | "flow-style"));
        Ok(())
    }

    /// The digest of the revision that this content makes.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// What is taken, and should be looked at.
    #[must_use]
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The instructions: what is below the frontmatter.
    #[must_use]
    pub fn body(&self) -> &str {
        let text = std::str::from_utf8(&self.skill_md).unwrap_or_default();
        text.get(self.body_offset..).unwrap_or_default()
    }

    /// How many lines of the SKILL.md come before the body.
    #[must_use]
    pub fn lines_before_body(&self) -> usize {
        let before = self.skill_md.get(..self.body_offset).unwrap_or_default();
        before.iter().filter(|byte| **byte == b'\n').count()
    }

    /// The body, when it is a template.
    #[must_use]
    pub fn template(&self) -> Option<&str> {
        self.templated.then(|| self.body())
    }

    /// How it reaches a model, as its frontmatter says: `metadata.mode: "ambient"`, or else on demand.
    #[must_use]
    pub fn mode(&self) -> Mode {
        mode_of_frontmatter(&self.frontmatter)
    }

    /// The size of the SKILL.md in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.skill_md.len()
    }
}

/// How content with this frontmatter reaches a model. Another word than those of [`Mode`] is inert, as every other key is.
#[must_use]
pub fn mode_of_frontmatter(frontmatter: &Map<String, Value>) -> Mode {
    frontmatter
        .get("metadata")
        .and_then(|metadata| metadata.get("mode"))
        .and_then(Value::as_str)
        .and_then(Mode::parse)
        .unwrap_or(Mode::Triggered)
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
    frontmatter.iter().try_for_each(check_entry)
}

fn check_entry((key, value): (&String, &Value)) -> Result<(), ContentError> {
    check_line(key).map_err(|error| ContentError::text("frontmatter", &error))?;
    if key.is_empty() || key.chars().count() > MAX_KEY {
        return Err(ContentError::new(
            "frontmatter",
            format!("A key of the frontmatter has 1 to {MAX_KEY} characters; choose another."),
        ));
    }
    check_value(value)
}

fn check_value(value: &Value) -> Result<(), ContentError> {
    match value {
        Value::String(text) => {
            check_text(text).map_err(|error| ContentError::text("frontmatter", &error))
        }
        Value::Array(items) => items.iter().try_for_each(check_value),
        Value::Object(fields) => fields.iter().try_for_each(check_entry),
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
) -> Result<(), ContentError> {
    let said = frontmatter
        .get("metadata")
        .and_then(|metadata| metadata.get("templated"))
        .map(|value| value == &Value::Bool(true) || value.as_str() == Some("true"));
    match (said, templated) {
        (Some(false), true) => Err(ContentError::new(
            "templated",
            "`templated` is true but `metadata.templated` is not \"true\"; make them agree.",
        )),
        (Some(_), _) | (None, false) => Ok(()),
        (None, true) => say(frontmatter, "templated", "true"),
    }
}

/// A skill is ambient only if its SKILL.md says so: `metadata.mode: "ambient"`.
fn settle_mode(
    frontmatter: &mut Map<String, Value>,
    mode: Option<Mode>,
) -> Result<(), ContentError> {
    let Some(mode) = mode else {
        return Ok(());
    };
    let is_said = frontmatter
        .get("metadata")
        .and_then(|metadata| metadata.get("mode"))
        .is_some();
    if mode_of_frontmatter(frontmatter) == mode {
        Ok(())
    } else if is_said {
        Err(ContentError::new(
            "mode",
            format!(
                "`mode` is `{}` but `metadata.mode` says otherwise; make them agree.",
                mode.as_str()
            ),
        ))
    } else {
        say(frontmatter, "mode", mode.as_str())
    }
}

/// Writes a key of the frontmatter's `metadata`.
fn say(frontmatter: &mut Map<String, Value>, key: &str, value: &str) -> Result<(), ContentError> {
    let metadata = frontmatter
        .entry("metadata")
        .or_insert_with(|| Value::Object(Map::new()));
    let Value::Object(fields) = metadata else {
        return Err(ContentError::new(
            "frontmatter",
            "The frontmatter's `metadata` is not a map; write it as `{\"key\": \"value\"}`.",
        ));
    };
    fields.insert(key.to_owned(), Value::String(value.to_owned()));
    Ok(())
}
