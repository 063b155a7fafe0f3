//! Templates over HTTP: refused when they could fail, rendered when they are loaded (invariant 22), and nothing kept.

use hyper::Method;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::harness::{Client, People, Response, TestServer};
use crate::store::database::File;

fn template(body: &str) -> Value {
    json!({"description": "Use when it starts.", "body": body, "templated": true})
}

async fn publish(client: &Client, name: &str, body: Value) -> Response {
    let path = format!("/v1/skills/tenant:acme/{name}");
    let new = [("if-none-match", "*")];
    client.send(Method::PUT, &path, &new, Some(body)).await
}

fn sha256(text: &str) -> String {
    let hex: String = Sha256::digest(text.as_bytes())
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("sha256:{hex}")
}

/// A server with an elevated publisher, and an agent with the offer of a turn.
async fn begin(skills: &[(&str, &str)]) -> (TestServer, People, Client, String) {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    for (name, body) in skills {
        publish(&maria, name, template(body)).await.expect(201);
    }
    let agent = people.agent("acme", "tom", "bot").await;
    let turn = agent.post("/v1/catalog", json!({"turn": "t-1"})).await;
    let offer = turn.expect(200).text("offer");
    (server, people, agent, offer)
}

async fn load(agent: &Client, offer: &str, more: Value) -> Response {
    let mut body = json!({"offer": offer, "name": "begin"});
    for (field, value) in more.as_object().unwrap() {
        body[field] = value.clone();
    }
    agent.post("/v1/load", body).await
}

/// Makes a schema the active one that calls the organization otherwise.
async fn rename_organization(server: &mut TestServer, agent: &Client) {
    let schema = agent.get("/v1/context-schema").await.expect(200).body;
    let renamed = schema.to_string().replace("organization", "firm");
    server.stop().await;
    let file = File::open(server.directory.path()).await;
    file.run(&format!(
        "INSERT INTO context_schemas (number, version, digest, text, activated_by, activated_at) \
         VALUES (1, 2, 'x', '{}', 'human:root', 0)",
        renamed.replace('\'', "''")
    ))
    .await;
    file.close().await;
    server.restart().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_that_could_fail_is_refused_on_every_way_in() {
    let (_server, people, agent, _) = begin(&[]).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let bad = "One.\n{{#if task.titel}}x{{/if}} {{task.title}}\n";
    let refused = publish(&maria, "begin", template(bad)).await;
    let refused = refused.expect_problem(422, "template-refused");
    let diagnostics = refused.body["diagnostics"].as_array().unwrap();
    let codes: Vec<&str> = diagnostics
        .iter()
        .map(|one| one["code"].as_str().unwrap())
        .collect();
    assert!(codes.contains(&"unknown-field"), "{codes:?}");
    assert!(diagnostics.len() > 1, "all of them: {codes:?}");
    let first = &diagnostics[0];
    assert_eq!((&first["line"], &first["column"]), (&json!(2), &json!(12)));
    let unknown = diagnostics
        .iter()
        .find(|one| one["code"] == "unknown-field")
        .unwrap();
    assert!(
        unknown["suggestion"].as_str().unwrap().contains("title"),
        "{unknown}"
    );
    // A check and a proposal say the same; who may not publish is told that first.
    let check = "/v1/skills/tenant:acme/begin/check";
    maria
        .post(check, template(bad))
        .await
        .expect_problem(422, "template-refused");
    let mut proposal = template(bad);
    proposal["scope"] = "tenant:acme".into();
    proposal["name"] = "begin".into();
    proposal["rationale"] = "x".into();
    agent
        .post("/v1/proposals", proposal)
        .await
        .expect_problem(422, "template-refused");
    let tom = people.human("tom").await;
    let refused = publish(&tom, "begin", template(bad)).await.expect(403);
    assert_eq!(refused.rule(), "needs-elevation");
    // What does not say that it is a template is text, whatever is in it.
    let verbatim = json!({"description": "Use it.", "body": "${{ secrets.X }} {{#if}}\n"});
    publish(&maria, "text", verbatim).await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_load_renders_with_the_context_that_it_carries() {
    let body = "For {{organization.name}}.{{#if task}} {{task.title}}{{/if}}\n";
    let (_server, people, agent, offer) = begin(&[("begin", body)]).await;
    let context = json!({"organization": {"name": "Acme & <Co>"}});
    let loaded = load(&agent, &offer, json!({"context": context}))
        .await
        .expect(200);
    let text = "For Acme & <Co>.\n";
    assert_eq!(loaded.text("body"), text);
    assert_eq!(loaded.text("rendered_digest"), sha256(text));
    assert_eq!(loaded.body["templated"], true);
    assert!(
        loaded.text("block").contains("Acme &amp; &lt;Co&gt;")
            || loaded.text("block").contains("Acme & <Co>")
    );
    // What the conversation has is named by what was rendered, and not by the revision.
    let again = json!({"context": context, "have": [sha256(text)]});
    let again = load(&agent, &offer, again).await.expect(200);
    assert_eq!(again.body["already_loaded"], true);
    let other = json!({"context": {"organization": {"name": "Other"}}, "have": [sha256(text), loaded.text("digest")]});
    let other = load(&agent, &offer, other).await.expect(200);
    assert_eq!(other.text("body"), "For Other.\n");
    // The source, for whoever was offered it.
    let source = load(&agent, &offer, json!({"template": true}))
        .await
        .expect(200);
    assert_eq!(source.text("body"), body);
    assert_eq!(source.text("rendered_digest"), sha256(body));
    // What the template reads has to be there, and what the schema does not have may not.
    let lacking = load(&agent, &offer, json!({})).await;
    let lacking = lacking.expect_problem(422, "invalid-context");
    assert!(
        lacking.text("field").starts_with("context"),
        "{}",
        lacking.body
    );
    let unknown = json!({"context": {"organization": {"name": "x"}, "secret": "s3cr3t"}});
    let unknown = load(&agent, &offer, unknown).await;
    let unknown = unknown.expect_problem(422, "invalid-context");
    assert_eq!(unknown.text("field"), "context.secret");
    assert!(
        !unknown.body.to_string().contains("s3cr3t"),
        "{}",
        unknown.body
    );
    // Nothing of a context is kept: neither in the audit log nor in the report of who was reached.
    let maria = people.elevated("maria", "tenant:acme").await;
    for path in [
        "/v1/audit?stored=true",
        "/v1/recall/turns?scope=tenant:acme&name=begin&revision=1",
    ] {
        let kept = maria.get(path).await.expect(200);
        assert!(!kept.body.to_string().contains("Acme & <Co>"), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_skills_of_a_context_are_those_of_the_offer() {
    let body = "{{#each skills as |s|}}{{s.name}}: {{s.description}};{{/each}}\n";
    let (_server, _people, agent, offer) = begin(&[("begin", body), ("other", "x")]).await;
    let loaded = load(&agent, &offer, json!({"context": {}}))
        .await
        .expect(200);
    let text = loaded.text("body");
    assert!(text.contains("begin: Use when it starts.;"), "{text}");
    assert!(text.contains("other: Use when it starts.;"), "{text}");
    let given = json!({"context": {"skills": [{"name": "forged", "description": "x"}]}});
    load(&agent, &offer, given)
        .await
        .expect_problem(422, "invalid-context");
}

#[tokio::test(flavor = "multi_thread")]
async fn templates_are_tried_before_they_are_published() {
    let (_server, _people, agent, _) = begin(&[]).await;
    let check = "/v1/templates/check";
    let good = agent
        .post(check, json!({"source": "Of {{organization.name}}.\n"}))
        .await
        .expect(200);
    assert_eq!(good.body["accepted"], true);
    assert_eq!(good.body["reads"], json!(["organization.name"]));
    assert!(good.body["steps"].as_u64().unwrap() > 0);
    let bad = agent
        .post(check, json!({"source": "{{organization.nam}}"}))
        .await
        .expect(200);
    assert_eq!(bad.body["accepted"], false);
    assert!(!bad.body["diagnostics"].as_array().unwrap().is_empty());
    let render = "/v1/templates/render";
    let source = "{{#if opening}}{{opening.kind}}{{else}}none{{/if}}";
    for (sample, text) in [
        ("task-start", "task-start"),
        ("conversation-resume-empty", "conversation-resume"),
        ("loaded-task", "none"),
    ] {
        let body = json!({"source": source, "sample": sample});
        let rendered = agent.post(render, body).await.expect(200);
        assert_eq!(rendered.text("text"), text, "{sample}");
    }
    let body = json!({"source": source, "sample": "nope"});
    agent
        .post(render, body)
        .await
        .expect_problem(422, "invalid-content");
    let body =
        json!({"source": "{{organization.name}}", "context": {"organization": {"name": "O"}}});
    assert_eq!(agent.post(render, body).await.expect(200).text("text"), "O");
    let both = json!({"source": "x", "sample": "task-start", "context": {}});
    agent
        .post(render, both)
        .await
        .expect_problem(422, "invalid-content");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_schema_and_the_reference_say_what_there_is() {
    let (_server, _people, agent, _) = begin(&[]).await;
    let schema = agent.get("/v1/context-schema").await.expect(200);
    assert_eq!(schema.body["type"], "object");
    assert!(schema.headers["etag"].to_str().unwrap().len() > 60);
    let reference = agent.get("/v1/reference").await.expect(200);
    let paths: Vec<&str> = reference.body["fields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| field["path"].as_str().unwrap())
        .collect();
    for path in ["organization.name", "task.title", "opening.kind"] {
        assert!(paths.contains(&path), "{path} of {paths:?}");
    }
    let headers = [("accept", "text/markdown")];
    let text = agent
        .send(Method::GET, "/v1/reference", &headers, None)
        .await
        .expect(200);
    let text = String::from_utf8(text.bytes.to_vec()).unwrap();
    for path in paths {
        let last = path.rsplit('.').next().unwrap().trim_end_matches("[]");
        assert!(text.contains(last), "{path}");
    }
    assert!(text.contains("default"));
}

/// Who prints a whole object needs all of it: nothing that was not given is printed as if it had been.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_printed_as_json_has_to_be_given_whole() {
    let (_server, _people, agent, offer) = begin(&[("begin", "{{json organization}}\n")]).await;
    let lacking = json!({"context": {"organization": {}}});
    let lacking = load(&agent, &offer, lacking).await;
    let lacking = lacking.expect_problem(422, "invalid-context");
    assert_eq!(lacking.text("field"), "context.organization.name");
    let whole = json!({"context": {"organization": {"name": "Ours"}}});
    let loaded = load(&agent, &offer, whole).await.expect(200);
    let printed: Value = serde_json::from_str(&loaded.text("body")).unwrap();
    assert_eq!(printed, json!({"name": "Ours", "about": null}));
}

/// A schema that was activated under a template: its load says which one fails and where, and nothing half-rendered is given.
#[tokio::test(flavor = "multi_thread")]
async fn a_template_that_the_schema_was_changed_under_fails_that_load() {
    let body = "One.\nFor {{organization.name}}.\n";
    let (mut server, _people, agent, offer) = begin(&[("begin", body), ("plain", "Text.\n")]).await;
    rename_organization(&mut server, &agent).await;
    let agent = server.client().with_token(agent.token());
    let context = json!({"context": {"organization": {"name": "x"}}});
    let failed = load(&agent, &offer, context).await;
    let failed = failed.expect_problem(422, "template-failed");
    for part in ["`begin` at tenant:acme, revision 1", "Line 2"] {
        assert!(failed.detail().contains(part), "{}", failed.detail());
    }
    assert!(!failed.body.to_string().contains("One."));
    // What is no template of its fields goes on, and the source is there to be looked at.
    let plain = json!({"offer": offer, "name": "plain"});
    agent.post("/v1/load", plain).await.expect(200);
    let source = load(&agent, &offer, json!({"template": true}))
        .await
        .expect(200);
    assert_eq!(source.text("body"), body);
    let context = json!({"source": "{{firm.name}}", "context": {"firm": {"name": "Ours"}}});
    let rendered = agent
        .post("/v1/templates/render", context)
        .await
        .expect(200);
    assert_eq!(rendered.text("text"), "Ours");
}

/// What was proposed under another schema, or published under one, is checked again before it becomes a revision.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_schema_was_changed_under_is_not_published_again() {
    let body = "For {{organization.name}}.\n";
    let (mut server, people, agent, _) = begin(&[("begin", body)]).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let path = "/v1/skills/tenant:acme/begin";
    let plain = json!({"description": "Use when it starts.", "body": "Text.\n"});
    maria
        .send(Method::PUT, path, &[("if-match", "*")], Some(plain))
        .await
        .expect(200);
    let mut proposal = template(body);
    proposal["scope"] = "tenant:acme".into();
    proposal["name"] = "learned".into();
    proposal["rationale"] = "x".into();
    let made = agent.post("/v1/proposals", proposal).await.expect(201);
    rename_organization(&mut server, &agent).await;
    let maria = server.client().with_token(maria.token());
    maria
        .approve(&made.text("id"))
        .await
        .expect_problem(422, "template-refused");
    maria
        .post(&format!("{path}/rollback"), json!({"to": 1}))
        .await
        .expect_problem(422, "template-refused");
    let kept = maria.get(path).await.expect(200);
    assert_eq!(
        (kept.text("body"), &kept.body["revision"]),
        ("Text.\n".to_owned(), &json!(2))
    );
}

/// A rendered text that is too long is cut, and says so.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_long_is_cut_and_not_failed() {
    let body =
        "{{#each people as |p|}}{{#each @root.people as |q|}}{{q.about}}{{/each}}{{/each}}\n";
    let (_server, _people, agent, offer) = begin(&[("begin", body)]).await;
    let people: Vec<Value> = (0..60)
        .map(|n| json!({"name": format!("P{n}"), "about": "a".repeat(400)}))
        .collect();
    let loaded = load(&agent, &offer, json!({"context": {"people": people}}))
        .await
        .expect(200);
    assert_eq!(loaded.body["cut"], true);
    assert!(loaded.text("body").len() <= 256 << 10);
}
