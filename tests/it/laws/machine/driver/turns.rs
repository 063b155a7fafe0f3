//! Catalogs for turns, and loads from their offers.

use hyper::Method;
use serde_json::{Value, json};

use super::super::cast::CAST;
use super::super::model::{Ground, Pin, Recall, body, description};
use super::super::ops::NAMES;
use super::catalogs::stable;
use super::request::Request;
use super::{DAY, Driver, LEEWAY};
use crate::harness::Response;

/// How long offers live.
const OFFER_TTL: i64 = 900;

pub(super) struct Offer {
    pub(super) token: String,
    pub(super) who: usize,
    pub(super) ground: Ground,
    pub(super) expires: i64,
    pub(super) pins: Vec<Pin>,
}

/// A named turn: what it was asked for, and what it was answered.
pub(super) struct Turn {
    pub(super) cap: Option<u8>,
    pub(super) budget: Option<u16>,
    pub(super) answer: Value,
    pub(super) pins: Vec<Pin>,
    pub(super) at: i64,
}

/// Tenant, actor or principal, agent, turn.
pub(super) type TurnKey = (Option<usize>, String, Option<&'static str>, u8);

impl Driver {
    pub(super) async fn turn(
        &mut self,
        who: usize,
        turn: Option<u8>,
        cap: Option<u8>,
        budget: Option<u16>,
    ) {
        let mut payload = json!({});
        if let Some(turn) = turn {
            payload["turn"] = format!("turn-{turn}").into();
        }
        if let Some(cap) = cap {
            payload["cap"] = cap.into();
        }
        if let Some(budget) = budget {
            payload["token_budget"] = budget.into();
        }
        let request = Request {
            who,
            method: Method::POST,
            path: "/v1/catalog".to_owned(),
            headers: Vec::new(),
            payload: Some(payload),
            key: None,
        };
        let Some(answer) = self.send(&request).await else {
            return;
        };
        let actor = &CAST[who];
        let id = turn.map(|turn| {
            let name = actor
                .actor
                .map_or_else(|| actor.principal(), ToOwned::to_owned);
            (actor.tenant, name, actor.agent, turn)
        });
        let now = self.model.now;
        let known = id
            .as_ref()
            .and_then(|id| self.turns.get(id))
            .filter(|known| known.at + 30 * DAY > now);
        let pins = match known {
            Some(known) if (known.cap, known.budget) != (cap, budget) => {
                answer.expect_problem(409, "turn-conflict");
                return;
            }
            Some(known) => {
                // Whatever was written since, a resumed turn keeps what it had (invariants 12 and 13).
                let answer = answer.expect(200);
                assert_eq!(
                    stable(&answer.body),
                    known.answer,
                    "a resumed turn keeps its catalog"
                );
                self.offer(who, &answer, known.pins.clone());
                return;
            }
            None => {
                let answer = answer.clone().expect(200);
                let resolved = self.model.resolve(actor);
                self.matches(
                    who,
                    &answer.body,
                    &resolved,
                    cap.map_or(20, usize::from),
                    budget,
                )
            }
        };
        if let Some(id) = id {
            let taken = Turn {
                cap,
                budget,
                answer: stable(&answer.body),
                pins: pins.clone(),
                at: now,
            };
            self.turns.insert(id, taken);
        }
        self.offer(who, &answer, pins);
    }

    fn offer(&mut self, who: usize, answer: &Response, pins: Vec<Pin>) {
        self.offers.push(Offer {
            token: answer.text("offer"),
            who,
            ground: self.session(who).ground,
            expires: self.model.now + OFFER_TTL,
            pins,
        });
    }

    /// What is refused by the offer is recorded like what a rule refuses.
    fn refused_load(&mut self, who: usize, rule: &str) {
        self.model
            .refuse(&CAST[who], "load-skill", "server".to_owned(), rule);
    }

    pub(super) async fn load(&mut self, who: usize, offer: usize, name: usize) {
        let request = Request {
            who,
            method: Method::POST,
            path: "/v1/load".to_owned(),
            headers: Vec::new(),
            payload: Some(json!({"offer": self.offers[offer].token, "name": NAMES[name]})),
            key: None,
        };
        let Some(answer) = self.send(&request).await else {
            return;
        };
        let offer = &self.offers[offer];
        if offer.who != who {
            answer.expect_problem(401, "offer-invalid");
            return;
        }
        let late = self.model.now - offer.expires;
        if late >= 0 {
            if late > LEEWAY {
                answer.expect_problem(401, "offer-expired");
                return;
            }
            match answer.status.as_u16() {
                404 => self.refused_load(who, "needs-offer"),
                410 => self.refused_load(who, "recalled"),
                _ => {}
            }
            return;
        }
        if offer.ground.epoch != self.session(who).ground.epoch && CAST[who].is_tom() {
            answer.expect_problem(401, "authority-ended");
            return;
        }
        let Some(pin) = offer.pins.iter().find(|pin| pin.name == name) else {
            let answer = answer.expect_problem(404, "skill-not-offered");
            let names: Vec<&str> = offer.pins.iter().map(|pin| NAMES[pin.name]).collect();
            let available = if names.is_empty() {
                "and no others are either".to_owned()
            } else {
                format!("Available: {}", names.join(", "))
            };
            let separator = if names.is_empty() { ", " } else { ". " };
            assert_eq!(
                answer.detail(),
                format!(
                    "No skill named \"{}\" is available to you{separator}{available}.",
                    NAMES[name]
                )
            );
            self.refused_load(who, "needs-offer");
            return;
        };
        let skill = &self.model.skills[&(pin.spot, name)];
        let revision = &skill.revisions[pin.number as usize - 1];
        if revision.recall != Recall::None {
            answer.expect_problem(410, "skill-recalled");
            self.refused_load(who, "recalled");
            return;
        }
        let loaded = answer.expect(200).body;
        assert_eq!(loaded["body"], body(name, revision.text));
        assert_eq!(loaded["description"], description(name, revision.text));
        assert_eq!(loaded["digest"], revision.digest);
        assert_eq!(loaded["revision"], pin.number);
        assert_eq!(loaded["scope"], pin.spot.text());
        let shadows: Vec<String> = pin.shadows.iter().map(|spot| spot.text()).collect();
        assert_eq!(
            loaded.get("shadows").cloned().unwrap_or(json!([])),
            json!(shadows)
        );
    }
}
