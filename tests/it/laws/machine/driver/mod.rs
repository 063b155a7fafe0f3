//! Does operations on a server and on the model, and compares.

mod audit;
mod authority;
mod catalogs;
mod history;
mod request;
mod sessions;
mod skills;
mod turns;

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::cast::TENANTS;
use super::model::{Model, SEALED, Spot};
use super::ops::{CALLERS, Op, Role};
use crate::harness::{Builder, Client, People, TestServer};
use authority::service;
use sessions::Session;
use skills::Attempt;
use turns::{Offer, Turn, TurnKey};

const DAY: i64 = 24 * 60 * 60;
/// Just after the end of a token its leeway makes both answers right.
const LEEWAY: i64 = 6;

pub(super) struct Driver {
    server: TestServer,
    plain: Client,
    sessions: Vec<Option<Session>>,
    services: [(String, Client); 2],
    model: Model,
    offers: Vec<Offer>,
    turns: BTreeMap<TurnKey, Turn>,
    /// From etag to catalog and back: one names the other.
    etags: HashMap<String, String>,
    catalogs: HashMap<String, String>,
    keyed: Vec<Op>,
    /// When a skill was touched last its revisions had these times; they never change.
    times: BTreeMap<(Spot, usize, u64), Value>,
    steps: usize,
    /// How many changes there were when everyone's view was compared last.
    compared: usize,
    base: [u64; 3],
}

impl Driver {
    pub(super) async fn start() -> Self {
        let server = Builder {
            sealed_per_scope: Some(SEALED),
            ..Builder::default()
        }
        .start()
        .await;
        let people = People::only_root(&server).await;
        for tenant in TENANTS {
            people.tenant(tenant).await;
        }
        for user in ["paula", "petra", "tom"] {
            people.user(user).await;
        }
        for (tenant, user, role) in [
            ("acme", "paula", "publisher"),
            ("globex", "petra", "publisher"),
            ("acme", "tom", "member"),
            ("globex", "tom", "member"),
        ] {
            people.member(tenant, user, role).await.expect(200);
        }
        let plain = server.client();
        let services = [
            service(&people.root, &plain, 0).await,
            service(&people.root, &plain, 1).await,
        ];
        let mut driver = Self {
            server,
            plain,
            sessions: (0..CALLERS).map(|_| None).collect(),
            services,
            model: Model {
                toms: [Some(Role::Member); 2],
                ..Model::default()
            },
            offers: Vec::new(),
            turns: BTreeMap::new(),
            etags: HashMap::new(),
            catalogs: HashMap::new(),
            keyed: Vec::new(),
            times: BTreeMap::new(),
            steps: 0,
            compared: 0,
            base: [0; 3],
        };
        for who in 0..CALLERS {
            driver.renew(who).await;
        }
        for chain in 0..3 {
            driver.base[chain] = driver.audit(chain, 0).await.len() as u64;
        }
        driver
    }

    /// How many changes were made.
    pub(super) fn effects(&self) -> usize {
        self.model.audit.iter().map(Vec::len).sum()
    }

    /// Does one operation on both sides, and compares everything.
    pub(super) async fn step(&mut self, op: &Op) {
        self.steps += 1;
        self.execute(op, "a test").await;
        self.compare().await;
    }

    async fn execute(&mut self, op: &Op, reason: &'static str) {
        match op.clone() {
            Op::Publish {
                place,
                name,
                text,
                pre,
            } => self.publish(place, name, text, pre).await,
            Op::Rollback {
                place,
                name,
                to,
                pre,
                key,
            } => {
                let attempt = Attempt { op, key, reason };
                self.rollback(attempt, place, name, to, pre).await;
            }
            Op::Verb {
                place,
                name,
                verb,
                revision,
                pre,
                key,
            } => {
                let attempt = Attempt { op, key, reason };
                self.verb(attempt, place, name, verb, revision, pre).await;
            }
            Op::Archive { place, name, pre } => self.archive(place, name, pre).await,
            Op::Hide {
                who,
                tenant,
                name,
                show,
                key,
            } => {
                let attempt = Attempt { op, key, reason };
                self.hide(attempt, who, tenant, name, show).await;
            }
            Op::Recall { place, name, text } => self.recall(place, name, text, reason).await,
            Op::Member { tenant, role } => self.member(tenant, role).await,
            Op::RevokeService { tenant } => self.revoke_service(tenant).await,
            Op::Elevate { tenant } => self.elevate(tenant).await,
            Op::Renew { who } => self.renew(who).await,
            Op::Turn {
                who,
                turn,
                cap,
                budget,
            } => self.turn(who, turn, cap, budget).await,
            Op::Load {
                who,
                offer,
                own,
                name,
            } => {
                if !self.offers.is_empty() {
                    let offer = offer.index(self.offers.len());
                    let who = if own { self.offers[offer].who } else { who };
                    self.load(who, offer, name).await;
                }
            }
            Op::Repeat { which, same } => {
                if !self.keyed.is_empty() {
                    let op = which.get(&self.keyed).clone();
                    let reason = if same { "a test" } else { "another test" };
                    Box::pin(self.execute(&op, reason)).await;
                }
            }
            Op::Advance { seconds } => {
                self.model.now += seconds;
                self.server.advance(seconds);
            }
        }
    }
}
