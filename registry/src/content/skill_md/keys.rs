//! The keys of the frontmatter, by the rules of the Agent Skills specification (agentskills.io/specification).

use serde_json::{Map, Value};

use super::yaml::{Kind, Node};
use super::{SkillMdError, Warning};

/// The most characters of a description.
pub(in crate::content) const MAX_DESCRIPTION: usize = 1_024;
/// The most characters of `compatibility`.
const MAX_COMPATIBILITY: usize = 500;

/// What the keys say.
pub(super) struct Keys {
    pub(super) name: String,
    pub(super) name_line: usize,
    pub(super) description: String,
    pub(super) templated: bool,
    pub(super) others: Map<String, Value>,
    pub(super) warnings: Vec<Warning>,
}

/// Reads the keys.
///
/// # Errors
/// When a required key is missing, or a value breaks a limit.
pub(super) fn read(entries: &[(String, Node)]) -> Result<Keys, SkillMdError> {
    let mut name = None;
    let mut description = None;
    let mut templated = false;
    let mut others = Map::new();
    let mut warnings = Vec::new();
    for (key, node) in entries {
        match key.as_str() {
            "name" => name = Some((name_of(node)?, node.line)),
            "description" => description = Some(description_of(node)?),
            other => {
                match other {
                    "license" => warn_unless_text(other, node, &mut warnings),
                    "allowed-tools" => warn_unless_text(other, node, &mut warnings),
                    "compatibility" => check_compatibility(node)?,
                    "metadata" => templated = metadata(node, &mut warnings)?,
                    "workflows" | "repos" | "fields" | "field" => warnings.push(Warning::at(
                        "unknown-key",
                        node.line,
                        format!(
                            "The key `{other}` is one of prompt templates, and nothing reads it in a skill; publish a prompt template under the name `prompt:…` (`--prompt` on the command line)."
                        ),
                    )),
                    _ => warnings.push(Warning::at(
                        "unknown-key",
                        node.line,
                        format!(
                            "The key `{other}` is not one of the Agent Skills specification; it is kept and nothing reads it. Keys of your own go below `metadata`."
                        ),
                    )),
                }
                if let Some(line) = node.flow_line() {
                    warnings.push(Warning::at(
                        "flow-style",
                        line,
                        format!(
                            "`{other}` has a list or map in brackets, which some readers of skills refuse; write one item a line."
                        ),
                    ));
                }
                others.insert(other.to_owned(), node.to_json());
            }
        }
    }
    let (name, name_line) =
        name.ok_or_else(|| SkillMdError::at(1, "`name` is missing; write `name: …` below `---`"))?;
    let description = description.ok_or_else(|| {
        SkillMdError::at(
            1,
            "`description` is missing; write `description: …` and say in it when to use the skill",
        )
    })?;
    Ok(Keys {
        name,
        name_line,
        description,
        templated,
        others,
        warnings,
    })
}

fn name_of(node: &Node) -> Result<String, SkillMdError> {
    match node.text().map(str::trim) {
        None | Some("") => Err(SkillMdError::at(
            node.line,
            "`name` is not a text; write the name of the skill, as `name: my-skill`",
        )),
        Some(name) => Ok(name.to_owned()),
    }
}

/// The description on one line. A reader that folds lines sees the same words, and a catalog has one line for each.
fn description_of(node: &Node) -> Result<String, SkillMdError> {
    let Some(text) = node.text() else {
        return Err(SkillMdError::at(
            node.line,
            "`description` is a list or a map; write a text, in quotes if it has special characters",
        ));
    };
    let description = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join(" ");
    let length = description.chars().count();
    if length == 0 || length > MAX_DESCRIPTION {
        return Err(SkillMdError::at(
            node.line,
            format!(
                "`description` has {length} characters; write 1 to {MAX_DESCRIPTION} that say when to use the skill"
            ),
        ));
    }
    Ok(description)
}

fn check_compatibility(node: &Node) -> Result<(), SkillMdError> {
    match node.text() {
        Some(text) if text.chars().count() <= MAX_COMPATIBILITY => Ok(()),
        Some(_) | None => Err(SkillMdError::at(
            node.line,
            format!(
                "`compatibility` is not a text of up to {MAX_COMPATIBILITY} characters; shorten it"
            ),
        )),
    }
}

fn warn_unless_text(key: &str, node: &Node, warnings: &mut Vec<Warning>) {
    if node.text().is_none() {
        warnings.push(Warning::at(
            "not-a-text",
            node.line,
            format!(
                "`{key}` is a list or a map; the Agent Skills specification has a text there, with spaces between several."
            ),
        ));
    }
}

/// Checks `metadata`, and says whether it makes the body a template.
fn metadata(node: &Node, warnings: &mut Vec<Warning>) -> Result<bool, SkillMdError> {
    let Kind::Map { entries, .. } = &node.kind else {
        warnings.push(Warning::at(
            "metadata-not-a-map",
            node.line,
            "`metadata` is not a map; the Agent Skills specification has `key: value` lines there.",
        ));
        return Ok(false);
    };
    let mut templated = false;
    for (key, value) in entries {
        match value.text() {
            None => warnings.push(Warning::at(
                "nested-metadata",
                value.line,
                format!(
                    "`metadata.{key}` is a list or a map; the Agent Skills specification has texts there."
                ),
            )),
            Some("true") if key == "templated" => templated = true,
            Some("false") if key == "templated" => {}
            Some(_) if key == "templated" => {
                return Err(SkillMdError::at(
                    value.line,
                    "`metadata.templated` is neither \"true\" nor \"false\"; write \"true\" if the text is a template",
                ));
            }
            Some(_) => {}
        }
    }
    Ok(templated)
}
