//! `POST /v1/prompts/resolve`: the prompt template that a role of a workflow gets.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::prompt::{
    PromptRole, Repository, ResolvedSource, Selectors, Specificity, TemplateKey, Wanted,
    WorkflowName,
};

use crate::content::{check_line, selectors};
use crate::http::api::turns::catalog::{turn_name, word};
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{Body, present, without_null_defaults};
use crate::http::problem::{Code, Fault, Problem};
use crate::http::route::Operation;
use crate::prompts::{bundled, sha256};
use crate::store::{PromptRequest, PromptSelected};

/// The most files of a library.
pub(crate) const MAX_LIBRARY: usize = 200;
/// The most characters of a file's name.
const MAX_FILE: usize = 255;

/// What a prompt template is wanted for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null_defaults, rename = "PromptRequest")]
pub(in crate::http) struct Request {
    /// The workflow, as it is written in the `workflows` of templates.
    workflow: String,
    /// The role of the workflow, as `review`; the name of its input, `reviewPromptTemplate`, says the same.
    role: String,
    /// The workflow's primary role: templates without `fields` are for it. The role that is asked for when left out.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    primary_role: Option<String>,
    /// The repository that the workflow works on, as a URL, in the short form of SSH, or as `host/owner/name`. Without one no
    /// template is for it that is restricted to repositories.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    repository: Option<String>,
    /// The key of the default that comes with Vestry; the role when left out.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    key: Option<String>,
    /// The files of the caller's own library, up to 200, by what they are for; what they say is not sent.
    #[serde(default)]
    library: Vec<LibraryFile>,
    /// The turn or launch that it is for, 1 to 128 characters of `[A-Za-z0-9._:@+-]`; recorded only.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    turn: Option<String>,
    /// The conversation; recorded only.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    session: Option<String>,
}

/// A file of the caller's own library.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LibraryFile {
    /// Its name.
    file: String,
    /// Its frontmatter, without the lines that fence it; left out where it has none.
    #[serde(default)]
    frontmatter: Option<String>,
}

/// The prompt template that a role gets.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "PromptAnswer")]
pub(in crate::http) struct Answer {
    /// The workflow.
    workflow: String,
    /// The role, as a word.
    role: String,
    /// The workflow's primary role.
    primary_role: String,
    /// The workflow input that carries the template.
    input: String,
    /// The workflow input that says where that came from.
    source_input: String,
    /// The unique most specific template; absent when none matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    selected: Option<Selection>,
    /// The default of the key that comes with Vestry, for where the repository has no file for it either; absent when there is
    /// none.
    #[serde(skip_serializing_if = "Option::is_none")]
    bundled: Option<Bundled>,
}

/// A template that was selected.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "PromptSelection")]
struct Selection {
    /// `registry:<scope>/<name>@<revision>`, or `user:<file>`.
    source: String,
    /// How specific it is.
    specificity: SpecificityAnswer,
    /// The file of the library; absent when it is of the registry, and so is what is below otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// The name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Where it lives.
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<String>,
    /// The number of the revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<u32>,
    /// Its digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    /// The scopes that it overrides, narrow to wide; absent when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shadows: Vec<String>,
    /// The template: what is below the frontmatter.
    #[serde(skip_serializing_if = "Option::is_none")]
    template: Option<String>,
    /// The SHA-256 of its bytes, in hexadecimal digits.
    #[serde(skip_serializing_if = "Option::is_none")]
    template_sha256: Option<String>,
}

/// How specific a template is: the first before the second.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "PromptSpecificity")]
struct SpecificityAnswer {
    /// Whether it is restricted to repositories.
    repository: bool,
    /// Whether it says which roles it is for.
    fields: bool,
}

/// A default that comes with Vestry.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "BundledPrompt")]
struct Bundled {
    /// The key.
    key: String,
    /// `bundled:<key>`.
    source: String,
    /// The template.
    template: &'static str,
    /// The SHA-256 of its bytes, in hexadecimal digits.
    template_sha256: String,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Resolve the prompt template of a role")
        .description(
            "Of the registry's templates (of each name the narrowest, unless a wider one is sealed) and those of the caller's own library the unique most specific one that matches workflow, repository and role. Equally specific ones are 409, with their names. Copy the template into the input of the launch: it is explicit from then on.",
        )
        .tag("prompts")
        .body::<Request>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[
            Code::Refused,
            Code::Conflict,
            Code::InvalidTurn,
            Code::InvalidContent,
            Code::BodyUnreadable,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Body(request): Body<Request>,
) -> Result<Json<Answer>, Problem> {
    let Request {
        workflow,
        role,
        primary_role,
        repository,
        key,
        library,
        turn,
        session,
    } = request;
    let role: PromptRole = parsed("role", &role, PromptRole::parse)?;
    let primary = primary_role
        .map(|primary| parsed("primary_role", &primary, PromptRole::parse))
        .transpose()?
        .unwrap_or_else(|| role.clone());
    let key = match key {
        Some(key) => Some(parsed("key", &key, TemplateKey::sanitise)?),
        None => TemplateKey::sanitise(role.as_str()).ok(),
    };
    let wanted = Wanted {
        workflow: parsed("workflow", &workflow, WorkflowName::parse)?,
        repository: repository
            .map(|repository| parsed("repository", &repository, Repository::parse))
            .transpose()?,
        role: role.clone(),
        primary: primary.clone(),
    };
    let request = PromptRequest {
        wanted,
        library: read_library(library)?,
        turn: turn.as_deref().map(turn_name).transpose()?,
        session: session
            .map(|session| word("session", session))
            .transpose()?,
    };
    let selected = app.store.resolve_prompt(&caller, request).await?;
    Ok(Json(Answer {
        workflow,
        primary_role: primary.to_string(),
        input: role.input(),
        source_input: role.source_input(),
        role: role.to_string(),
        selected: shown(selected),
        bundled: key.and_then(|key| {
            bundled(&key).map(|template| Bundled {
                source: ResolvedSource::Bundled(key.clone()).to_string(),
                key: key.to_string(),
                template,
                template_sha256: sha256(template),
            })
        }),
    }))
}

/// A field of its type, or the sentence that says what is wrong with it.
fn parsed<T, E: std::fmt::Display>(
    field: &'static str,
    text: &str,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Result<T, Problem> {
    parse(text).map_err(|error| {
        Problem::InvalidContent(Fault::at(
            field,
            format!("The field `{field}` is refused: {error}."),
        ))
    })
}

fn read_library(files: Vec<LibraryFile>) -> Result<Vec<(String, Selectors)>, Problem> {
    let refused = |detail: String| Problem::InvalidContent(Fault::at("library", detail));
    if files.len() > MAX_LIBRARY {
        return Err(refused(format!(
            "A library has at most {MAX_LIBRARY} files; send fewer."
        )));
    }
    let mut read: Vec<(String, Selectors)> = Vec::with_capacity(files.len());
    for LibraryFile { file, frontmatter } in files {
        let is_name =
            !file.is_empty() && file.chars().count() <= MAX_FILE && check_line(&file).is_ok();
        if !is_name {
            return Err(refused(format!(
                "The name of a file has 1 to {MAX_FILE} characters on one line; rename it."
            )));
        }
        if read.iter().any(|(known, _)| *known == file) {
            return Err(refused(format!(
                "The file `{file}` is there twice; send it once."
            )));
        }
        let of = frontmatter
            .map(|frontmatter| selectors(&frontmatter))
            .transpose()
            .map_err(|error| refused(format!("The file `{file}` is refused, {error}.")))?;
        read.push((file, of.unwrap_or_default()));
    }
    Ok(read)
}

fn shown(selected: PromptSelected) -> Option<Selection> {
    let specificity = |Specificity { repository, fields }| SpecificityAnswer { repository, fields };
    match selected {
        PromptSelected::Nothing => None,
        PromptSelected::Library {
            file,
            specificity: of,
        } => Some(Selection {
            source: ResolvedSource::User(file.clone()).to_string(),
            specificity: specificity(of),
            file: Some(file),
            name: None,
            scope: None,
            revision: None,
            digest: None,
            shadows: Vec::new(),
            template: None,
            template_sha256: None,
        }),
        PromptSelected::Registry(template) => Some(Selection {
            source: template.source().to_string(),
            specificity: specificity(template.specificity),
            file: None,
            template_sha256: Some(sha256(template.text())),
            template: Some(template.text().to_owned()),
            name: Some(template.name.to_string()),
            scope: Some(template.scope.to_string()),
            revision: Some(template.revision),
            digest: Some(template.digest),
            shadows: template.shadows,
        }),
    }
}
