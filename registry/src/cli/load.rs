//! `vestry load`: the body of an offered skill, or one of its files, as an agent gets it.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::failure::{Failure, Outcome};
use super::offer;
use super::options::Options;
use super::output::value;
use super::session::{As, Session};
use crate::client::{BYTES, Call};

/// The most bytes of a context: more than a request takes.
const MAX_CONTEXT: u64 = 2 << 20;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The name of an offered skill.
    name: String,
    /// A bundled file of the skill, instead of its body.
    #[arg(long, value_name = "PATH")]
    file: Option<String>,
    /// The data of the run as JSON (`-` for standard input), for a template.
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    context: Option<PathBuf>,
    /// The source of a template, as it was written.
    #[arg(long, conflicts_with_all = ["file", "context"])]
    template: bool,
    /// The offer, or the answer of `vestry catalog --json`, in this file (`-` for standard input); that of the last
    /// `vestry catalog` when left out.
    #[arg(long, value_name = "FILE")]
    offer_file: Option<PathBuf>,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let offer = match &args.offer_file {
        Some(path) => offer::read(path)?,
        None => offer::kept(
            &options.profiles()?.file(&options.profile),
            session.server().as_str(),
        )?,
    };
    let out = session.out;
    let Some(path) = args.file else {
        let mut body = json!({"offer": offer, "name": args.name});
        if let Some(body) = body.as_object_mut() {
            if let Some(path) = &args.context {
                body.insert("context".to_owned(), context(path)?);
            }
            if args.template {
                body.insert("template".to_owned(), true.into());
            }
        }
        let answer = session
            .ask(As::Oneself, &Call::post("/v1/load", &body))
            .await?;
        let text = value::needed_text(&answer.body, "body")?;
        if out.is_json() {
            return out.json(&answer.body);
        }
        out.content(text.as_bytes())?;
        for file in value::items(&answer.body, "files") {
            out.note(format!(
                "file {} ({} bytes): `vestry load {} --file {0}` loads it",
                value::text(file, "path"),
                value::number(file, "size"),
                args.name
            ));
        }
        return Ok(());
    };
    if out.is_json() {
        return Err(Failure::usage(
            "a file is bytes, not JSON: leave --json out, and send the output to a file",
        ));
    }
    let body = json!({"offer": offer, "name": args.name, "path": path});
    let call = Call::post("/v1/load/file", &body).accept(BYTES);
    let answer = session.ask(As::Oneself, &call).await?;
    out.content(&answer.bytes)
}

/// Reads the data of a run: an object, from a file or standard input.
pub(super) fn context(path: &Path) -> Result<Value, Failure> {
    let mut text = String::new();
    let read = if path == Path::new("-") {
        std::io::stdin().take(MAX_CONTEXT).read_to_string(&mut text)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(MAX_CONTEXT).read_to_string(&mut text))
    };
    read.map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    let context: Map<String, Value> = serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("{} is no JSON object: {error}", path.display())))?;
    Ok(Value::Object(context))
}
