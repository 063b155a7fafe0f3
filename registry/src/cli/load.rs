//! `vestry load`: the body of an offered skill, or one of its files, as an agent gets it.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::failure::{Failure, Outcome};
use super::offer::{self, KeptOffer};
use super::options::Options;
use super::output::value;
use super::session::Session;
use crate::client::agent::{Load, Offer};

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
    let profile = options.profiles()?.file(&options.profile);
    let given = match &args.offer_file {
        Some(path) => offer::read(path)?,
        None => offer::kept(&profile, session.server().as_str())?,
    };
    let mut offer = given.clone();
    let said = say(&session, &mut offer, args).await;
    if offer != given {
        // The turn was asked again; the next load need not.
        let server = session.server().to_string();
        offer::keep(&profile, &KeptOffer { server, offer })?;
    }
    said
}

/// Loads and prints.
async fn say(session: &Session, offer: &mut Offer, args: Args) -> Outcome {
    let out = session.out;
    let Some(path) = args.file else {
        let load = Load {
            context: args.context.as_deref().map(context).transpose()?,
            template: args.template,
            ..Load::of(&args.name)
        };
        let loaded = offer.load(session, &load).await?;
        let text = value::needed_text(&loaded.json, "body")?;
        if out.is_json() {
            return out.json(&loaded.json);
        }
        out.content(text.as_bytes())?;
        for file in &loaded.typed.files {
            out.note(format!(
                "file {} ({} bytes): `vestry load {} --file {0}` loads it",
                file.path, file.size, args.name
            ));
        }
        return Ok(());
    };
    if out.is_json() {
        return Err(Failure::usage(
            "a file is bytes, not JSON: leave --json out, and send the output to a file",
        ));
    }
    out.content(&offer.load_bytes(session, &args.name, &path).await?)
}

/// Reads the data of a run: an object, from a file or standard input.
pub(super) fn context(path: &Path) -> Result<Map<String, Value>, Failure> {
    let text = read_text(path)?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::new(format!("{} is no JSON object: {error}", path.display())))
}

/// Reads a text that is at most a little more than a request takes, from a file or standard input.
pub(super) fn read_text(path: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    let most = MAX_CONTEXT + 1;
    let read = if path == Path::new("-") {
        std::io::stdin().take(most).read_to_string(&mut text)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(most).read_to_string(&mut text))
    };
    read.map_err(|error| Failure::new(format!("cannot read {}: {error}", path.display())))?;
    if text.len() as u64 > MAX_CONTEXT {
        return Err(Failure::new(format!(
            "{} has more than {MAX_CONTEXT} bytes; shorten it",
            path.display()
        )));
    }
    Ok(text)
}
