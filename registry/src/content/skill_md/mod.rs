//! SKILL.md: YAML frontmatter and Markdown, as the Agent Skills specification defines it.
//!
//! The bytes are canonical and never changed. What is read from them is what the registry needs to know: name,
//! description, whether the body is a template, and the other keys as inert data. What the specification does not
//! define is kept with a [`Warning`]; what would be read differently by different readers is refused, with its line.

mod core_schema;
mod fence;
mod head;
mod keys;
mod selectors;
mod write;
mod yaml;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

pub use core_schema::frontmatter;
pub(crate) use head::head;
pub(super) use keys::MAX_DESCRIPTION;
pub(crate) use selectors::{PromptFile, selectors};
pub(super) use write::write;
pub(super) use yaml::MAX_KEY;

use super::hidden;
use super::text::check_text;

/// Why a SKILL.md is refused: the line of the file, from 1, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {detail}")]
pub struct SkillMdError {
    /// The line.
    pub line: usize,
    /// What is wrong and what to write, as the rest of a sentence.
    pub detail: String,
}

impl SkillMdError {
    fn at(line: usize, detail: impl Into<String>) -> Self {
        Self {
            line,
            detail: detail.into(),
        }
    }
}

/// What is taken, and should be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What kind, in kebab case.
    pub code: &'static str,
    /// The line of the SKILL.md, from 1; none for bundled files.
    pub line: Option<usize>,
    /// What it is and what to do about it, as a sentence.
    pub detail: String,
}

impl Warning {
    pub(super) fn at(code: &'static str, line: usize, detail: impl Into<String>) -> Self {
        Self {
            code,
            line: Some(line),
            detail: detail.into(),
        }
    }
}

/// What a SKILL.md says.
#[derive(Debug, Clone, PartialEq)]
pub struct SkillMd {
    /// The name in the frontmatter.
    pub name: String,
    /// The line of the name.
    pub name_line: usize,
    /// When to use the skill, on one line: the line breaks of a block scalar are single spaces here.
    pub description: String,
    /// Whether `metadata.templated` is `"true"`.
    pub templated: bool,
    /// The other keys of the frontmatter; inert data.
    pub frontmatter: Map<String, Value>,
    /// Where the instructions begin, in bytes.
    pub body_offset: usize,
    /// What is taken, and should be looked at, in the order of lines.
    pub warnings: Vec<Warning>,
}

impl SkillMd {
    /// Reads a SKILL.md.
    ///
    /// # Errors
    /// The first thing that is refused, with its line.
    pub fn parse(text: &str) -> Result<Self, SkillMdError> {
        let cut = fence::cut(text)?;
        check_text(text).map_err(|error| SkillMdError::at(error.line(), error.reason()))?;
        let entries = yaml::read(cut.frontmatter)?;
        let keys = keys::read(&entries)?;
        let body = text.get(cut.body_offset..).unwrap_or_default();
        let body_line = text
            .get(..cut.body_offset)
            .unwrap_or_default()
            .matches('\n')
            .count()
            .saturating_add(1);
        if body.trim().is_empty() {
            return Err(SkillMdError::at(
                body_line,
                "there is nothing below the frontmatter; write the instructions that the model shall follow",
            ));
        }
        let mut warnings = keys.warnings;
        if let Some(at) = cut.frontmatter.find("---") {
            let above = cut.frontmatter.get(..at).unwrap_or_default();
            warnings.push(Warning::at(
                "hyphens-in-frontmatter",
                above.matches('\n').count().saturating_add(fence::FIRST_LINE),
                "Some readers take `---` inside the frontmatter for its end; write it with fewer hyphens.",
            ));
        }
        if let Some(at) = cut.frontmatter.find('\t') {
            let above = cut.frontmatter.get(..at).unwrap_or_default();
            warnings.push(Warning::at(
                "tab-in-frontmatter",
                above
                    .matches('\n')
                    .count()
                    .saturating_add(fence::FIRST_LINE),
                "Some readers of YAML take no tabs; write spaces.",
            ));
        }
        warnings.extend(hidden::find(cut.frontmatter, fence::FIRST_LINE));
        warnings.extend(hidden::find(body, body_line));
        warnings.sort_by_key(|warning| warning.line);
        Ok(Self {
            name: keys.name,
            name_line: keys.name_line,
            description: keys.description,
            templated: keys.templated,
            frontmatter: keys.others,
            body_offset: cut.body_offset,
            warnings,
        })
    }
}
