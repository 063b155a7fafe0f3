//! The prompt template of a workflow's role: the registry's part of it.

use serde::{Deserialize, Serialize};

use super::{AgentError, Answered, Caller, ask, read};
use crate::client::Call;

/// What a prompt template is wanted for.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PromptTerms {
    /// The workflow.
    pub workflow: String,
    /// The role.
    pub role: String,
    /// The workflow's primary role, which templates without `fields` are for; the role itself when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_role: Option<String>,
    /// The repository, as a URL, in the short form of SSH or as host/owner/name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// The key of the default that comes with Vestry; the role when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The files of the caller's own library, up to 200.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub library: Vec<PromptFile>,
    /// The turn or launch that it is for; recorded only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// The conversation; recorded only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// A file of a library, by what it is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PromptFile {
    /// Its name.
    pub file: String,
    /// Its frontmatter, without the lines that fence it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frontmatter: Option<String>,
}

/// The template that a role gets.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PromptTemplate {
    /// The workflow.
    pub workflow: String,
    /// The role, as a word.
    pub role: String,
    /// The unique most specific template; none when none matches.
    #[serde(default)]
    pub selected: Option<SelectedPrompt>,
    /// The default of the key that comes with Vestry.
    #[serde(default)]
    pub bundled: Option<BundledPrompt>,
}

/// A template that was selected.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SelectedPrompt {
    /// `registry:<scope>/<name>@<revision>`, or `user:<file>`.
    pub source: String,
    /// The file of the library; none when it is of the registry.
    #[serde(default)]
    pub file: Option<String>,
    /// The template; none when it is of the library.
    #[serde(default)]
    pub template: Option<String>,
}

/// A default that comes with Vestry.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct BundledPrompt {
    /// The key.
    pub key: String,
    /// `bundled:<key>`.
    pub source: String,
    /// The template.
    pub template: String,
}

/// Asks for the prompt template of a role.
///
/// # Errors
/// As the server refuses: `conflict` where several are equally specific; when there is no answer, or a useless one.
pub async fn prompt_template<C: Caller>(
    caller: &C,
    terms: &PromptTerms,
) -> Result<Answered<PromptTemplate>, AgentError<C::Error>> {
    let body = serde_json::to_value(terms).unwrap_or_default();
    let call = Call::post("/v1/prompts/resolve", &body).repeatable();
    read(ask(caller, &call).await?)
}
