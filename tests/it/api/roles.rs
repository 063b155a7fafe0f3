//! Roles of agents: what they are told, and what only they are offered (design §§2.2, 4.2).

use hyper::Method;
use serde_json::{Value, json};

use crate::harness::{Client, People, Response, TestServer, content};

/// Creates the instruction of a role.
pub(crate) async fn instruct(client: &Client, scope: &str, role: &str, body: Value) -> Response {
    let path = format!("/v1/roles/{scope}/{role}");
    let new = [("if-none-match", "*")];
    client.send(Method::PUT, &path, &new, Some(body)).await
}

/// Attaches skills of a scope to a role: all that it has then.
pub(crate) async fn attach(client: &Client, scope: &str, role: &str, skills: Value) -> Response {
    let path = format!("/v1/roles/{scope}/{role}/attachments");
    client.put(&path, json!({"skills": skills})).await
}

async fn names(client: &Client, role: Option<&str>) -> Vec<String> {
    let mut body = json!({});
    if let Some(role) = role {
        body["role"] = role.into();
    }
    let catalog = client.post("/v1/catalog", body).await.expect(200);
    let entries = catalog.body["entries"].as_array().unwrap();
    let names = entries.iter().map(|entry| entry["name"].as_str().unwrap());
    names.map(ToOwned::to_owned).collect()
}

async fn listed(client: &Client, query: &str) -> Vec<String> {
    let list = client.get(&format!("/v1/skills{query}")).await.expect(200);
    let items = list.body["items"].as_array().unwrap();
    let names = items.iter().map(|item| item["name"].as_str().unwrap());
    names.map(ToOwned::to_owned).collect()
}

async fn begin() -> (TestServer, People, Client, Client) {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let agent = people.agent("acme", "tom", "bot").await;
    (server, people, maria, agent)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_role_is_told_is_governed_like_a_skill() {
    let (_server, people, maria, agent) = begin().await;
    let tom = people.human("tom").await;
    // Invariants 2 and 3: nobody but an elevated publisher writes it at the tenant.
    let refused = instruct(&agent, "tenant:acme", "support", content("be kind")).await;
    assert_eq!(refused.expect(403).rule(), "humans-only");
    let refused = instruct(&tom, "tenant:acme", "support", content("be kind")).await;
    assert_eq!(refused.expect(403).rule(), "needs-elevation");
    let made = instruct(&maria, "tenant:acme", "support", content("be kind")).await;
    assert_eq!(made.expect(201).text("name"), "role:support");
    // Once per scope and kind: a skill of the same name is another thing.
    instruct(&maria, "tenant:acme", "support", content("again"))
        .await
        .expect_problem(412, "precondition-failed");
    maria
        .create("tenant:acme", "support", "a skill")
        .await
        .expect(201);

    let item = "/v1/skills/tenant:acme/role:support";
    let again = [("if-match", "*")];
    maria
        .send(Method::PUT, item, &again, Some(content("be kinder")))
        .await
        .expect(200);
    let read = maria.get("/v1/roles/tenant:acme/support").await.expect(200);
    assert_eq!(read.body["revision"], 2);
    assert_eq!(read.body["kind"], "role-instruction");
    assert!(read.text("body").contains("be kinder"), "{}", read.body);
    let read = maria
        .get("/v1/skills/tenant:acme/support")
        .await
        .expect(200);
    assert_eq!(
        (&read.body["revision"], &read.body["kind"]),
        (&json!(1), &json!("skill"))
    );
    // An agent gets the metadata and no body (design §2.4).
    let seen = agent.get(item).await.expect(200);
    assert!(seen.body["body"].is_null(), "{}", seen.body);

    // All that is done to skills is done to it, and the history says so.
    let diff = maria.get(&format!("{item}/diff?from=1&to=2")).await;
    assert!(diff.expect(200).text("unified").contains("+"), "a change");
    for (verb, status) in [
        ("rollback", 200),
        ("disable", 200),
        ("enable", 200),
        ("seal", 200),
        ("unseal", 200),
        ("quarantine", 200),
        ("release", 200),
    ] {
        let mut body = json!({"reason": "a test"});
        if verb == "rollback" {
            body["to"] = 1.into();
        }
        maria
            .post(&format!("{item}/{verb}"), body)
            .await
            .expect(status);
    }
    let history = maria.get(&format!("{item}/revisions")).await.expect(200);
    assert_eq!(history.body["items"].as_array().unwrap().len(), 3);

    // It is listed as what it is, and stands in no catalog.
    assert_eq!(
        listed(&maria, "?scope=tenant:acme&kind=role-instruction").await,
        ["support"]
    );
    assert_eq!(listed(&maria, "?scope=tenant:acme").await, ["support"]);
    assert_eq!(names(&agent, Some("support")).await, ["support"]);
    let log = maria
        .get("/v1/audit?action=rollback-skill")
        .await
        .expect(200);
    assert_eq!(log.body["items"][0]["target"], "tenant:acme/role:support");

    maria
        .delete("/v1/roles/tenant:acme/support")
        .await
        .expect(200);
    assert_eq!(
        listed(&maria, "?scope=tenant:acme&kind=role-instruction").await,
        [""; 0]
    );
    assert_eq!(listed(&maria, "?scope=tenant:acme").await, ["support"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_proposes_what_a_role_is_told_and_a_human_publishes_it() {
    let (_server, _people, maria, agent) = begin().await;
    let mut body = content("ask before you refund");
    body["scope"] = "tenant:acme".into();
    body["name"] = "role:support".into();
    body["rationale"] = "It went wrong twice.".into();
    let made = agent.post("/v1/proposals", body).await.expect(201);
    let id = made.text("id");
    let read = maria.get(&format!("/v1/proposals/{id}")).await.expect(200);
    assert_eq!(read.body["name"], "role:support");
    let approval = json!({"decision": "approve", "digest": read.body["digest"]});
    maria
        .post(&format!("/v1/proposals/{id}/decision"), approval)
        .await
        .expect(200);
    let role = maria.get("/v1/roles/tenant:acme/support").await.expect(200);
    assert_eq!(role.body["digest"], read.body["digest"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_attached_to_roles_is_offered_to_those_only() {
    let (_server, people, maria, agent) = begin().await;
    for name in ["billing", "refunds", "tone"] {
        maria.create("tenant:acme", name, name).await.expect(201);
    }
    people
        .root
        .create("global", "refunds", "refunds of all")
        .await
        .expect(201);
    assert_eq!(names(&agent, None).await, ["billing", "refunds", "tone"]);

    let attached = attach(
        &maria,
        "tenant:acme",
        "support",
        json!([{"name": "refunds"}, {"name": "billing"}]),
    )
    .await
    .expect(200);
    assert_eq!(attached.body["unchanged"], false);
    attach(&maria, "tenant:acme", "sales", json!([{"name": "billing"}]))
        .await
        .expect(200);
    // Invariant 19: the very next catalog follows; invariant 9: the listing is the same.
    for (role, expected) in [
        // Without the tenant's, the global one is not overridden by it.
        (None, vec!["tone", "refunds"]),
        (Some("support"), vec!["billing", "refunds", "tone"]),
        (Some("sales"), vec!["billing", "tone", "refunds"]),
        (Some("nobody"), vec!["tone", "refunds"]),
    ] {
        assert_eq!(names(&agent, role).await, expected, "{role:?}");
        let query = role.map_or(String::new(), |role| format!("?role={role}"));
        assert_eq!(listed(&agent, &query).await, expected, "{role:?}");
    }
    let scope = maria.get("/v1/skills?scope=tenant:acme").await.expect(200);
    assert_eq!(scope.body["items"][0]["roles"], json!(["sales", "support"]));
    assert!(scope.body["items"][2]["roles"].is_null());
    let why = agent
        .get("/v1/explain/catalog?role=sales")
        .await
        .expect(200);
    let place = |name: &str, scope: &str| {
        let items = why.body["items"].as_array().unwrap();
        let item = items
            .iter()
            .find(|item| item["name"] == name && item["scope"] == scope)
            .unwrap();
        item["place"].clone()
    };
    assert_eq!(place("refunds", "tenant:acme"), "other-role");
    assert_eq!(place("refunds", "global"), "offered");
    assert_eq!(place("billing", "tenant:acme"), "offered");

    // Nobody loads what is for another role (invariant 11).
    let offer = agent
        .post("/v1/catalog", json!({"role": "sales"}))
        .await
        .expect(200)
        .text("offer");
    let loaded = agent.load(&offer, "refunds").await.expect(200);
    assert_eq!(loaded.text("scope"), "global");

    // Who follows changes learns of it, as catalogs change.
    let events = agent.get("/v1/events?since=start&wait=0").await.expect(200);
    let told = String::from_utf8_lossy(&events.bytes).into_owned();
    assert_eq!(told.matches("attach-skills").count(), 2, "{told}");
    assert!(told.contains("role:support"), "{told}");

    // What is said twice is said once; what changed meanwhile is not overwritten.
    let same = json!([{"name": "billing"}, {"name": "refunds"}]);
    let again = attach(&maria, "tenant:acme", "support", same).await;
    assert_eq!(again.expect(200).body["unchanged"], true);
    let path = "/v1/roles/tenant:acme/support/attachments";
    let read = agent.get(path).await.expect(200);
    assert_eq!(read.etag(), attached.etag());
    let stale = format!("\"{}\"", "0".repeat(64));
    maria
        .send(
            Method::PUT,
            path,
            &[("if-match", &stale)],
            Some(json!({"skills": []})),
        )
        .await
        .expect_problem(412, "precondition-failed");
    let tag = format!("\"{}\"", read.etag());
    maria
        .send(
            Method::PUT,
            path,
            &[("if-match", &tag)],
            Some(json!({"skills": []})),
        )
        .await
        .expect(200);
    attach(&maria, "tenant:acme", "sales", json!([]))
        .await
        .expect(200);
    assert_eq!(names(&agent, None).await, ["billing", "refunds", "tone"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn attachments_are_refused_where_they_make_no_sense() {
    let (_server, _people, maria, agent) = begin().await;
    maria
        .create("tenant:acme", "tone", "tone")
        .await
        .expect(201);
    let refused = attach(&agent, "tenant:acme", "support", json!([])).await;
    assert_eq!(refused.expect(403).rule(), "humans-only");
    attach(
        &maria,
        "tenant:acme",
        "support",
        json!([{"name": "absent"}]),
    )
    .await
    .expect_problem(422, "invalid-content");
    attach(
        &maria,
        "tenant:acme",
        "support",
        json!([{"name": "tone"}, {"name": "tone"}]),
    )
    .await
    .expect_problem(422, "invalid-content");
    attach(
        &maria,
        "tenant:acme",
        "support",
        json!([{"name": "tone", "mode": "loud"}]),
    )
    .await
    .expect_problem(400, "malformed");
    let many: Vec<Value> = (0..201).map(|n| json!({"name": format!("s{n}")})).collect();
    attach(&maria, "tenant:acme", "support", many.into())
        .await
        .expect_problem(422, "invalid-content");
    attach(&maria, "tenant:acme", "Support", json!([]))
        .await
        .expect_problem(422, "invalid-name");
    attach(&maria, "tenant:globex", "support", json!([]))
        .await
        .expect_problem(403, "refused");
    agent
        .get("/v1/skills?kind=role-instruction")
        .await
        .expect_problem(400, "malformed");
    agent
        .get("/v1/skills?scope=tenant:acme&role=support")
        .await
        .expect_problem(400, "malformed");
    // The actor's own scope is the actor's, for this too.
    agent
        .create("actor:tom", "notes", "notes")
        .await
        .expect(201);
    attach(&agent, "actor:tom", "support", json!([{"name": "notes"}]))
        .await
        .expect(200);
    assert_eq!(names(&agent, None).await, ["tone"]);
    assert_eq!(names(&agent, Some("support")).await, ["notes", "tone"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_is_ambient_as_it_says_or_as_its_attachment_does() {
    let (_server, _people, maria, agent) = begin().await;
    let mut body = content("always");
    body["mode"] = "ambient".into();
    let path = "/v1/skills/tenant:acme/always";
    let new = [("if-none-match", "*")];
    let made = maria
        .send(Method::PUT, path, &new, Some(body))
        .await
        .expect(201);
    let read = maria.get(path).await.expect(200);
    assert_eq!(read.body["mode"], "ambient");
    assert_eq!(
        read.body["frontmatter"],
        json!({"metadata": {"mode": "ambient"}})
    );
    assert_eq!(made.body["digest"], read.body["digest"]);
    maria
        .create("tenant:acme", "tone", "tone")
        .await
        .expect(201);
    // It stands outside the catalog and its cap.
    assert_eq!(names(&agent, None).await, ["tone"]);
    let why = agent.get("/v1/explain/catalog").await.expect(200);
    assert_eq!(why.body["items"][0]["place"], "ambient");
    // Ambient skills override one another, and why one opens nothing is said too.
    let mut own = content("mine");
    own["mode"] = "ambient".into();
    agent
        .send(Method::PUT, "/v1/skills/actor:tom/always", &new, Some(own))
        .await
        .expect(201);
    let why = agent.get("/v1/explain/catalog").await.expect(200);
    let items = why.body["items"].as_array().unwrap();
    let places: Vec<&str> = items
        .iter()
        .map(|item| item["place"].as_str().unwrap())
        .collect();
    assert_eq!(places, ["ambient", "shadowed", "offered"], "{}", why.body);
    maria
        .verb("tenant:acme", "always", "seal")
        .await
        .expect(200);
    let why = agent.get("/v1/explain/catalog").await.expect(200);
    assert_eq!(why.body["items"][0]["place"], "blocked", "{}", why.body);
    maria
        .verb("tenant:acme", "always", "unseal")
        .await
        .expect(200);
    agent
        .delete("/v1/skills/actor:tom/always")
        .await
        .expect(200);

    attach(
        &maria,
        "tenant:acme",
        "support",
        json!([{"name": "always", "mode": "triggered"}, {"name": "tone", "mode": "ambient"}]),
    )
    .await
    .expect(200);
    assert_eq!(names(&agent, Some("support")).await, ["always"]);
    assert_eq!(names(&agent, Some("sales")).await, [""; 0]);

    // Content that says two things says nothing.
    let mut body = content("both");
    body["mode"] = "triggered".into();
    body["frontmatter"] = json!({"metadata": {"mode": "ambient"}});
    maria
        .send(Method::PUT, "/v1/skills/tenant:acme/both", &new, Some(body))
        .await
        .expect_problem(422, "invalid-content");
    // A word of somebody else's is inert.
    let mut body = content("fast");
    body["frontmatter"] = json!({"metadata": {"mode": "fast"}});
    maria
        .send(Method::PUT, "/v1/skills/tenant:acme/fast", &new, Some(body))
        .await
        .expect(201);
    assert_eq!(names(&agent, None).await, ["fast"]);
}

/// What a publication would do says of openings what it says of catalogs.
#[tokio::test(flavor = "multi_thread")]
async fn the_impact_is_on_whom_it_reaches() {
    let (_server, mut people, maria, agent) = begin().await;
    people
        .agent("acme", "mia", "other")
        .await
        .turn("t")
        .await
        .expect(200);
    agent.turn("t").await.expect(200);
    let mut ambient = content("always");
    ambient["mode"] = "ambient".into();
    let check = maria
        .post("/v1/skills/tenant:acme/always/check", ambient.clone())
        .await
        .expect(200);
    assert_eq!(check.body["impact"]["of"], "openings", "{}", check.body);
    assert_eq!(
        check.body["impact"]["gains"]["actors"],
        check.body["impact"]["actors"]
    );
    let new = [("if-none-match", "*")];
    let path = "/v1/skills/tenant:acme/always";
    maria
        .send(Method::PUT, path, &new, Some(ambient))
        .await
        .expect(201);
    let gone = maria
        .get(&format!("{path}/impact?action=archive"))
        .await
        .expect(200);
    assert_eq!(gone.body["impact"]["of"], "openings");
    assert_eq!(
        gone.body["impact"]["loses"]["actors"],
        gone.body["impact"]["actors"]
    );

    maria
        .create("tenant:acme", "tone", "tone")
        .await
        .expect(201);
    attach(&maria, "tenant:acme", "support", json!([{"name": "tone"}]))
        .await
        .expect(200);
    let gone = maria
        .get("/v1/skills/tenant:acme/tone/impact?action=disable")
        .await
        .expect(200);
    let impact = &gone.body["impact"];
    assert_eq!(
        (&impact["of"], &impact["role"]),
        (&json!("catalogs"), &json!("support"))
    );
    assert_eq!(impact["loses"]["actors"], impact["actors"]);
}

/// A scope gives skills to so many roles and no more; what is archived stays in the lists that it is in, and may come back.
#[tokio::test(flavor = "multi_thread")]
async fn attachments_are_bounded_and_outlive_an_archive() {
    let (_server, _people, _maria, agent) = begin().await;
    agent
        .create("actor:tom", "notes", "notes")
        .await
        .expect(201);
    let one = json!([{"name": "notes"}]);
    for number in 0..50 {
        attach(&agent, "actor:tom", &format!("role-{number}"), one.clone())
            .await
            .expect(200);
    }
    attach(&agent, "actor:tom", "role-50", one.clone())
        .await
        .expect_problem(422, "quota-exceeded");
    attach(&agent, "actor:tom", "role-0", json!([]))
        .await
        .expect(200);
    attach(&agent, "actor:tom", "role-50", one.clone())
        .await
        .expect(200);
    agent.delete("/v1/skills/actor:tom/notes").await.expect(200);
    assert_eq!(names(&agent, Some("role-50")).await, [""; 0]);
    let again = attach(&agent, "actor:tom", "role-50", one).await;
    assert_eq!(again.expect(200).body["unchanged"], true);
    agent
        .create("actor:tom", "notes", "notes again")
        .await
        .expect_one_of(&[200, 201]);
    assert_eq!(names(&agent, Some("role-50")).await, ["notes"]);
    assert_eq!(names(&agent, None).await, [""; 0]);
}
