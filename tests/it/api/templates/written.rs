//! Templates that are written: refused when they could fail, on every way in.

use super::{begin, publish, rename_organization, template};
use crate::harness::Response;
use hyper::Method;
use serde_json::json;

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
