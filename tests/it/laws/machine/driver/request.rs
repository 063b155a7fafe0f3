//! Sends a request, decides it in the model, and compares the answers.

use hyper::Method;
use serde_json::Value;

use super::super::cast::{Actor, CAST};
use super::super::model::{Expected, Model, Remembered, Spot};
use super::super::ops::Pre;
use super::{DAY, Driver};
use crate::harness::Response;

/// A request, for sending and for the message of a failure.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) who: usize,
    pub(super) method: Method,
    pub(super) path: String,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) payload: Option<Value>,
    pub(super) key: Option<u8>,
}

impl Driver {
    /// Sends a request when its sender's token is good. With one that has expired, or whose authority has ended, it must
    /// be refused and is over; the sender then gets a new one if it may.
    pub(super) async fn send(&mut self, request: &Request) -> Option<Response> {
        self.fresh(request.who).await;
        let session = self.sessions[request.who].as_ref()?;
        let mut headers: Vec<(&str, &str)> = request
            .headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let key = request.key.map(|key| format!("key-{key}"));
        if let Some(key) = &key {
            headers.push(("idempotency-key", key));
        }
        let answer = session
            .client
            .send(
                request.method.clone(),
                &request.path,
                &headers,
                request.payload.clone(),
            )
            .await;
        if self.model.stands(&CAST[request.who], session.ground) {
            return Some(answer);
        }
        answer.expect_problem(401, "authority-ended");
        self.renew(request.who).await;
        None
    }

    pub(super) fn precondition(
        &self,
        spot: Spot,
        name: usize,
        pre: Pre,
    ) -> Vec<(&'static str, String)> {
        let nothing = format!("sha256:{}", "0".repeat(64));
        let current = self
            .model
            .current_digest(spot, name)
            .unwrap_or(nothing.clone());
        match pre {
            Pre::None => Vec::new(),
            Pre::Fit if self.model.is_there(spot, name) => {
                vec![("if-match", format!("\"{current}\""))]
            }
            Pre::Fit => vec![("if-none-match", "*".to_owned())],
            Pre::Absent => vec![("if-none-match", "*".to_owned())],
            Pre::Any => vec![("if-match", "*".to_owned())],
            Pre::Current => vec![("if-match", format!("\"{current}\""))],
            Pre::Stale => {
                let earlier = self
                    .model
                    .skills
                    .get(&(spot, name))
                    .and_then(|skill| {
                        skill
                            .revisions
                            .iter()
                            .find(|revision| revision.digest != current)
                    })
                    .map_or(nothing, |revision| revision.digest.clone());
                vec![("if-match", format!("\"{earlier}\""))]
            }
        }
    }

    /// Decides in the model, remembers under the idempotency key, and compares with the answer.
    pub(super) fn settle(
        &mut self,
        request: &Request,
        answer: &Response,
        action: &str,
        spot: Spot,
        shared_only: bool,
        work: impl FnOnce(&mut Model, &Actor) -> Expected,
    ) {
        let who = &CAST[request.who];
        let ground = self.session(request.who).ground;
        let model = &mut self.model;
        if let Some(rule) = model.refused(who, ground, spot, shared_only) {
            let expected = model.refuse(who, action, spot.text(), rule);
            return agree(answer, &expected, request);
        }
        let id = request.key.map(|key| {
            let route = format!("{} {}", request.method, request.path);
            (who.tenant, who.principal(), route, key)
        });
        let payload = request
            .payload
            .as_ref()
            .map(Value::to_string)
            .unwrap_or_default();
        let before = id
            .as_ref()
            .and_then(|id| model.remembered.get(id))
            .filter(|before| before.at + DAY > model.now);
        let expected = match before {
            Some(before) if before.payload == payload => Expected::Ok(200, before.answer.clone()),
            Some(_) => Expected::Problem(422, "idempotency-mismatch"),
            None => {
                let expected = work(model, who);
                if let (Some(id), Expected::Ok(_, answer)) = (id, &expected) {
                    let remembered = Remembered {
                        payload,
                        answer: answer.clone(),
                        at: model.now,
                    };
                    model.remembered.insert(id, remembered);
                }
                expected
            }
        };
        agree(answer, &expected, request);
    }
}

#[track_caller]
pub(super) fn agree(answer: &Response, expected: &Expected, request: &Request) {
    let (status, agrees) = match expected {
        Expected::Ok(status, body) => (*status, answer.body == *body),
        Expected::Problem(status, code) => (*status, answer.code() == *code),
        Expected::Refused(rule) => (403, answer.code() == "refused" && answer.rule() == *rule),
    };
    assert!(
        answer.status.as_u16() == status && agrees,
        "{request:?} as {:?}\nanswered {} {}\nexpected {expected:?}",
        CAST[request.who],
        answer.status,
        answer.body
    );
}
