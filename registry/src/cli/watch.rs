//! `vestry watch`: what changes, as it happens.

use std::time::Duration;

use hyper::StatusCode;
use serde_json::{Map, Value};

use super::failure::{Failure, Outcome};
use super::options::Options;
use super::output::{Out, safe, style, value};
use super::session::{Session, Trouble};
use crate::client::{Answer, Call, EVENT_STREAM, EventStream, Opened, Sent, query};
use crate::store::events::EventPosition;

/// The wait before the first new connection; it doubles with every one that comes to nothing.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// The longest wait.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Where to begin: `now`, `start` (with the oldest that is known), or right after the event with this id.
    #[arg(long, default_value = "now", value_name = "WHEN", value_parser = parse_since)]
    since: Since,
}

#[derive(Debug, Clone)]
enum Since {
    Word(&'static str),
    Id(String),
}

fn parse_since(text: &str) -> Result<Since, String> {
    match text {
        "now" => Ok(Since::Word("now")),
        "start" => Ok(Since::Word("start")),
        id => match id.parse::<EventPosition>() {
            Ok(_) => Ok(Since::Id(id.to_owned())),
            Err(_) => Err("give `now`, `start`, or the id of an event, such as 12.3".to_owned()),
        },
    }
}

pub(super) async fn run(options: &Options, args: Args) -> Outcome {
    let session = Session::open(options)?;
    let (since, last) = match args.since {
        Since::Word(word) => (word, None),
        Since::Id(id) => ("now", Some(id)),
    };
    let mut watch = Watch {
        session,
        since,
        last,
        has_connected: false,
        wait: FIRST_WAIT,
    };
    tokio::select! {
        ended = tokio::signal::ctrl_c() => ended.map_err(Failure::from),
        failure = watch.follow() => Err(failure),
    }
}

struct Watch {
    session: Session,
    since: &'static str,
    /// The last id that came; from there the next connection goes on.
    last: Option<String>,
    has_connected: bool,
    wait: Duration,
}

impl Watch {
    /// Follows one stream after the other, until there is no use.
    async fn follow(&mut self) -> Failure {
        loop {
            match self.once().await {
                Ok(why) => {
                    let seconds = self.wait.as_secs();
                    self.session
                        .out
                        .note(format!("{why}; connecting again in {seconds} s"));
                }
                Err(failure) => return failure,
            }
            tokio::time::sleep(self.wait).await;
            self.wait = (self.wait * 2).min(LONGEST_WAIT);
        }
    }

    /// Follows one stream to its end, and says why to connect again.
    async fn once(&mut self) -> Result<String, Failure> {
        let mut call =
            Call::get(query("/v1/events", &[("since", Some(self.since))])).accept(EVENT_STREAM);
        if let Some(last) = &self.last {
            call = call.header("last-event-id", last.clone());
        }
        match self.session.follow(&call).await {
            Ok(Opened::Stream(stream)) => {
                self.has_connected = true;
                self.read(stream).await
            }
            Ok(Opened::Answer(answer)) if is_passing(&answer) => {
                if let Some(seconds) = answer.retry_after() {
                    self.wait = Duration::from_secs(seconds).clamp(FIRST_WAIT, LONGEST_WAIT);
                }
                Ok("the server has no room for this stream now".to_owned())
            }
            Ok(Opened::Answer(answer)) => Err(Failure::refused(&answer, None)),
            // At first it is a wrong address; later, a server that is started again.
            Err(Trouble::Client(error)) if self.has_connected => Ok(error.to_string()),
            Err(trouble) => Err(trouble.into()),
        }
    }

    async fn read(&mut self, mut stream: EventStream) -> Result<String, Failure> {
        loop {
            let sent = match stream.next().await {
                Ok(Some(sent)) => sent,
                Ok(None) => return Ok("the server ended the stream".to_owned()),
                Err(error) => return Ok(error.to_string()),
            };
            // Whoever says something is there.
            self.wait = FIRST_WAIT;
            if let Some(id) = &sent.id
                && id.parse::<EventPosition>().is_ok()
            {
                self.last = Some(id.clone());
            }
            if sent.data.is_empty() {
                continue;
            }
            let Ok(Value::Object(data)) = serde_json::from_str(&sent.data) else {
                return Err(Failure::new(
                    "this is not a Vestry server, or a newer one: an event says nothing that can be read; check --server",
                ));
            };
            if sent.event == "end" {
                let reason = data.get("reason").and_then(Value::as_str).unwrap_or("end");
                return Ok(format!("the server ended the stream ({reason})"));
            }
            print(self.session.out, &sent, data)?;
        }
    }
}

fn is_passing(answer: &Answer) -> bool {
    answer.status == StatusCode::TOO_MANY_REQUESTS || answer.status.is_server_error()
}

/// A line of JSON, or a line for people.
fn print(out: Out, sent: &Sent, data: Map<String, Value>) -> Outcome {
    if out.is_json() {
        let mut line = Map::new();
        line.insert("event".to_owned(), sent.event.clone().into());
        if let Some(id) = &sent.id {
            line.insert("id".to_owned(), id.clone().into());
        }
        line.extend(data);
        return out.bytes(format!("{}\n", Value::Object(line)).as_bytes());
    }
    let data = Value::Object(data);
    if sent.event == "gap" {
        out.note(format!(
            "what happened between {} and {} of the {} log cannot be told",
            value::number(&data, "after"),
            value::number(&data, "next"),
            value::text(&data, "log")
        ));
        return Ok(());
    }
    out.text(&human(out, &data))
}

fn human(out: Out, data: &Value) -> String {
    let mut parts = vec![
        out.paint(style::FAINT, &safe::line(&value::time(data, "at"))),
        safe::line(value::text(data, "action")).into_owned(),
        out.paint(
            style::PLACE,
            &safe::line(&format!(
                "{}/{}",
                value::text(data, "scope"),
                value::text(data, "name")
            )),
        ),
    ];
    let mut say = |text: String| parts.push(safe::line(&text).into_owned());
    let proposal = value::text(data, "proposal");
    if !proposal.is_empty() {
        say(format!("proposal {proposal}"));
    }
    let revision = value::number(data, "revision");
    if !revision.is_empty() {
        say(format!("revision {revision}"));
    }
    let digest = value::short_digest(data, "digest");
    if !digest.is_empty() {
        say(digest);
    }
    match (
        value::text(data, "principal"),
        value::text(data, "acts_for"),
    ) {
        ("", _) => {}
        (principal, "") => say(format!("by {principal}")),
        (principal, actor) => say(format!("by {principal} for {actor}")),
    }
    parts.join("  ")
}
