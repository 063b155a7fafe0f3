//! A stream of events, read as a client reads it: or as a line that is cut anywhere.

use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use serde_json::Value;

use super::Client;

/// How long a test waits for something that has to come.
const PATIENCE: Duration = Duration::from_secs(30);

/// An event as it came.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Told {
    pub(crate) id: Option<String>,
    pub(crate) event: String,
    pub(crate) data: Value,
}

impl Told {
    /// `publish-skill tenant:acme/refunds`.
    pub(crate) fn said(&self) -> String {
        let text = |field: &str| self.data[field].as_str().unwrap_or_default();
        format!("{} {}/{}", text("action"), text("scope"), text("name"))
    }
}

/// An open stream.
pub(crate) struct Tap {
    body: Incoming,
    text: String,
    /// Everything that came.
    pub(crate) heard: String,
    /// The last id that came.
    pub(crate) last: Option<String>,
}

impl Client {
    /// Opens a stream that the server has to open.
    pub(crate) async fn tap(&self, query: &str, last: Option<&str>) -> Tap {
        let headers: Vec<(&str, &str)> = last.map(|id| ("last-event-id", id)).into_iter().collect();
        let answer = self
            .open(&format!("/v1/events{query}"), &headers)
            .await
            .unwrap_or_else(|error| panic!("{query}: {error}"));
        assert_eq!(answer.status(), 200, "{query}");
        assert_eq!(answer.headers()["content-type"], "text/event-stream");
        assert_eq!(answer.headers()["cache-control"], "no-store");
        Tap {
            body: answer.into_body(),
            text: String::new(),
            heard: String::new(),
            last: last.map(str::to_owned),
        }
    }

    /// Everything that there is to tell, from the start or after an id.
    pub(crate) async fn told(&self, query: &str) -> Vec<Told> {
        self.tap(query, None).await.rest().await
    }
}

impl Tap {
    /// The next event; none when the stream has ended.
    pub(crate) async fn next(&mut self) -> Option<Told> {
        loop {
            if let Some(told) = self.whole() {
                return Some(told);
            }
            let frame = tokio::time::timeout(PATIENCE, self.body.frame())
                .await
                .expect("nothing came for half a minute");
            let bytes = frame?.ok()?.into_data().ok()?;
            let text = std::str::from_utf8(&bytes).unwrap();
            self.text.push_str(text);
            self.heard.push_str(text);
        }
    }

    /// All events to the end of the stream.
    pub(crate) async fn rest(&mut self) -> Vec<Told> {
        let mut all = Vec::new();
        while let Some(told) = self.next().await {
            all.push(told);
        }
        all
    }

    /// What comes whole within so many bytes; then the line is cut.
    pub(crate) async fn cut_after(mut self, bytes: usize) -> (Vec<Told>, Option<String>) {
        let mut all = Vec::new();
        while self.heard.len() < bytes {
            let Ok(frame) =
                tokio::time::timeout(Duration::from_millis(200), self.body.frame()).await
            else {
                // Nothing more has happened for now.
                break;
            };
            let Some(Ok(frame)) = frame else { break };
            let Ok(data) = frame.into_data() else {
                continue;
            };
            let room = bytes - self.heard.len();
            // Events are ASCII: any byte is a place to cut.
            let text = std::str::from_utf8(&data).unwrap();
            let text = &text[..room.min(text.len())];
            self.text.push_str(text);
            self.heard.push_str(text);
        }
        while let Some(told) = self.whole() {
            all.push(told);
        }
        (all, self.last)
    }

    fn whole(&mut self) -> Option<Told> {
        while let Some((block, rest)) = self.text.split_once("\n\n") {
            let mut told = Told {
                id: None,
                event: "message".to_owned(),
                data: Value::Null,
            };
            for line in block.lines() {
                match line.split_once(": ") {
                    Some(("id", id)) => told.id = Some(id.to_owned()),
                    Some(("event", event)) => event.clone_into(&mut told.event),
                    Some(("data", data)) => told.data = serde_json::from_str(data).unwrap(),
                    Some(("retry" | "", _)) => {}
                    other => panic!("{other:?} in {block:?}"),
                }
            }
            self.text = rest.to_owned();
            if let Some(id) = &told.id {
                self.last = Some(id.clone());
            }
            if !told.data.is_null() {
                return Some(told);
            }
        }
        None
    }
}
