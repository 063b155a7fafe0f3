//! A stream of server-sent events, read as they come.

use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::Incoming;

use super::connect::{broken, check_kind, endless};
use super::{Answer, Call, Client, ClientError};

/// The media type of a stream.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";
/// How long the head of a stream may take.
const OPEN_TIMEOUT: Duration = Duration::from_secs(60);
/// How long a stream may say nothing: servers show every 15 seconds that they live.
const SILENCE: Duration = Duration::from_secs(60);
/// The most bytes of one event.
const MAX_EVENT_BYTES: usize = 1 << 20;

/// What opening a stream gives.
#[derive(Debug)]
pub(crate) enum Opened {
    /// The stream.
    Stream(EventStream),
    /// The server did not open one.
    Answer(Answer),
}

/// An event as it came. One without data only says how far the stream has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Sent {
    /// Where the stream is after it; none when it does not say.
    pub(crate) id: Option<String>,
    /// What it is; `message` when it does not say.
    pub(crate) event: String,
    /// What it says.
    pub(crate) data: String,
}

/// An open stream.
#[derive(Debug)]
pub(crate) struct EventStream {
    call: Call,
    body: Incoming,
    parser: Parser,
}

impl Client {
    /// Opens a stream.
    ///
    /// # Errors
    /// As [`Client::send`].
    pub(crate) async fn open(
        &self,
        call: &Call,
        token: Option<&str>,
    ) -> Result<Opened, ClientError> {
        let opening = async {
            let answer = self.request_once(call, token).await?;
            if !answer.status().is_success() {
                return self.read(call, answer).await.map(Opened::Answer);
            }
            check_kind(call, answer.status(), answer.headers())?;
            Ok(Opened::Stream(EventStream {
                call: call.clone(),
                body: answer.into_body(),
                parser: Parser::default(),
            }))
        };
        tokio::time::timeout(OPEN_TIMEOUT, opening)
            .await
            .unwrap_or_else(|_| {
                let seconds = OPEN_TIMEOUT.as_secs();
                Err(endless(call, format!("taken more than {seconds} seconds")))
            })
    }
}

impl EventStream {
    /// The next event; none when the stream has ended. Dropping it half way loses nothing that came.
    ///
    /// # Errors
    /// When the connection broke, has been silent for too long, or sends what is no event.
    pub(crate) async fn next(&mut self) -> Result<Option<Sent>, ClientError> {
        loop {
            if let Some(sent) = self.parser.next() {
                return Ok(Some(sent));
            }
            if self.parser.waiting() > MAX_EVENT_BYTES {
                let reason = format!("an event of more than {} MiB", MAX_EVENT_BYTES >> 20);
                return Err(endless(&self.call, reason));
            }
            let frame = tokio::time::timeout(SILENCE, self.body.frame())
                .await
                .map_err(|_| broken(&self.call, &"the server has gone silent"))?;
            match frame {
                None => return Ok(None),
                Some(Ok(frame)) => {
                    if let Ok(bytes) = frame.into_data() {
                        self.parser.take(&bytes);
                    }
                }
                Some(Err(error)) => return Err(broken(&self.call, &error)),
            }
        }
    }
}

/// Cuts a stream into events, as HTML's section 9.2.6 has it.
#[derive(Debug, Default)]
struct Parser {
    bytes: Vec<u8>,
    /// How far `bytes` was searched for the end of a line.
    searched: usize,
    event: Sent,
    has_data: bool,
}

impl Parser {
    fn take(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// How much came of what is not whole yet.
    fn waiting(&self) -> usize {
        self.bytes.len() + self.event.data.len()
    }

    fn next(&mut self) -> Option<Sent> {
        while let Some(line) = self.line() {
            if !line.is_empty() {
                self.field(&line);
                continue;
            }
            let mut sent = std::mem::take(&mut self.event);
            let has_data = std::mem::take(&mut self.has_data);
            // What only says how long to wait, or nothing at all, is none.
            if has_data || sent.id.is_some() {
                if sent.event.is_empty() {
                    "message".clone_into(&mut sent.event);
                }
                return Some(sent);
            }
        }
        None
    }

    /// A whole line without its end.
    fn line(&mut self) -> Option<String> {
        let rest = self.bytes.get(self.searched..)?;
        let Some(found) = rest.iter().position(|byte| *byte == b'\n') else {
            self.searched = self.bytes.len();
            return None;
        };
        let end = self.searched + found;
        self.searched = 0;
        let mut line: Vec<u8> = self.bytes.drain(..=end).collect();
        line.pop();
        if line.last() == Some(&b'\r') {
            line.pop();
        }
        Some(String::from_utf8_lossy(&line).into_owned())
    }

    fn field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "id" if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            "event" => value.clone_into(&mut self.event.event),
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.has_data = true;
                self.event.data.push_str(value);
            }
            // A comment, or what is of no use here.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Parser, Sent};

    const STREAM: &str = ": hello\nretry: 1000\nid: 1.2\n\n: still here\n\nid: 2.2\r\nevent: skill\r\ndata: {\"a\":1}\r\n\r\n\
                          data: one\ndata:two\nodd\n\nevent: end\ndata\n\nid: 3";

    #[test]
    fn events_come_whole_however_the_stream_is_cut() {
        let sent = |id: Option<&str>, event: &str, data: &str| Sent {
            id: id.map(str::to_owned),
            event: event.to_owned(),
            data: data.to_owned(),
        };
        let expected = [
            sent(Some("1.2"), "message", ""),
            sent(Some("2.2"), "skill", "{\"a\":1}"),
            sent(None, "message", "one\ntwo"),
            sent(None, "end", ""),
        ];
        for size in 1..STREAM.len() {
            let mut parser = Parser::default();
            let mut found = Vec::new();
            for piece in STREAM.as_bytes().chunks(size) {
                parser.take(piece);
                found.extend(std::iter::from_fn(|| parser.next()));
            }
            assert_eq!(found, expected, "in pieces of {size}");
        }
    }
}
