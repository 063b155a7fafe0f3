//! What a caller sends as the content of a skill: a SKILL.md, or the JSON form of one.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use vestry_policies::{ItemName, Kind};

use crate::content::{ContentError, Draft, PreparedFiles, PreparedSkill};
use crate::http::api::files::{self, FileContent};
use crate::http::api::words::HowItComes;
use crate::http::extract::{JsonOrMarkdown, maybe_unique_map, present, without_null_defaults};
use crate::http::problem::{Fault, Problem};

/// The content of a skill: a SKILL.md as a text, or its parts.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null_defaults)]
pub(crate) struct Content {
    /// The SKILL.md, kept byte for byte. Instead of `description`, `body`, `templated`, `mode` and `frontmatter`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    pub(crate) skill_md: Option<String>,
    /// When to use it: one line of 1 to 1,024 characters. Required without `skill_md`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    pub(crate) description: Option<String>,
    /// The instructions, in Markdown. Required without `skill_md`.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    pub(crate) body: Option<String>,
    /// Whether the body is a template; otherwise it is verbatim.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "bool")]
    pub(crate) templated: Option<bool>,
    /// How the skill reaches a model: `triggered`, in catalogs and loaded on demand, or `ambient`, rendered into every
    /// opening. Triggered, if the frontmatter does not say otherwise.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "HowItComes")]
    pub(crate) mode: Option<HowItComes>,
    /// Further keys of the frontmatter; inert data.
    #[serde(default, deserialize_with = "maybe_unique_map")]
    #[schemars(with = "Map<String, Value>")]
    pub(crate) frontmatter: Option<Map<String, Value>>,
    /// What changed, one line of up to 500 characters, for the history.
    #[serde(default)]
    pub(crate) message: String,
    /// The files that the skill bundles; left out, it keeps those that it has.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Vec<FileContent>")]
    pub(crate) files: Option<Vec<FileContent>>,
}

/// What goes beside a SKILL.md that is sent as `text/markdown`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Beside {
    /// What changed, for the history; only beside `text/markdown`, JSON has a field for it.
    #[serde(default)]
    message: Option<String>,
}

/// Reads what a caller sent as the content of a skill.
pub(crate) fn prepare(
    name: &ItemName,
    sent: JsonOrMarkdown<Content>,
    Beside { message }: Beside,
) -> Result<(PreparedSkill, PreparedFiles), Problem> {
    let mut files = PreparedFiles::Keep;
    let is_skill_md = match &sent {
        JsonOrMarkdown::Markdown(_) => true,
        JsonOrMarkdown::Json(content) => content.skill_md.is_some(),
    };
    let prepared = match (sent, message) {
        (JsonOrMarkdown::Markdown(text), message) => {
            PreparedSkill::from_skill_md(name.name(), text, message.unwrap_or_default())
        }
        (JsonOrMarkdown::Json(mut content), None) => {
            let sent = content.files.take();
            let prepared = content.prepare(name)?;
            // The SKILL.md comes first in what is said of both.
            if prepared.is_ok() {
                files = files::prepare(sent)?;
            }
            prepared
        }
        (JsonOrMarkdown::Json(_), Some(_)) => {
            return Err(Problem::Malformed(Fault::at(
                "message",
                "Send the message as a field of the JSON body.",
            )));
        }
    };
    prepared
        .and_then(|mut skill| {
            if name.kind() == Kind::Prompt {
                skill.check_prompt(is_skill_md)?;
            }
            Ok((skill, files))
        })
        .map_err(|ContentError { field, detail }| Problem::InvalidContent(Fault::at(field, detail)))
}

impl Content {
    fn prepare(self, name: &ItemName) -> Result<Result<PreparedSkill, ContentError>, Problem> {
        match self {
            Self {
                skill_md: Some(text),
                description: None,
                body: None,
                templated: None,
                mode: None,
                frontmatter: None,
                message,
                files: _,
            } => Ok(PreparedSkill::from_skill_md(name.name(), text, message)),
            Self {
                skill_md: Some(_), ..
            } => Err(Problem::Malformed(Fault::at(
                "skill_md",
                "Send the whole SKILL.md as `skill_md`, or `description` and `body`, not both.",
            ))),
            Self {
                skill_md: None,
                description,
                body,
                templated,
                mode,
                frontmatter,
                message,
                files: _,
            } => {
                let missing = |field: &'static str| {
                    Problem::Malformed(Fault::at(
                        field,
                        format!("The field `{field}` is missing. Send it, or `skill_md`."),
                    ))
                };
                let draft = Draft {
                    description: description.ok_or_else(|| missing("description"))?,
                    body: body.ok_or_else(|| missing("body"))?,
                    templated: templated.unwrap_or_default(),
                    mode: mode.map(Into::into),
                    frontmatter: frontmatter.unwrap_or_default(),
                    message,
                };
                Ok(PreparedSkill::new(name.name(), draft))
            }
        }
    }
}
