//! Templates over HTTP: refused when they could fail, rendered when they are loaded (invariant 22), and nothing kept.

use hyper::Method;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::schemas::{built_in, renamed};
use crate::harness::{Client, People, Response, TestServer};

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
pub(super) async fn rename_organization(people: &People) {
    let body = json!({"schema": renamed(2), "accept_breaking": true});
    people
        .root
        .put("/v1/context-schema", body)
        .await
        .expect(200);
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
    assert_eq!(schema.body["schema"]["type"], "object");
    assert_eq!(schema.body["version"], schema.body["schema"]["x-version"]);
    assert_eq!(schema.body["built_in"], true);
    assert!(schema.text("activated_at").starts_with("2027-01-15T"));
    assert_eq!(schema.etag(), schema.text("digest"));
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

async fn reference(agent: &Client, accept: &str) -> Response {
    let headers = [("accept", accept)];
    agent
        .send(Method::GET, "/v1/reference", &headers, None)
        .await
        .expect(200)
}

fn html(answer: &Response) -> String {
    assert_eq!(answer.headers["content-type"], "text/html; charset=utf-8");
    String::from_utf8(answer.bytes.to_vec()).unwrap()
}

/// A text as it stands in a page.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reference_is_a_page_too() {
    let (server, _people, agent, _) = begin(&[]).await;
    let answer = reference(&agent, "text/html").await;
    let page = html(&answer);
    assert!(!page.contains("<script") && !page.contains(" style=\""));
    let docs = server.client().get("/docs").await.expect(200);
    let policy = "content-security-policy";
    assert_eq!(answer.headers[policy], docs.headers[policy]);
    assert_eq!(answer.headers["vary"], "accept");
    assert_eq!(answer.headers["cache-control"], "no-store");
    assert!(page.contains("href=\"/docs/style.css\"") && page.contains("href=\"/docs\""));
    assert!(html(&docs).contains("href=\"/v1/reference\""));
    // Everything that programs are told is told to people.
    let data = reference(&agent, "application/json").await.body;
    let texts = |list: &str, members: &[&str]| -> Vec<String> {
        let list = data[list].as_array().unwrap();
        assert!(list.len() >= 5);
        list.iter()
            .flat_map(|one| members.iter().map(|member| one[member].as_str().unwrap()))
            .map(|text| escaped(&text.replace('`', "")))
            .collect()
    };
    let plain = page.replace("<code>", "").replace("</code>", "");
    for text in [
        texts("situations", &["name", "about"]),
        texts("fields", &["path", "type", "description"]),
        texts(
            "helpers",
            &["name", "signature", "description", "example", "result"],
        ),
        texts("guards", &["rule", "example"]),
        texts("refusals", &["example", "code", "why", "instead"]),
    ]
    .concat()
    {
        assert!(plain.contains(&text), "{text}");
    }
    for field in data["fields"].as_array().unwrap() {
        if let Some(sample) = field.get("sample") {
            assert!(page.contains(&escaped(&sample.to_string())), "{field}");
        }
    }
    // Every link within the page leads somewhere.
    for target in page.split("href=\"#").skip(1) {
        let id = target.split('"').next().unwrap();
        assert_eq!(page.matches(&format!(" id=\"{id}\"")).count(), 1, "{id}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_of_the_reference_is_negotiated() {
    let (server, _people, agent, _) = begin(&[]).await;
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
    for (accept, kind) in [
        ("text/html", "text/html; charset=utf-8"),
        (browser, "text/html; charset=utf-8"),
        (
            "text/html;q=0.9, text/markdown",
            "text/markdown; charset=utf-8",
        ),
        (
            "text/html;q=0.4, text/markdown;q=0.3, application/json;q=0.5",
            "application/json",
        ),
        (
            "text/markdown;q=0, text/html;q=0.1",
            "text/html; charset=utf-8",
        ),
        ("text/html;q=0, */*", "application/json"),
        ("*/*", "application/json"),
        ("image/png", "application/json"),
    ] {
        let answer = reference(&agent, accept).await;
        assert_eq!(answer.headers["content-type"], kind, "{accept}");
        assert_eq!(answer.headers["vary"], "accept", "{accept}");
    }
    assert_eq!(
        agent.get("/v1/reference").await.expect(200).headers["content-type"],
        "application/json"
    );
    let headers = [("accept", "text/html")];
    let nobody = server
        .client()
        .send(Method::GET, "/v1/reference", &headers, None)
        .await;
    nobody.expect_problem(401, "unauthenticated");
    let document = server.client().get("/openapi.json").await.expect(200).body;
    let content = &document["paths"]["/v1/reference"]["get"]["responses"]["200"]["content"];
    let mut forms: Vec<&String> = content.as_object().unwrap().keys().collect();
    forms.sort_unstable();
    assert_eq!(forms, ["application/json", "text/html", "text/markdown"]);
}

/// What an operator's schema says is text on the page, whatever it looks like.
#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_schema_writes_nothing_into_the_page() {
    let (_server, people, agent, _) = begin(&[]).await;
    let hostile =
        "</code></td><script>alert(1)</script><img src=x onerror=\"alert(1)\"> `</code><b>` &amp;";
    let mut schema = built_in(2);
    let organization = &mut schema["properties"]["organization"];
    organization["description"] = hostile.into();
    organization["properties"]["name"]["description"] = hostile.into();
    organization["properties"]["name"]["examples"] = json!([hostile]);
    schema["description"] = hostile.into();
    schema["x-situations"]["task-start"]["description"] = hostile.into();
    let body = json!({"schema": schema, "accept_breaking": true});
    people
        .root
        .put("/v1/context-schema", body)
        .await
        .expect(200);
    let page = html(&reference(&agent, "text/html").await);
    assert_eq!(page.matches("&lt;script&gt;alert(1)").count(), 5, "{page}");
    for tag in ["<script", "<img", "<b>"] {
        assert!(!page.contains(tag), "{tag}");
    }
    assert!(page.contains("<code>&lt;/code&gt;&lt;b&gt;</code> &amp;amp;"));
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
    let (_server, people, agent, offer) = begin(&[("begin", body), ("plain", "Text.\n")]).await;
    let context = json!({"context": {"organization": {"name": "x"}}});
    load(&agent, &offer, context).await.expect(200);
    rename_organization(&people).await;
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
    let (_server, people, agent, _) = begin(&[("begin", body)]).await;
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
    rename_organization(&people).await;
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

/// What the checker warns of is told where the template is written, in the lines of the SKILL.md, and to who reviews it; and to
/// the reviewer what is wrong with it since the schema has changed.
#[tokio::test(flavor = "multi_thread")]
async fn what_the_checker_says_is_told_to_authors_and_reviewers() {
    let (_server, people, agent, _) = begin(&[]).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let body = "Of {{organization.name}}.\n{{#if task}}Due {{task.due}}{{/if}}\n";
    let is_warned = |answer: &Response| {
        let warnings = answer.body["warnings"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        warnings
            .iter()
            .filter(|one| one["code"] == "nullable-output")
            .map(|one| one["line"].as_u64().unwrap())
            .collect::<Vec<u64>>()
    };
    let checked = maria
        .post("/v1/skills/tenant:acme/begin/check", template(body))
        .await
        .expect(200);
    let lines = is_warned(&checked);
    let made = publish(&maria, "begin", template(body)).await.expect(201);
    assert_eq!(is_warned(&made), lines);
    // The second line of the body is where the SKILL.md has it.
    let headers = [("accept", "text/markdown")];
    let path = "/v1/skills/tenant:acme/begin";
    let text = maria
        .send(Method::GET, path, &headers, None)
        .await
        .expect(200);
    let text = String::from_utf8(text.bytes.to_vec()).unwrap();
    let line = 1 + text
        .lines()
        .position(|line| line.contains("task.due"))
        .unwrap() as u64;
    assert_eq!(lines, [line]);

    let mut proposal = template(body);
    proposal["scope"] = "tenant:acme".into();
    proposal["name"] = "learned".into();
    proposal["rationale"] = "x".into();
    let made = agent.post("/v1/proposals", proposal).await.expect(201);
    assert_eq!(is_warned(&made), lines);
    let page = format!("/v1/proposals/{}", made.text("id"));
    let codes = |answer: &Response| -> Vec<String> {
        answer.body["review"]["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                format!(
                    "{} {} {}",
                    one["severity"].as_str().unwrap(),
                    one["line"],
                    one["code"].as_str().unwrap()
                )
            })
            .collect()
    };
    let read = maria.get(&page).await.expect(200);
    assert_eq!(codes(&read), ["warning 2 nullable-output"]);
    assert!(
        agent
            .get(&page)
            .await
            .expect(200)
            .body
            .get("review")
            .is_none()
    );
    rename_organization(&people).await;
    let read = maria.get(&page).await.expect(200);
    let codes = codes(&read);
    assert!(
        codes.contains(&"error 1 unknown-field".to_owned()),
        "{codes:?}"
    );
    // What is no template has none.
    let mut plain = json!({"description": "Use it.", "body": "Text {{x}}.\n"});
    plain["scope"] = "tenant:acme".into();
    plain["name"] = "plain".into();
    plain["rationale"] = "x".into();
    let made = agent.post("/v1/proposals", plain).await.expect(201);
    let read = maria
        .get(&format!("/v1/proposals/{}", made.text("id")))
        .await
        .expect(200);
    assert!(read.body["review"].get("diagnostics").is_none());
}
