//! Clients that write while things are killed, each against a sequential model of what it alone writes.
//!
//! A request whose outcome is not known (no answer, or 503) is sent again with the same key, to any server, until it is.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hyper::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::installation::{PATIENCE, Servers};
use crate::harness::Response;
use crate::templates::rng::Rng;

/// How many write at once.
const WRITERS: u64 = 4;

/// What was done, and what came of it.
#[derive(Debug, Default, Clone)]
pub(super) struct Counts {
    pub(super) acknowledged: u64,
    pub(super) read_elsewhere: u64,
    pub(super) broken: u64,
    pub(super) unavailable: BTreeMap<String, u64>,
    /// Acknowledged after an outcome that was not known.
    pub(super) resolved: u64,
    /// The longest that a client was without an answer.
    pub(super) longest: Duration,
}

impl Counts {
    pub(super) fn add(&mut self, other: &Self) {
        self.acknowledged += other.acknowledged;
        self.read_elsewhere += other.read_elsewhere;
        self.broken += other.broken;
        self.resolved += other.resolved;
        self.longest = self.longest.max(other.longest);
        for (code, count) in &other.unavailable {
            *self.unavailable.entry(code.clone()).or_default() += count;
        }
    }
}

/// The load while it runs.
pub(super) struct Load {
    stop: Arc<AtomicBool>,
    /// How much has been acknowledged.
    acknowledged: Arc<AtomicU64>,
    writers: JoinSet<Writer>,
}

impl Load {
    /// Begins, as agents of actors whose names no load before it had.
    pub(super) fn start(servers: &Arc<Servers>, key: &str, round: u64, seed: u64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let acknowledged = Arc::new(AtomicU64::new(0));
        let mut writers = JoinSet::new();
        for number in 0..WRITERS {
            let writer = Writer {
                actor: format!("actor-{round}-{number}"),
                rng: Rng::new(seed ^ (round << 20) ^ (number << 8)),
                key: key.to_owned(),
                token: String::new(),
                servers: servers.clone(),
                texts: Vec::new(),
                is_disabled: false,
                turns: BTreeMap::new(),
                requests: 0,
                acknowledged: acknowledged.clone(),
                counts: Counts::default(),
            };
            writers.spawn(writer.run(stop.clone()));
        }
        Self {
            stop,
            acknowledged,
            writers,
        }
    }

    /// Waits until so much more has been acknowledged.
    pub(super) async fn until_more(&self, writes: u64) {
        let began = Instant::now();
        let enough = self.acknowledged.load(Ordering::SeqCst) + writes;
        while self.acknowledged.load(Ordering::SeqCst) < enough {
            assert!(
                began.elapsed() < PATIENCE,
                "nothing is acknowledged any more"
            );
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Ends it, and compares what every server has with what every client was told.
    pub(super) async fn finish(mut self) -> Counts {
        self.stop.store(true, Ordering::SeqCst);
        let mut counts = Counts::default();
        while let Some(ended) = self.writers.join_next().await {
            let mut writer = ended.unwrap();
            writer.verify().await;
            counts.add(&writer.counts);
        }
        counts
    }
}

/// A client, and all that it has been told.
struct Writer {
    actor: String,
    rng: Rng,
    key: String,
    token: String,
    servers: Arc<Servers>,
    /// The text of every revision, oldest first.
    texts: Vec<String>,
    is_disabled: bool,
    /// By name: the digest of the catalog.
    turns: BTreeMap<String, String>,
    requests: u64,
    acknowledged: Arc<AtomicU64>,
    counts: Counts,
}

/// A request that can be sent again.
struct Again<'a> {
    method: Method,
    path: &'a str,
    headers: &'a [(&'a str, &'a str)],
    body: Value,
}

impl Writer {
    async fn run(mut self, stop: Arc<AtomicBool>) -> Self {
        let mint = json!({"actor": {"id": self.actor}, "agent": "bot", "ttl_seconds": 3_600});
        self.token = self.key.clone();
        let minted = self
            .until_known(&Again {
                method: Method::POST,
                path: "/v1/token",
                headers: &[],
                body: mint,
            })
            .await;
        self.token = minted.0.expect(200).text("access_token");
        self.publish().await;
        while !stop.load(Ordering::SeqCst) {
            match self.rng.below(100) {
                0..55 => self.publish().await,
                55..75 => self.roll_back().await,
                75..85 => self.switch().await,
                _ => self.turn().await,
            }
            self.read_elsewhere().await;
        }
        self
    }

    fn path(&self) -> String {
        format!("/v1/skills/actor:{}/notes", self.actor)
    }

    fn fresh_key(&mut self) -> String {
        self.requests += 1;
        format!("{}-{}", self.actor, self.requests)
    }

    /// Sends a request until its outcome is known; gives it, and whether it was not known before.
    async fn until_known(&mut self, request: &Again<'_>) -> (Response, bool) {
        let began = Instant::now();
        let mut tries = 0;
        loop {
            let server = self.rng.below(self.servers.count());
            let client = self.servers.client(server).with_token(&self.token);
            let mut headers = request.headers.to_vec();
            headers.push(("content-type", "application/json"));
            let body = request.body.to_string().into_bytes();
            let sent = client.try_raw(request.method.clone(), request.path, &headers, body);
            match tokio::time::timeout(Duration::from_secs(40), sent).await {
                Err(_) => panic!("{} hangs", request.path),
                Ok(Err(_)) => self.counts.broken += 1,
                Ok(Ok(answer)) if answer.status == 503 => {
                    assert!(
                        answer.headers.contains_key("retry-after"),
                        "{}",
                        answer.body
                    );
                    assert!(!answer.code().is_empty(), "{}", answer.body);
                    let code = answer.code().to_owned();
                    *self.counts.unavailable.entry(code).or_default() += 1;
                }
                Ok(Ok(answer)) => {
                    self.counts.longest = self.counts.longest.max(began.elapsed());
                    if tries > 0 {
                        self.counts.resolved += 1;
                    }
                    return (answer, tries > 0);
                }
            }
            tries += 1;
            assert!(
                began.elapsed() < PATIENCE * 2,
                "{} has no outcome",
                request.path
            );
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }

    async fn publish(&mut self) {
        let text = format!("{} {}", self.actor, self.texts.len());
        let is_new = self.texts.is_empty();
        let precondition = if is_new {
            ("if-none-match", "*")
        } else {
            ("if-match", "*")
        };
        let body = json!({"description": text, "body": format!("Do {text}.\n")});
        let path = self.path();
        let request = Again {
            method: Method::PUT,
            path: &path,
            headers: &[precondition],
            body,
        };
        let (answer, was_unknown) = self.until_known(&request).await;
        self.texts.push(text);
        if is_new && was_unknown && answer.status == 412 {
            // The first one has it: reading says the same.
            return;
        }
        let answer = answer.expect_one_of(&[200, 201]);
        self.is_of_now(&answer);
    }

    /// Publishing again what there was before; the key makes a second request the same one.
    async fn roll_back(&mut self) {
        let to = self.rng.below(self.texts.len());
        if self.texts.last() == Some(&self.texts[to]) {
            return;
        }
        let (key, path) = (self.fresh_key(), format!("{}/rollback", self.path()));
        let headers = [("idempotency-key", key.as_str())];
        let body = json!({"to": to + 1});
        let request = Again {
            method: Method::POST,
            path: &path,
            headers: &headers,
            body,
        };
        let (answer, _) = self.until_known(&request).await;
        let answer = answer.expect(200);
        self.texts.push(self.texts[to].clone());
        self.is_of_now(&answer);
        if self.rng.chance(20) {
            // Once more, although it is known.
            let (again, _) = self.until_known(&request).await;
            assert_eq!(again.expect(200).bytes, answer.bytes);
        }
    }

    async fn switch(&mut self) {
        let verb = if self.is_disabled {
            "enable"
        } else {
            "disable"
        };
        let (key, path) = (self.fresh_key(), format!("{}/{verb}", self.path()));
        let headers = [("idempotency-key", key.as_str())];
        let body = json!({"reason": "a test"});
        let request = Again {
            method: Method::POST,
            path: &path,
            headers: &headers,
            body,
        };
        let (answer, _) = self.until_known(&request).await;
        answer.expect(200);
        self.is_disabled = !self.is_disabled;
        self.acknowledge();
    }

    /// A turn is durable when it is answered: it is resumed as it was.
    async fn turn(&mut self) {
        let name = self.fresh_key();
        let body = json!({"turn": name});
        let request = Again {
            method: Method::POST,
            path: "/v1/catalog",
            headers: &[],
            body,
        };
        let (answer, _) = self.until_known(&request).await;
        self.turns.insert(name, answer.expect(200).text("etag"));
        self.acknowledge();
    }

    fn acknowledge(&mut self) {
        self.counts.acknowledged += 1;
        self.acknowledged.fetch_add(1, Ordering::SeqCst);
    }

    /// One effect: the revision is the next one, whatever happened meanwhile.
    fn is_of_now(&mut self, answer: &Response) {
        assert_eq!(answer.body["revision"], self.texts.len(), "{}", answer.body);
        self.acknowledge();
    }

    /// What was acknowledged is what any server that answers says.
    async fn read_elsewhere(&mut self) {
        let server = self.rng.below(self.servers.count());
        let client = self.servers.client(server).with_token(&self.token);
        let path = self.path();
        let Ok(read) = client.try_raw(Method::GET, &path, &[], Vec::new()).await else {
            self.counts.broken += 1;
            return;
        };
        if read.status == 503 {
            *self
                .counts
                .unavailable
                .entry(read.code().to_owned())
                .or_default() += 1;
            return;
        }
        let read = read.expect(200);
        assert_eq!(
            read.body["revision"],
            self.texts.len(),
            "lost or twice: {}",
            read.body
        );
        assert_eq!(read.text("description"), *self.texts.last().unwrap());
        let body = b"{}".to_vec();
        let headers = [("content-type", "application/json")];
        let Ok(catalog) = client
            .try_raw(Method::POST, "/v1/catalog", &headers, body)
            .await
        else {
            self.counts.broken += 1;
            return;
        };
        if catalog.status == 200 {
            let entries = catalog.body["entries"].as_array().unwrap();
            let offered: Vec<&Value> = entries.iter().map(|entry| &entry["description"]).collect();
            let expected: Vec<&String> = self
                .texts
                .last()
                .into_iter()
                .filter(|_| !self.is_disabled)
                .collect();
            assert_eq!(offered, expected);
            self.counts.read_elsewhere += 1;
        }
    }

    /// The whole history and every turn, as each server has them.
    async fn verify(&mut self) {
        for server in 0..self.servers.count() {
            let client = self.servers.client(server).with_token(&self.token);
            let mut history = Vec::new();
            let mut cursor = String::new();
            loop {
                let path = format!("{}/revisions?limit=200{cursor}", self.path());
                let page = client.get(&path).await.expect(200);
                for row in page.body["items"].as_array().unwrap() {
                    history.push((
                        row["revision"].as_u64().unwrap(),
                        row["description"].as_str().unwrap().to_owned(),
                    ));
                }
                match page.body["next_cursor"].as_str() {
                    Some(next) => cursor = format!("&cursor={next}"),
                    None => break,
                }
            }
            history.sort();
            let expected: Vec<(u64, String)> = (1..).zip(self.texts.iter().cloned()).collect();
            assert_eq!(history, expected, "{} at server {server}", self.actor);
        }
        let server = self.rng.below(self.servers.count());
        let client = self.servers.client(server).with_token(&self.token);
        for (name, etag) in &self.turns {
            assert_eq!(
                client.turn(name).await.expect(200).text("etag"),
                *etag,
                "turn {name}"
            );
        }
    }
}
