//! Proposals over HTTP: making, reading and deciding them.

mod content;
mod deciding;
mod endings;
mod histories;
mod own_scope;
mod reading;
mod settings;

use serde_json::{Value, json};

use crate::harness::{Client, People, Response, TestServer, content as skill};

/// A proposal for the refunds of acme, that says this.
pub(crate) fn proposal(scope: &str, name: &str, text: &str) -> Value {
    let mut body = skill(text);
    body["scope"] = scope.into();
    body["name"] = name.into();
    body["rationale"] = format!("It was learned that {text}.").into();
    body
}

impl Client {
    /// Proposes.
    pub(crate) async fn propose(&self, scope: &str, name: &str, text: &str) -> Response {
        self.post("/v1/proposals", proposal(scope, name, text))
            .await
    }

    /// Reads a proposal.
    pub(crate) async fn proposal(&self, id: &str) -> Response {
        self.get(&format!("/v1/proposals/{id}")).await
    }

    /// Does something to a proposal.
    pub(crate) async fn on_proposal(&self, id: &str, verb: &str, body: Value) -> Response {
        self.post(&format!("/v1/proposals/{id}/{verb}"), body).await
    }

    /// Approves what the proposal says now.
    pub(crate) async fn approve(&self, id: &str) -> Response {
        let page = self.proposal(id).await.expect(200);
        self.on_proposal(id, "decision", approval(&page.body)).await
    }

    /// Rejects what the proposal says now.
    pub(crate) async fn reject(&self, id: &str) -> Response {
        let page = self.proposal(id).await.expect(200);
        let body = json!({"decision": "reject", "digest": page.text("digest"), "reason": "a test"});
        self.on_proposal(id, "decision", body).await
    }

    /// The state of a proposal.
    pub(crate) async fn state_of(&self, id: &str) -> String {
        self.proposal(id).await.expect(200).text("state")
    }
}

/// The approval of what a page or a change says.
pub(crate) fn approval(of: &Value) -> Value {
    let mut body = json!({"decision": "approve", "digest": of["digest"]});
    if let Some(base) = of["base"]["digest"].as_str() {
        body["base"] = base.into();
    }
    body
}

/// Settings of reviews, beside the usual ones.
pub(crate) async fn set(people: &People, tenant: &str, reviews: Value) {
    let mut body = json!({
        "max_cap": 200, "agent_own_scope": "allow", "skills_per_actor": 200,
        "skills_per_tenant": 2_000, "revisions_per_skill": 1_000,
        "required_approvals": 1, "approvers": [], "distinct_human": "auto", "review_names": [],
        "review_severity": "off",
        "proposal_days": 30, "max_open_proposals": 20,
    });
    for (name, value) in reviews.as_object().unwrap() {
        body[name] = value.clone();
    }
    let path = format!("/v1/tenants/{tenant}/settings");
    people.root.put(&path, body).await.expect(200);
}

/// A server with the usual people, and acme's refunds.
async fn begin() -> (TestServer, People) {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    people
        .elevated("maria", "tenant:acme")
        .await
        .create("tenant:acme", "refunds", "refunds")
        .await
        .expect(201);
    (server, people)
}

/// What the audit log of acme says of this action.
async fn records(people: &People, action: &str) -> Vec<Value> {
    let ines = people.human("ines").await;
    let page = ines
        .get(&format!("/v1/audit?log=tenant&action={action}&limit=200"))
        .await
        .expect(200);
    page.body["items"].as_array().unwrap().clone()
}
