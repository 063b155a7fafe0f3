//! Templates that are loaded: rendered with the context of the load, and nothing of it kept.

use super::{begin, load, rename_organization, sha256};
use serde_json::{Value, json};

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
