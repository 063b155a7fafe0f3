//! Operations on skills.

use hyper::Method;
use serde_json::json;

use super::super::cast::{CAST, ROOT, TENANTS};
use super::super::model::{Model, Spot, body, description, verb_text};
use super::super::ops::{NAMES, Op, Place, Pre, Verb};
use super::Driver;
use super::request::{Request, agree};

/// An operation that can be done again under its key.
#[derive(Clone, Copy)]
pub(super) struct Attempt<'a> {
    pub(super) op: &'a Op,
    pub(super) key: Option<u8>,
    pub(super) reason: &'static str,
}

impl Driver {
    pub(super) async fn publish(&mut self, place: Place, name: usize, text: u8, pre: Pre) {
        let (who, spot) = fit(place);
        let content = json!({"description": description(name, text), "body": body(name, text)});
        let headers = self.precondition(spot, name, pre);
        let path = format!("/v1/skills/{}/{}", spot.text(), NAMES[name]);
        let request = Request {
            who,
            method: Method::PUT,
            path,
            headers,
            payload: Some(content),
            key: None,
        };
        let Some(answer) = self.send(&request).await else {
            return;
        };
        if answer.status.is_success() {
            let digest = answer.text("digest");
            let known = self
                .model
                .digests
                .entry((name, text))
                .or_insert(digest.clone());
            assert_eq!(*known, digest, "a digest is a function of the content");
        }
        let digest = self
            .model
            .digests
            .get(&(name, text))
            .cloned()
            .unwrap_or_default();
        self.settle(
            &request,
            &answer,
            "publish-skill",
            spot,
            false,
            |model, who| model.publish(who, spot, name, text, pre, &digest),
        );
        self.history(spot, name).await;
    }

    pub(super) async fn rollback(
        &mut self,
        attempt: Attempt<'_>,
        place: Place,
        name: usize,
        to: u32,
        pre: Pre,
    ) {
        let (who, spot, name) = self.existing(place, name);
        let request = Request {
            who,
            method: Method::POST,
            path: format!("/v1/skills/{}/{}/rollback", spot.text(), NAMES[name]),
            headers: self.precondition(spot, name, pre),
            payload: Some(json!({"to": to, "reason": attempt.reason})),
            key: attempt.key,
        };
        let Some(answer) = self.send(&request).await else {
            return;
        };
        self.keep(attempt);
        self.settle(
            &request,
            &answer,
            "rollback-skill",
            spot,
            false,
            |model, who| model.rollback(who, spot, name, to, pre),
        );
        self.history(spot, name).await;
    }

    pub(super) async fn verb(
        &mut self,
        attempt: Attempt<'_>,
        place: Place,
        name: usize,
        verb: Verb,
        revision: Option<u32>,
        pre: Pre,
    ) {
        let (who, spot, name) = self.existing(place, name);
        let switches = matches!(verb, Verb::Disable | Verb::Enable);
        let recalls = matches!(verb, Verb::Quarantine | Verb::Release | Verb::Revoke);
        let mut payload = json!({"reason": attempt.reason});
        if let Some(number) = revision.filter(|_| recalls) {
            payload["revision"] = number.into();
        }
        let request = Request {
            who,
            method: Method::POST,
            path: format!(
                "/v1/skills/{}/{}/{}",
                spot.text(),
                NAMES[name],
                verb_text(verb)
            ),
            headers: if switches {
                self.precondition(spot, name, pre)
            } else {
                Vec::new()
            },
            payload: Some(payload),
            key: attempt.key,
        };
        let Some(answer) = self.send(&request).await else {
            return;
        };
        self.keep(attempt);
        let action = format!("{}-skill", verb_text(verb));
        let shared_only = matches!(verb, Verb::Seal | Verb::Unseal);
        self.settle(
            &request,
            &answer,
            &action,
            spot,
            shared_only,
            |model, who| model.verb(who, spot, name, verb, revision, pre),
        );
        self.history(spot, name).await;
    }

    pub(super) async fn archive(&mut self, place: Place, name: usize, pre: Pre) {
        let (who, spot, name) = self.existing(place, name);
        let request = Request {
            who,
            method: Method::DELETE,
            path: format!("/v1/skills/{}/{}", spot.text(), NAMES[name]),
            headers: self.precondition(spot, name, pre),
            payload: None,
            key: None,
        };
        let Some(answer) = self.send(&request).await else {
            return;
        };
        self.settle(
            &request,
            &answer,
            "archive-skill",
            spot,
            false,
            |model, who| model.archive(who, spot, name, pre),
        );
        self.history(spot, name).await;
    }

    pub(super) async fn hide(
        &mut self,
        attempt: Attempt<'_>,
        who: usize,
        tenant: usize,
        name: usize,
        show: bool,
    ) {
        // Every second one comes from who may.
        let who = if who.is_multiple_of(2) {
            1 + tenant
        } else {
            who
        };
        let verb = if show { "show" } else { "hide" };
        let request = Request {
            who,
            method: Method::POST,
            path: format!("/v1/skills/global/{}/{verb}", NAMES[name]),
            headers: Vec::new(),
            payload: Some(json!({"tenant": TENANTS[tenant], "reason": attempt.reason})),
            key: attempt.key,
        };
        let Some(answer) = self.send(&request).await else {
            return;
        };
        self.keep(attempt);
        let spot = Spot::Tenant(tenant);
        self.settle(
            &request,
            &answer,
            &format!("{verb}-skill"),
            spot,
            false,
            |model, who| model.hide(who, tenant, name, show),
        );
    }

    pub(super) async fn recall(
        &mut self,
        place: Place,
        name: usize,
        text: u8,
        reason: &'static str,
    ) {
        let (who, spot, name) = self.existing(place, name);
        let unknown = format!("sha256:{}", "0".repeat(64));
        let digest = self
            .model
            .digests
            .get(&(name, text))
            .cloned()
            .unwrap_or(unknown);
        let request = Request {
            who,
            method: Method::POST,
            path: "/v1/recall".to_owned(),
            headers: Vec::new(),
            payload: Some(json!({"digest": digest, "reason": reason})),
            key: None,
        };
        let Some(answer) = self.send(&request).await else {
            return;
        };
        let ground = self.session(who).ground;
        let expected = self.model.recall(&CAST[who], ground, &digest);
        agree(&answer, &expected, &request);
        self.history(spot, name).await;
    }

    /// Whoever is sent, and to which skill: mostly one that is there.
    fn existing(&self, place: Place, name: usize) -> (usize, Spot, usize) {
        let (who, spot) = fit(place);
        let there = self.model.skills.len();
        if !place.fit || there == 0 || self.model.skills.contains_key(&(spot, name)) {
            return (who, spot, name);
        }
        let nth = (place.who * NAMES.len() + name) % there;
        let (spot, name) = *self.model.skills.keys().nth(nth).unwrap();
        (Model::writer_of(spot), spot, name)
    }

    fn keep(&mut self, attempt: Attempt<'_>) {
        if attempt.key.is_some() {
            self.keyed.push(attempt.op.clone());
        }
    }
}

/// Whoever is sent, and where to.
fn fit(place: Place) -> (usize, Spot) {
    let spot = CAST[place.who].spot(place.at);
    let who = match spot {
        Spot::Global if place.fit => ROOT,
        Spot::Tenant(tenant) if place.fit => 1 + tenant,
        _ => place.who,
    };
    (who, spot)
}
