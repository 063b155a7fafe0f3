//! What of the answers the rest of a trace refers to.

use std::collections::BTreeMap;

use hyper::Method;
use serde_json::Value;

use super::requests::Request;
use crate::harness::Response;

#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Offers, each with whom it was made to.
    pub(super) offers: Vec<(usize, String)>,
    /// The digest of a skill as it was last, by its path.
    pub(super) digests: BTreeMap<String, String>,
    /// Proposals as they were answered last, by their ids.
    pub(super) proposals: BTreeMap<String, Value>,
    /// Where lists go on.
    pub(super) next: Vec<(usize, String)>,
    /// Requests with an idempotency key.
    pub(super) keyed: Vec<Request>,
}

impl Memory {
    pub(super) fn learn(&mut self, request: &Request, answer: &Response) {
        if request
            .headers
            .iter()
            .any(|(name, _)| *name == "idempotency-key")
        {
            self.keyed.push(request.clone());
        }
        if !answer.status.is_success() {
            return;
        }
        if let Some(offer) = answer.body["offer"].as_str() {
            self.offers.push((request.who, offer.to_owned()));
        }
        if let (&Method::PUT, Some(digest)) = (&request.method, answer.body["digest"].as_str()) {
            self.digests.insert(request.path.clone(), digest.to_owned());
        }
        let is_proposal = request.path.starts_with("/v1/proposals");
        if let (true, Some(id)) = (is_proposal, answer.body["id"].as_str()) {
            let known = self.proposals.entry(id.to_owned()).or_default();
            if answer.body["digest"].is_string() {
                answer.body.clone_into(known);
            }
        }
        if let Some(cursor) = answer.body["next_cursor"].as_str() {
            let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
            let kept: Vec<&str> = query
                .split('&')
                .filter(|part| !part.is_empty() && !part.starts_with("cursor="))
                .collect();
            let next = format!("{path}?{}&cursor={cursor}", kept.join("&"));
            self.next.push((request.who, next.replace("?&", "?")));
        }
    }
}
