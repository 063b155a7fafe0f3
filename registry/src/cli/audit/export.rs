//! `vestry audit export`: a whole log as lines of JSON.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::PathBuf;

use serde_json::Value;

use super::exported::{FORM, Header, Record};
use super::{Log, cannot, checkpoint, key};
use crate::cli::failure::{Failure, Outcome};
use crate::cli::options::Options;
use crate::cli::output::value;
use crate::cli::session::{As, Session};
use crate::client::{Call, query};

#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    /// Which log: the tenant's of the login, or the installation's; the tenant's when left out.
    #[arg(long, value_enum)]
    log: Option<Log>,
    /// Write to this new file instead of standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let key = key::fetch(&session).await?;
    // Before the records, so that they reach at least as far.
    let note = checkpoint::fetch(&session, args.log, &key).await?;
    let header = Header {
        export: FORM.to_owned(),
        chain: note.chain,
        server: session.server().to_string(),
        key: key.to_string(),
        checkpoint: note.text,
    };
    let mut sink = Sink::open(args.out)?;
    sink.line(&serde_json::to_string(&header)?)?;
    let mut records: u64 = 0;
    let mut cursor = String::new();
    loop {
        let path = query(
            "/v1/audit",
            &[
                ("log", args.log.map(Log::as_str)),
                ("stored", Some("true")),
                ("limit", Some("200")),
                (
                    "cursor",
                    Some(cursor.as_str()).filter(|cursor| !cursor.is_empty()),
                ),
            ],
        );
        let answer = session
            .send_patiently(As::Oneself, &Call::get(path))
            .await
            .map_err(Failure::from)?;
        if !answer.status.is_success() {
            return Err(Failure::refused(&answer, None));
        }
        value::needs(&answer.body, &["items"])?;
        for item in value::items(&answer.body, "items") {
            sink.line(&serde_json::to_string(&record(item)?)?)?;
            records += 1;
        }
        let next = answer.text("next_cursor");
        // A list that goes nowhere ends here.
        if next.is_empty() || next == cursor {
            break;
        }
        next.clone_into(&mut cursor);
    }
    let where_to = sink.finish()?;
    session.out.note(format!(
        "exported {records} records{where_to}; check them with `vestry audit verify --export FILE --key KEY`"
    ));
    Ok(())
}

fn record(item: &Value) -> Result<Record, Failure> {
    let seq = item.get("seq").and_then(Value::as_i64);
    match (seq, value::text(item, "stored")) {
        (Some(seq), stored) if !stored.is_empty() => Ok(Record {
            seq,
            hash: value::text(item, "hash").to_owned(),
            record: stored.to_owned(),
        }),
        _ => Err(Failure::new(
            "the server does not give the stored bytes of records; is it older than this command?",
        )),
    }
}

/// Where the lines go.
enum Sink {
    File(BufWriter<File>, PathBuf),
    Output(BufWriter<std::io::Stdout>),
}

impl Sink {
    fn open(path: Option<PathBuf>) -> Result<Self, Failure> {
        let Some(path) = path else {
            return Ok(Self::Output(BufWriter::new(std::io::stdout())));
        };
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .map_err(|error| cannot("write", &path, &error))?;
        Ok(Self::File(BufWriter::new(file), path))
    }

    fn line(&mut self, line: &str) -> Outcome {
        let writer: &mut dyn Write = match self {
            Self::File(file, _) => file,
            Self::Output(output) => output,
        };
        writer
            .write_all(line.as_bytes())
            .and_then(|()| writer.write_all(b"\n"))
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::BrokenPipe => Failure::Unread,
                _ => Failure::new(format!(
                    "cannot write the export: {error}; is the disk full?"
                )),
            })
    }

    /// Gives where they went, for the last word.
    fn finish(self) -> Result<String, Failure> {
        match self {
            Self::File(mut file, path) => {
                file.flush()
                    .and_then(|()| file.get_ref().sync_all())
                    .map_err(|error| cannot("write", &path, &error))?;
                Ok(format!(" to {}", path.display()))
            }
            Self::Output(mut output) => {
                output.flush()?;
                Ok(String::new())
            }
        }
    }
}
