//! `GET /v1/events`: what changes, as a stream of server-sent events.

mod data;
mod feed;

use std::time::Duration;

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response, Sse};
use futures_util::stream::unfold;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::Query;
use crate::http::problem::{Code, Fault, Problem};
use crate::http::route::Operation;
use crate::store::events::EventPosition;
use crate::store::queries::EventsFrom;
use feed::Feed;

/// The longest that a stream may be asked to last, in seconds.
const MAX_WAIT: u64 = 86_400;
const LAST_EVENT_ID: &str = "last-event-id";
/// Asks proxies to hand events on as they come.
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Where to begin, and how long to go on.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Filter {
    /// Where a new stream begins: `now`, or `start`, with the oldest that is known. `now` when left out.
    #[serde(default)]
    since: Option<Since>,
    /// The id of the last event that the client has, for clients that cannot send `Last-Event-ID`; the header counts where
    /// both are sent.
    #[serde(default)]
    last_event_id: Option<String>,
    /// How many seconds the stream lasts at most, 0 to 86,400; 0 tells what there is and ends. Without end when left out.
    #[serde(default)]
    #[schemars(range(max = MAX_WAIT))]
    wait: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Since {
    /// With what happens from now on.
    Now,
    /// With the oldest that is known.
    Start,
}

/// The `Last-Event-ID` header; none when it was left out, or is empty as browsers send it before the first event.
#[derive(Debug, Clone, Copy)]
pub(in crate::http) struct LastEventId(Option<EventPosition>);

impl<S: Send + Sync> FromRequestParts<S> for LastEventId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let mut values = parts.headers.get_all(LAST_EVENT_ID).iter();
        let text = match (values.next(), values.next()) {
            (None, _) => "",
            (Some(value), None) => value.to_str().unwrap_or("?"),
            (Some(_), Some(_)) => "?",
        };
        match text {
            "" => Ok(Self(None)),
            text => position("Last-Event-ID", text).map(|position| Self(Some(position))),
        }
    }
}

fn position(field: &'static str, text: &str) -> Result<EventPosition, Problem> {
    text.parse().map_err(|_| {
        Problem::Malformed(Fault::at(
            field,
            "Send the id of an event as it came, or leave this out.",
        ))
    })
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Follow what changes")
        .description(
            "A stream of server-sent events: `skill` when a skill that the caller may read has changed, `proposal` when \
             something became of a proposal that it may know of. `data` is JSON: metadata, never a body, a reason or a \
             rationale. An event's `id` says how far the stream has come: sent as `Last-Event-ID`, the next stream goes on \
             right after it, and each event is told once. What cannot be told any more is said by an event `gap`. A stream \
             ends with an event `end` and its reason when the credential or its authority has ended, or the server shuts \
             down. Where nothing happens a comment comes every 15 seconds.",
        )
        .tag("operation")
        .query::<Filter>()
        .last_event_id()
        .answer_text(StatusCode::OK, "text/event-stream")
        .problems(&[Code::TooManyRequests])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    LastEventId(last): LastEventId,
    Query(filter): Query<Filter>,
) -> Result<Response, Problem> {
    let Filter {
        since,
        last_event_id,
        wait,
    } = filter;
    if wait.is_some_and(|wait| wait > MAX_WAIT) {
        return Err(Problem::Malformed(Fault::at(
            "wait",
            format!("Send 0 to {MAX_WAIT} seconds."),
        )));
    }
    let given = last_event_id
        .as_deref()
        .map(|text| position("last_event_id", text))
        .transpose()?;
    let from = match (last.or(given), since) {
        (Some(position), _) => EventsFrom::After(position),
        (None, Some(Since::Start)) => EventsFrom::Start,
        (None, Some(Since::Now) | None) => EventsFrom::Now,
    };
    let place = app.streams.open(&caller)?;
    let feed = Feed::open(app, caller, from, wait.map(Duration::from_secs), place).await?;
    let mut response = Sse::new(unfold(feed, Feed::next)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    Ok(response)
}
