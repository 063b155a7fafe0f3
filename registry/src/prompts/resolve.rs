//! From what a worker asks for to the prompt that it gets.

use serde::Serialize;
use serde_json::{Map, Value};
use vestry_policies::prompt::{
    ResolvedSource, Selected, SourceLabel, TemplateKey, TooLong, Wanted, is_blank, render, select,
};

use super::{
    Context, Input, InputError, Library, LibraryError, LibraryFile, Worktree, WorktreeError,
    bundled, sha256,
};

/// The directory of a repository's templates.
const CONDUCTOR: &str = ".conductor";

/// Why there is no prompt, in one sentence.
#[derive(Debug, thiserror::Error)]
pub enum PromptError {
    /// The input cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A template of the worktree cannot be read.
    #[error(transparent)]
    Worktree(#[from] WorktreeError),
    /// A library cannot be read.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// The prompt is too long.
    #[error(transparent)]
    TooLong(#[from] TooLong),
    /// Something else; the sentence says what to do.
    #[error("{0}")]
    Other(String),
}

/// What a worker asks for.
#[derive(Debug)]
pub struct Launch<'a> {
    /// Workflow, repository and roles.
    pub wanted: Wanted,
    /// The key of `.conductor/<key>.md` and of the default that comes with Vestry; none where the role is none.
    pub key: Option<TemplateKey>,
    /// The explicit input, as the launch has it.
    pub input: Option<&'a str>,
    /// What the launch says of where that came from. Recorded, and read by nothing.
    pub requested: Option<SourceLabel>,
    /// The workflow's own prompt.
    pub inline: Option<&'a str>,
    /// The data of the run.
    pub context: &'a Context,
    /// The worktree; none where there is none.
    pub worktree: Option<&'a Worktree>,
    /// Whether templates of the repository are taken.
    pub takes_repository: bool,
    /// The user's own library; none to leave it out.
    pub library: Option<&'a Library>,
}

/// What was selected of registry and library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// Nothing.
    Nothing,
    /// A file of the library.
    User(String),
    /// A template of the registry.
    Registry {
        /// Where it comes from: `registry:<scope>/<name>@<revision>`.
        source: String,
        /// The template.
        template: String,
    },
}

/// A prompt, and what is recorded with the launch. The names are those of the launch's inputs, which workflows write in camel case.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// The workflow.
    pub workflow: String,
    /// The role.
    pub role: String,
    /// What the prompt takes the place of: the worker's `user-prompt`, never its guardrails or output schema.
    pub replaces: &'static str,
    /// What the launch says of where its template came from; null where it says nothing.
    pub requested_source: Option<String>,
    /// Where it came from.
    pub resolved_source: String,
    /// The template key; null where the role is none and no other was given.
    pub template_key: Option<String>,
    /// The SHA-256 of the template's bytes, in hexadecimal digits.
    pub template_sha256: String,
    /// The SHA-256 of the prompt's bytes, in hexadecimal digits.
    pub rendered_sha256: String,
    /// The template.
    pub template: String,
    /// The prompt.
    pub prompt: String,
    /// The placeholders that stayed as they are, because the context has nothing for them.
    pub unknown_placeholders: Vec<String>,
    /// The keys of the context that were appended, because no placeholder used them.
    pub appended_context: Vec<String>,
    /// The inputs to keep with the launch, so that it gets the same template when it is run again; empty where the template is
    /// the repository's, Vestry's or the workflow's own.
    pub inputs: Map<String, Value>,
}

/// What a template is, and where it came from.
struct Found {
    source: String,
    template: String,
    /// Whether it is the workflow's own prompt, which stays as it is.
    is_verbatim: bool,
    /// Whether it is kept with the launch, and with which label.
    kept: Option<String>,
}

impl Found {
    fn of(source: &ResolvedSource, template: impl Into<String>) -> Self {
        Self {
            source: source.to_string(),
            template: template.into(),
            is_verbatim: false,
            kept: None,
        }
    }

    fn kept(self, label: String) -> Self {
        Self {
            kept: Some(label),
            ..self
        }
    }
}

/// Resolves and renders the prompt of a role. `registry` selects of the registry's templates and the files of the library; it is
/// asked only where there is no explicit input.
///
/// # Errors
/// The sentence that says why there is no prompt.
pub async fn resolve<E: From<PromptError>>(
    launch: &Launch<'_>,
    registry: impl AsyncFnOnce(&Wanted, &[LibraryFile]) -> Result<Choice, E>,
) -> Result<Prompt, E> {
    let found = match explicit(launch)? {
        Some(found) => found,
        None => {
            let files = library(launch)?;
            let choice = registry(&launch.wanted, &files).await?;
            match chosen(choice, &files)? {
                Some(found) => found,
                None => fallback(launch)?,
            }
        }
    };
    Ok(prompt(launch, found)?)
}

/// Selects of a library alone, where no registry is asked.
///
/// # Errors
/// When several are equally specific.
pub fn choose_of_library(wanted: &Wanted, files: &[LibraryFile]) -> Result<Choice, PromptError> {
    match select(files.iter().map(|file| (file, &file.selectors)), wanted) {
        Selected::None => Ok(Choice::Nothing),
        Selected::One(file) => Ok(Choice::User(file.file.clone())),
        Selected::Several(equal) => {
            let names: Vec<String> = equal
                .iter()
                .map(|file| ResolvedSource::User(file.file.clone()).to_string())
                .collect();
            Err(PromptError::Other(format!(
                "several prompt templates are equally specific for the role `{}` of the workflow `{}`: {}; make one more specific by `repos` or `fields`, or let each be for other `workflows`",
                wanted.role,
                wanted.workflow,
                names.join(", ")
            )))
        }
    }
}

fn explicit(launch: &Launch<'_>) -> Result<Option<Found>, PromptError> {
    let name = launch.wanted.role.input();
    let label = |source: &ResolvedSource| {
        let requested = launch.requested.as_ref();
        requested.map_or_else(|| source.to_string(), |label| label.as_str().to_owned())
    };
    match launch.input.map(Input::read).transpose()?.flatten() {
        None => Ok(None),
        Some(Input::Inline(text)) => {
            let source = ResolvedSource::InputInline;
            Ok(Some(Found::of(&source, text).kept(label(&source))))
        }
        Some(Input::Path(path)) => {
            if !launch.takes_repository {
                return Err(PromptError::Other(format!(
                    "the input `{name}` names {path}, and templates of the repository are switched off (VESTRY_REPO_TEMPLATES); give the text itself"
                )));
            }
            let Some(worktree) = launch.worktree else {
                return Err(PromptError::Other(format!(
                    "the input `{name}` names {path}, and there is no worktree; give one with --worktree"
                )));
            };
            let text = worktree.read(&path)?.ok_or_else(|| {
                PromptError::Other(format!(
                    "the input `{name}` names {path}, which is not in the worktree; put it there, or give the text itself"
                ))
            })?;
            let source = ResolvedSource::InputPath(path);
            Ok(Some(Found::of(&source, text).kept(label(&source))))
        }
    }
}

/// The files of the library, all of which can be read: nobody knows what one that cannot is for.
fn library(launch: &Launch<'_>) -> Result<Vec<LibraryFile>, PromptError> {
    let Some(library) = launch.library else {
        return Ok(Vec::new());
    };
    let mut files = Vec::new();
    let mut refused = Vec::new();
    for (_, read) in library.files()? {
        match read {
            Ok(file) => files.push(file),
            Err(error) => refused.push(error.to_string()),
        }
    }
    if refused.is_empty() {
        Ok(files)
    } else {
        Err(PromptError::Other(refused.join("; ")))
    }
}

fn chosen(choice: Choice, files: &[LibraryFile]) -> Result<Option<Found>, PromptError> {
    match choice {
        Choice::Nothing => Ok(None),
        Choice::User(name) => {
            let file = files.iter().find(|file| file.file == name).ok_or_else(|| {
                PromptError::Other(format!("the server chose the file {name}, which is not in your library; is it a vestry server?"))
            })?;
            let source = ResolvedSource::User(name);
            let kept = source.to_string();
            Ok(Some(Found::of(&source, file.template.as_str()).kept(kept)))
        }
        Choice::Registry { source, template } => Ok(Some(Found {
            kept: Some(source.clone()),
            is_verbatim: false,
            source,
            template,
        })),
    }
}

/// What there is where nobody chose anything.
fn fallback(launch: &Launch<'_>) -> Result<Found, PromptError> {
    if let Some(key) = &launch.key {
        if let Some(worktree) = launch.worktree.filter(|_| launch.takes_repository) {
            let path = format!("{CONDUCTOR}/{}", key.file());
            if let Some(text) = worktree.read(&path)? {
                return Ok(Found::of(&ResolvedSource::Repository(key.clone()), text));
            }
        }
        if let Some(text) = bundled(key) {
            return Ok(Found::of(&ResolvedSource::Bundled(key.clone()), text));
        }
    }
    match launch.inline.filter(|inline| !is_blank(inline)) {
        Some(inline) => Ok(Found {
            is_verbatim: true,
            ..Found::of(&ResolvedSource::InlinePrompt, inline)
        }),
        None => Err(PromptError::Other(format!(
            "nothing has a prompt for the role `{}` of the workflow `{}`; give the workflow's own with --inline-prompt, or write a template",
            launch.wanted.role, launch.wanted.workflow
        ))),
    }
}

fn prompt(launch: &Launch<'_>, found: Found) -> Result<Prompt, PromptError> {
    let Found {
        source,
        template,
        is_verbatim,
        kept,
    } = found;
    let (text, unknown, appended) = if is_verbatim {
        (template.clone(), Vec::new(), Vec::new())
    } else {
        let inline = launch.inline.filter(|inline| !is_blank(inline));
        let rendered = render(&template, launch.context.pairs(), inline)?;
        (rendered.text, rendered.unknown, rendered.appended)
    };
    let role = &launch.wanted.role;
    let mut inputs = Map::new();
    if let Some(label) = kept {
        inputs.insert(role.input(), Input::written(&template).into());
        inputs.insert(role.source_input(), label.into());
    }
    Ok(Prompt {
        workflow: launch.wanted.workflow.to_string(),
        role: role.to_string(),
        replaces: "user-prompt",
        requested_source: launch
            .requested
            .as_ref()
            .map(|label| label.as_str().to_owned()),
        resolved_source: source,
        template_key: launch.key.as_ref().map(ToString::to_string),
        template_sha256: sha256(&template),
        rendered_sha256: sha256(&text),
        template,
        prompt: text,
        unknown_placeholders: unknown,
        appended_context: appended,
        inputs,
    })
}
