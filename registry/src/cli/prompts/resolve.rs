//! `vestry prompt resolve`: the worktree and the library are read here, the registry is asked over HTTP.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;
use vestry_policies::prompt::{
    PromptRole, Repository, SourceLabel, TemplateKey, Wanted, WorkflowName,
};

use super::LibraryAt;
use crate::cli::failure::{Failure, Outcome};
use crate::cli::load::{context as object, read_text};
use crate::cli::options::Options;
use crate::cli::output::Out;
use crate::cli::session::Session;
use crate::client::agent::{PromptFile, PromptTerms, SelectedPrompt, prompt_template};
use crate::prompts::{
    Choice, Context, Launch, LibraryFile, Prompt, PromptError, Worktree, choose_of_library,
    resolve, takes_repository_templates,
};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The workflow, as templates name it in `workflows`.
    #[arg(long, value_name = "NAME", value_parser = WorkflowName::parse)]
    workflow: WorkflowName,
    /// The role: review, plan, code, design, fix, or another.
    #[arg(long, value_name = "NAME", value_parser = PromptRole::parse)]
    role: PromptRole,
    /// The workflow's primary role, which templates without `fields` are for; the role itself when left out.
    #[arg(long, value_name = "NAME", value_parser = PromptRole::parse)]
    primary_role: Option<PromptRole>,
    /// The worktree.
    #[arg(long, value_name = "DIR", default_value = ".")]
    worktree: PathBuf,
    /// The repository, as a URL, in the short form of SSH or as host/owner/name; that of the worktree's remote `origin` when
    /// left out.
    #[arg(long, value_name = "URL", value_parser = Repository::parse)]
    repository: Option<Repository>,
    /// The key of .conductor/KEY.md and of the default that comes with Vestry; the role when left out.
    #[arg(long, value_name = "KEY", value_parser = TemplateKey::sanitise)]
    key: Option<TemplateKey>,
    /// The inputs of the launch as a JSON object (`-` for standard input), of which those of the role are read:
    /// reviewPromptTemplate and reviewPromptTemplateSource.
    #[arg(long, value_name = "FILE")]
    inputs: Option<PathBuf>,
    /// The explicit template, instead of that of the inputs: a text, or `@path` in the worktree; `@@` begins a text with `@`.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    template: Option<String>,
    /// Where that came from, instead of what the inputs say; recorded, and read by nothing.
    #[arg(long, value_name = "TEXT", value_parser = SourceLabel::parse)]
    template_source: Option<SourceLabel>,
    /// The data of the run as a JSON object of texts (`-` for standard input).
    #[arg(long, value_name = "FILE")]
    context: Option<PathBuf>,
    /// The prompt that the workflow has itself.
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    inline_prompt: Option<String>,
    #[command(flatten)]
    library: LibraryAt,
    /// Ask no server: of your library only.
    #[arg(long)]
    no_registry: bool,
    /// The turn or launch that it is for, for reports on recalls.
    #[arg(long, value_name = "NAME", conflicts_with = "no_registry")]
    turn: Option<String>,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let out = options.out();
    let is_stdin = |path: &Option<PathBuf>| path.as_deref() == Some(Path::new("-"));
    if is_stdin(&args.inputs) && is_stdin(&args.context) {
        return Err(Failure::usage(
            "only one of --inputs and --context can be standard input",
        ));
    }
    let inputs = args
        .inputs
        .as_deref()
        .map(object)
        .transpose()?
        .unwrap_or_default();
    if inputs.contains_key("resolvedSource") {
        return Err(Failure::new(
            "this is the record of a prompt, and not the inputs of a launch; give its `inputs`",
        ));
    }
    let given = |name: String| match inputs.get(&name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(Failure::new(format!(
            "the input `{name}` is no text; write it as one"
        ))),
    };
    let input = match args.template {
        Some(template) => Some(template),
        None => given(args.role.input())?,
    };
    let requested = match args.template_source {
        Some(label) => Some(label),
        None => given(args.role.source_input())?
            .filter(|label| !label.trim().is_empty())
            .map(|label| SourceLabel::parse(&label))
            .transpose()?,
    };
    let context = match &args.context {
        Some(path) => Context::parse(&read_text(path)?)?,
        None => Context::default(),
    };
    let worktree = Worktree::open(&args.worktree)?;
    let repository = match args.repository {
        Some(repository) => Some(repository),
        None => remote(out, &args.worktree).await,
    };
    let library = args.library.existing(options)?;
    let launch = Launch {
        wanted: Wanted {
            workflow: args.workflow,
            repository,
            primary: args.primary_role.unwrap_or_else(|| args.role.clone()),
            role: args.role.clone(),
        },
        key: args
            .key
            .or_else(|| TemplateKey::sanitise(args.role.as_str()).ok()),
        input: input.as_deref(),
        requested,
        inline: args.inline_prompt.as_deref(),
        context: &context,
        worktree: Some(&worktree),
        takes_repository: takes_repository_templates(|name| {
            // What is set to no text at all is as good as off.
            std::env::var_os(name).map(|value| value.into_string().unwrap_or_default())
        }),
        library: Some(&library),
    };
    let turn = args.turn.as_deref();
    let prompt = if args.no_registry {
        resolve(&launch, async |wanted, files| {
            choose_of_library(wanted, files).map_err(Stop::from)
        })
        .await
    } else {
        resolve(&launch, async |wanted, files| {
            ask(options, wanted, files, turn).await
        })
        .await
    };
    match prompt {
        Ok(prompt) => {
            if launch.wanted.repository.is_none() && !prompt.resolved_source.starts_with("input:") {
                out.note("which repository this is, is not known, so that no template with `repos` applies; --repository says it");
            }
            print(out, &prompt)
        }
        Err(Stop(failure)) => Err(failure),
    }
}

/// What ends it.
struct Stop(Failure);

impl From<PromptError> for Stop {
    fn from(error: PromptError) -> Self {
        Self(error.into())
    }
}

/// Asks the server, which selects of its templates and of the library's files by what they are for.
async fn ask(
    options: &Options,
    wanted: &Wanted,
    files: &[LibraryFile],
    turn: Option<&str>,
) -> Result<Choice, Stop> {
    let session = Session::open(options).map_err(|failure| match failure {
        Failure::Usage(sentence) => Stop(Failure::Usage(format!(
            "{sentence}; `--no-registry` asks none"
        ))),
        other => Stop(other),
    })?;
    let terms = PromptTerms {
        workflow: wanted.workflow.to_string(),
        role: wanted.role.to_string(),
        primary_role: Some(wanted.primary.to_string()),
        repository: wanted.repository.as_ref().map(ToString::to_string),
        library: files
            .iter()
            .map(|file| PromptFile {
                file: file.file.clone(),
                frontmatter: file.frontmatter.clone(),
            })
            .collect(),
        turn: turn.map(str::to_owned),
        ..PromptTerms::default()
    };
    let answer = prompt_template(&session, &terms)
        .await
        .map_err(|error| Stop(error.into()))?;
    match answer.typed.selected {
        None => Ok(Choice::Nothing),
        Some(SelectedPrompt {
            file: Some(file), ..
        }) => Ok(Choice::User(file)),
        Some(SelectedPrompt {
            source,
            template: Some(template),
            ..
        }) => Ok(Choice::Registry { source, template }),
        Some(SelectedPrompt { source, .. }) => Err(Stop(Failure::new(format!(
            "the server chose {source} without its text; is it a vestry server?"
        )))),
    }
}

/// The repository that the worktree was cloned from; none where nobody knows.
async fn remote(out: Out, worktree: &Path) -> Option<Repository> {
    let mut git = tokio::process::Command::new("git");
    git.arg("-C")
        .arg(worktree)
        .args(["config", "--get-all", "remote.origin.url"])
        .stdin(Stdio::null())
        .stderr(Stdio::null());
    // In a hook of git these say which repository is meant, and it need not be that of the worktree.
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"GIT_") {
            git.env_remove(name);
        }
    }
    let asked = git.output().await.ok()?;
    let url = String::from_utf8(asked.stdout).ok()?;
    // Of several, git fetches from the first.
    let url = url.lines().next().unwrap_or_default().trim();
    if !asked.status.success() || url.is_empty() {
        return None;
    }
    match Repository::parse(url) {
        Ok(repository) => Some(repository),
        Err(_) => {
            out.note("the remote `origin` of the worktree names no repository that templates could be restricted to; say which with --repository");
            None
        }
    }
}

fn print(out: Out, prompt: &Prompt) -> Outcome {
    if out.is_json() {
        return out.json(&serde_json::to_value(prompt)?);
    }
    out.content(prompt.prompt.as_bytes())?;
    out.note(format!(
        "from {}; template sha256 {}, prompt sha256 {}",
        prompt.resolved_source, prompt.template_sha256, prompt.rendered_sha256
    ));
    if prompt.resolved_source.starts_with("repo:") && prompt.template.starts_with("---") {
        out.note(
            "files of the repository have no frontmatter: what stands there is part of the prompt",
        );
    }
    if !prompt.unknown_placeholders.is_empty() {
        out.note(format!(
            "nothing is known for {}",
            prompt.unknown_placeholders.join(", ")
        ));
    }
    Ok(())
}
