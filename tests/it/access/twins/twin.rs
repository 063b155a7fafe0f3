//! One of the two servers.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hyper::Method;
use serde_json::Value;
use vestry::entropy::{Entropy, EntropyError, SeededEntropy};

use super::busy::Globex;
use super::said;
use crate::harness::{Builder, Client, Directory, People, Response, TestServer};

pub(super) const SEED: u64 = 17;

/// Two streams of randomness, and which of them is drawn from.
struct Streams {
    quiet: SeededEntropy,
    busy: SeededEntropy,
    is_busy: AtomicBool,
}

impl Entropy for Streams {
    fn fill(&self, bytes: &mut [u8]) -> Result<(), EntropyError> {
        let stream = if self.is_busy.load(Ordering::SeqCst) {
            &self.busy
        } else {
            &self.quiet
        };
        stream.fill(bytes)
    }
}

/// One of the two servers, with what was answered on it.
pub(super) struct Twin {
    pub(super) server: TestServer,
    pub(super) people: People,
    streams: Arc<Streams>,
    /// Whether globex does anything.
    has_busy: bool,
    pub(super) diary: Vec<(String, String)>,
    pub(super) asked: BTreeSet<(String, &'static str)>,
    /// Reads acme's log after each step, so that what waits in the journal does not wait for chance.
    pub(super) auditor: Client,
    pub(super) greta: Client,
    pub(super) globex: Option<Globex>,
    pub(super) round: usize,
}

impl Twin {
    pub(super) async fn new(has_busy: bool, directory: Directory) -> Self {
        let streams = Arc::new(Streams {
            quiet: SeededEntropy::new(SEED),
            busy: SeededEntropy::new(SEED + 1),
            is_busy: AtomicBool::new(false),
        });
        let server = Builder {
            entropy: Some(streams.clone()),
            keys_before: true,
            ..Builder::default()
        }
        .start_on(directory)
        .await;
        let people = People::usual(&server).await;
        let auditor = people.human("ines").await;
        let greta = people.elevated("greta", "tenant:globex").await;
        let mut twin = Self {
            server,
            people,
            streams,
            has_busy,
            diary: Vec::new(),
            asked: BTreeSet::new(),
            auditor,
            greta,
            globex: None,
            round: 0,
        };
        twin.settle().await;
        twin
    }

    pub(super) async fn settle(&mut self) {
        self.auditor.get("/v1/audit?limit=1").await.expect(200);
    }

    /// A step of acme or of the administrator.
    pub(super) async fn step(
        &mut self,
        client: &Client,
        route: (&str, &'static str),
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Value>,
    ) -> Response {
        let method = Method::from_bytes(route.0.as_bytes()).unwrap();
        let response = client.send(method, path, headers, body).await;
        self.asked.insert((route.0.to_owned(), route.1));
        self.diary
            .push((format!("{} {path}", route.0), said(&response)));
        self.settle().await;
        response
    }

    pub(super) async fn get(
        &mut self,
        client: &Client,
        route: &'static str,
        path: &str,
    ) -> Response {
        self.step(client, ("GET", route), path, &[], None).await
    }

    pub(super) async fn post(
        &mut self,
        client: &Client,
        route: &'static str,
        path: &str,
        body: Value,
    ) -> Response {
        self.step(client, ("POST", route), path, &[], Some(body))
            .await
    }

    /// A list with all its pages.
    pub(super) async fn pages(&mut self, client: &Client, route: &'static str, path: &str) {
        let glue = if path.contains('?') { '&' } else { '?' };
        let mut next = format!("{path}{glue}limit=2");
        loop {
            let page = self.get(client, route, &next).await.expect(200);
            match page.body["next_cursor"].as_str() {
                Some(cursor) => next = format!("{path}{glue}limit=2&cursor={cursor}"),
                None => break,
            }
        }
    }

    /// Globex has a busy time, if it has any.
    pub(super) async fn interlude(&mut self) {
        if !self.has_busy {
            return;
        }
        self.streams.is_busy.store(true, Ordering::SeqCst);
        self.round += 1;
        self.be_busy().await;
        // What waits for the journal is globex's own.
        self.greta.get("/v1/audit?limit=1").await.expect(200);
        self.streams.is_busy.store(false, Ordering::SeqCst);
    }
}
