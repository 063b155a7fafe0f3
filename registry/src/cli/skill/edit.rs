//! `vestry skill edit`: the SKILL.md in an editor, and published when it was saved. Nothing is lost: until it is
//! published, the text stays in a file.

use std::path::{Path, PathBuf};

use similar::TextDiff;

use super::Reference;
use super::change::{print, refused};
use super::show::ask;
use crate::bundle::Bundle;
use crate::cli::failure::{Failure, Outcome, Refusal};
use crate::cli::options::Options;
use crate::cli::output::value;
use crate::cli::profile::write_private;
use crate::cli::send::{check_call, publish_call};
use crate::cli::session::{As, Session};
use crate::client::Call;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The skill.
    #[arg(value_name = "SCOPE/NAME", value_parser = Reference::parse)]
    skill: Reference,
    /// What changed; one line, for the history.
    #[arg(long, short)]
    message: Option<String>,
    /// The editor, before --editor.
    #[arg(long, env = "VISUAL", hide = true)]
    visual: Option<String>,
    /// The editor: a command line, to which the file is added.
    #[arg(long, env = "EDITOR", value_name = "COMMAND", default_value = "vi")]
    editor: String,
}

pub(in crate::cli) async fn run(options: &Options, args: Args) -> Outcome {
    let Args {
        skill,
        message,
        visual,
        editor,
    } = args;
    let session = Session::open(options)?;
    let current = ask(&session, &skill, &Call::get(skill.path(&[])))
        .await?
        .body;
    value::needs(&current, &["revision", "digest"])?;
    let number = value::number(&current, "revision");
    // By its number, so that text and digest are of the same revision.
    let call = Call::get(skill.path(&["revisions", &number])).accept("text/markdown");
    let before = ask(&session, &skill, &call).await?.bytes;
    let file = file(options, &skill)?;
    write_private(&file, &before)?;
    edit(&visual.unwrap_or(editor), &file).await?;
    let outcome = publish(
        &session,
        &skill,
        &file,
        &before,
        value::text(&current, "digest"),
        message.as_deref(),
    )
    .await;
    match outcome {
        Ok(()) => {
            let _ = std::fs::remove_file(&file);
            Ok(())
        }
        Err(Failure::Sentence(sentence)) => Err(Failure::Sentence(format!(
            "{sentence}; your text is kept in {}",
            file.display()
        ))),
        Err(other) => Err(other),
    }
}

async fn publish(
    session: &Session,
    skill: &Reference,
    file: &Path,
    before: &[u8],
    digest: &str,
    message: Option<&str>,
) -> Outcome {
    let after = std::fs::read(file)
        .map_err(|error| Failure::new(format!("cannot read {}: {error}", file.display())))?;
    if after == before {
        session
            .out
            .note("nothing changed, so nothing was published");
        return Ok(());
    }
    let bundle = Bundle::of_skill_md(after)?;
    let old = String::from_utf8_lossy(before);
    let diff = TextDiff::from_lines(old.as_ref(), bundle.skill_md.as_str());
    let unified = diff
        .unified_diff()
        .header(&format!("{skill} before"), &format!("{skill} after"))
        .to_string();
    if !session.out.is_json() {
        session.out.text(&session.out.diff(&unified))?;
    }
    let as_ = As::Elevated(&skill.scope);
    let check = check_call(skill.path(&["check"]), &bundle, message);
    let checked = session.send(as_, &check).await?;
    if !checked.status.is_success() {
        return Err(refused(skill, &Refusal::of(&checked)));
    }
    value::needs(&checked.body, &["allowed"])?;
    let call = publish_call(skill.path(&[]), &bundle, message, Some(digest));
    let answer = session.send(as_, &call).await?;
    if !answer.status.is_success() {
        return Err(refused(skill, &Refusal::of(&answer)));
    }
    print(session.out, &answer.body, false)
}

/// A file that no earlier edit left behind.
fn file(options: &Options, skill: &Reference) -> Result<PathBuf, Failure> {
    let directory = options.profiles()?.directory().join("edits");
    let plain: String = skill
        .scope
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    (1..1_000)
        .map(|number| directory.join(format!("{plain}.{}.{number}.md", skill.name)))
        .find(|path| !path.exists())
        .ok_or_else(|| {
            Failure::new(format!(
                "{} is full of texts of failed edits; remove what you do not need",
                directory.display()
            ))
        })
}

/// Runs the editor, which may be a command with arguments.
pub(in crate::cli) async fn edit(editor: &str, file: &Path) -> Outcome {
    let mut command = if cfg!(windows) {
        let mut words = editor.split_whitespace();
        let mut command = tokio::process::Command::new(words.next().unwrap_or("notepad"));
        command.args(words);
        command
    } else {
        let mut command = tokio::process::Command::new("sh");
        command
            .arg("-c")
            .arg(format!("{editor} \"$@\""))
            .arg(editor);
        command
    };
    let status = command
        .arg(file)
        .status()
        .await
        .map_err(|error| Failure::new(format!("cannot start the editor {editor}: {error}")))?;
    if status.success() {
        Ok(())
    } else {
        Err(Failure::new(format!(
            "the editor {editor} failed, so nothing was published; your text is kept in {}",
            file.display()
        )))
    }
}
