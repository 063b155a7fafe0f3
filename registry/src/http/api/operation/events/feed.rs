//! One stream: reading on when something happened, and looking now and then whether it may go on.
//!
//! Nothing is read before the client takes what was read, so that a slow one holds a page and no more; one that takes
//! nothing for as long as the server waits for any client is cut off, and resumes.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::Event as Sent;
use tokio::time::{Instant, sleep_until};

use super::data::{self, End};
use crate::http::app::App;
use crate::http::problem::Problem;
use crate::http::streams::Place;
use crate::identity::Caller;
use crate::identity::jwt::has_ended;
use crate::store::StoreError;
use crate::store::events::{EventCursor, EventPosition, Woken};
use crate::store::queries::{EventPage, EventsFrom, ReadEvents};

/// How long a client waits before it connects again.
const RETRY: Duration = Duration::from_secs(1);

/// One stream.
pub(super) struct Feed {
    app: App,
    caller: Caller,
    woken: Woken,
    cursor: EventCursor,
    /// The position that the client knows of.
    told: EventPosition,
    waiting: VecDeque<Sent>,
    has_more: bool,
    /// When it ends, if the client said so.
    until: Option<Instant>,
    /// When it shows that it lives.
    beat: Instant,
    has_ended: bool,
    _place: Place,
}

impl Feed {
    /// Reads the first page: what the caller may not do is refused before the stream begins.
    pub(super) async fn open(
        app: App,
        caller: Caller,
        from: EventsFrom,
        wait: Option<Duration>,
        place: Place,
    ) -> Result<Self, Problem> {
        // Before the reading, so that nothing falls between.
        let woken = app.store.wait_for_events(&caller);
        let page = app.store.view(&caller, ReadEvents { from }).await?;
        let page = page.into_inner();
        let now = Instant::now();
        // An id without data: whoever is cut off before the first event resumes from here.
        let begun = match from {
            EventsFrom::After(position) => position,
            EventsFrom::Now | EventsFrom::Start | EventsFrom::On(_) => page.begins,
        };
        let mut feed = Self {
            cursor: page.cursor,
            told: begun,
            waiting: VecDeque::new(),
            has_more: false,
            until: wait.map(|wait| now + wait),
            beat: now + app.streams.beat(),
            has_ended: false,
            _place: place,
            app,
            caller,
            woken,
        };
        feed.waiting
            .push_back(Sent::default().retry(RETRY).id(begun.to_string()));
        feed.take(page);
        Ok(feed)
    }

    /// The next thing to send, when there is one.
    pub(super) async fn next(mut self) -> Option<(Result<Sent, Infallible>, Self)> {
        loop {
            if let Some(sent) = self.waiting.pop_front() {
                self.beat = Instant::now() + self.app.streams.beat();
                return Some((Ok(sent), self));
            }
            if self.has_ended {
                return None;
            }
            if !self.has_more && !self.wait().await {
                return None;
            }
            self.read().await;
        }
    }

    /// Waits until there may be something to tell. False when the time is over.
    async fn wait(&mut self) -> bool {
        let draining = self.app.readiness.draining();
        let until = self.until;
        let over = async move {
            match until {
                Some(until) => sleep_until(until).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = draining => self.end(End::ShuttingDown),
            () = over => return false,
            () = self.woken.woken() => {}
            () = sleep_until(self.beat) => {
                let alive = self.alive();
                self.waiting.push_back(alive);
            }
        }
        true
    }

    /// A comment; with the position where the client does not know it, so that it does not resume from far behind.
    fn alive(&mut self) -> Sent {
        let sent = Sent::default().comment("still here");
        let position = self.cursor.id();
        if self.told == position {
            return sent;
        }
        self.told = position;
        sent.id(position.to_string())
    }

    /// Reads on, with everything that reading asks of the caller asked again.
    async fn read(&mut self) {
        if self.has_ended {
            return;
        }
        let now = self.app.clock.now();
        if self
            .caller
            .expires_at()
            .is_some_and(|expires_at| has_ended(expires_at, now))
        {
            return self.end(End::TokenEnded);
        }
        self.woken.rest();
        let query = ReadEvents {
            from: EventsFrom::On(self.cursor),
        };
        match self.app.store.view(&self.caller, query).await {
            Ok(page) => self.take(page.into_inner()),
            Err(StoreError::AuthorityEnded | StoreError::Refused(_)) => {
                self.end(End::AuthorityEnded);
            }
            Err(error) => {
                // The client connects again and resumes.
                tracing::warn!(
                    error = &error as &(dyn std::error::Error + 'static),
                    "a stream of events cannot read on"
                );
                self.has_ended = true;
            }
        }
    }

    fn take(&mut self, page: EventPage) {
        let EventPage {
            begins: _,
            gaps,
            events,
            cursor,
            has_more,
        } = page;
        if let Some(gap) = gaps.last() {
            self.told = gap.id;
        }
        self.waiting.extend(gaps.into_iter().filter_map(data::gap));
        if let Some(last) = events.last() {
            self.told = last.id;
        }
        self.waiting
            .extend(events.into_iter().filter_map(data::change));
        self.cursor = cursor;
        self.has_more = has_more;
    }

    fn end(&mut self, end: End) {
        self.waiting.extend(data::end(end));
        self.has_ended = true;
    }
}
