//! `vestry schema show`: the document, so that it can be edited and activated.

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use crate::cli::failure::Outcome;
use crate::cli::options::Options;
use crate::cli::output::value;
use crate::cli::session::{As, Session};
use crate::client::Call;
use crate::template::schema::Schema;

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// The one that is part of this program, without a server.
    #[arg(long)]
    built_in: bool,
}

/// What is read of the answer beside its fields: the document as it was written.
#[derive(Debug, Deserialize)]
struct Answer {
    schema: Box<RawValue>,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    if args.built_in {
        let out = options.out();
        let schema = Schema::built_in();
        if out.is_json() {
            return out.json(&json!({
                "version": schema.version(),
                "digest": &**schema.digest(),
                "built_in": true,
                "schema": serde_json::from_str::<serde_json::Value>(schema.text())?,
            }));
        }
        return out.text(schema.text());
    }
    let session = Session::open(options)?;
    let answer = session
        .ask_for(
            As::Oneself,
            &Call::get("/v1/context-schema"),
            &["version", "digest", "schema"],
        )
        .await?;
    if session.out.is_json() {
        return session.out.json(&answer.body);
    }
    let Answer { schema } = serde_json::from_slice(&answer.bytes)?;
    let since = match value::time(&answer.body, "activated_at") {
        time if time.is_empty() => String::new(),
        time => format!(", activated at {time}"),
    };
    let whose = if value::flag(&answer.body, "built_in") {
        "the built-in one"
    } else {
        "one of its own"
    };
    session.out.note(format!(
        "version {}, {}: {whose}{since}",
        value::number(&answer.body, "version"),
        value::text(&answer.body, "digest"),
    ));
    let mut text = schema.get().to_owned();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    session.out.content(text.as_bytes())
}
