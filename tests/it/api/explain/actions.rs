//! What somebody may do, and why, over HTTP.

use serde_json::{Value, json};

use crate::harness::{Client, People, Response, TestServer, content};

async fn explain(client: &Client, query: &str) -> Response {
    client.get(&format!("/v1/explain?{query}")).await
}

/// The conditions as `rule` or `!rule`.
fn conditions(answer: &Value) -> Vec<String> {
    let of = |one: &Value| {
        let mark = if one["holds"] == true { "" } else { "!" };
        format!("{mark}{}", one["rule"].as_str().unwrap())
    };
    answer["conditions"]
        .as_array()
        .unwrap()
        .iter()
        .map(of)
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_conditions_of_a_publication_and_what_it_needs() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let publish = "action=publish-skill&target=tenant:acme/refunds";
    let said = explain(&tom, publish).await.expect(200).body;
    assert_eq!(
        (&said["verdict"], &said["rule"]),
        (&json!("deny"), &json!("needs-elevation"))
    );
    assert_eq!(said["principal"], "human:tom");
    assert_eq!(said["tenant"], "acme");
    assert_eq!(said["authority_stands"], true);
    assert_eq!(
        conditions(&said),
        [
            "not-in-scope",
            "humans-only",
            "!needs-elevation",
            "!needs-role",
            "quota-exceeded",
            "name-reviewed",
            "findings-reviewed"
        ]
    );
    assert_eq!(
        said["needed"],
        "It needs a step up for exactly this scope (`POST /v1/elevate`); and the role for it: publisher of the tenant, \
         or global administrator at global."
    );
    // A member may not step up, and it would not help.
    assert_eq!(said["elevated"]["may_elevate"], false);
    assert_eq!(said["elevated"]["rule"], "needs-role");

    let maria = people.human("maria").await;
    let said = explain(&maria, publish).await.expect(200).body;
    assert_eq!(said["rule"], "needs-elevation");
    assert_eq!(said["elevated"]["may_elevate"], true);
    assert_eq!(said["elevated"]["verdict"], "allow");
    let elevated = people.elevated("maria", "tenant:acme").await;
    let said = explain(&elevated, publish).await.expect(200).body;
    assert_eq!(
        (&said["verdict"], &said["needed"]),
        (&json!("allow"), &Value::Null)
    );

    let agent = people.agent("acme", "tom", "bot").await;
    let said = explain(&agent, publish).await.expect(200).body;
    assert_eq!(said["principal"], "agent:bot@tom");
    assert_eq!(
        conditions(&said),
        [
            "not-in-scope",
            "!humans-only",
            "!needs-elevation",
            "!needs-role",
            "quota-exceeded",
            "name-reviewed",
            "findings-reviewed"
        ]
    );
    assert!(said.get("elevated").is_none(), "no agent is elevated");
    let said = explain(&agent, "action=publish-skill&target=actor:tom")
        .await
        .expect(200)
        .body;
    assert_eq!(said["rule"], "own-scope");
    // A tenant is meant where the action is about one.
    let said = explain(&elevated, "action=set-member&target=tenant:acme")
        .await
        .expect(200)
        .body;
    assert_eq!(said["rule"], "elevated-administrator");
    let said = explain(&tom, "action=create-user&target=tenant:acme")
        .await
        .expect(200)
        .body;
    assert_eq!(conditions(&said), ["!wrong-target"]);
    assert!(said["needed"].as_str().unwrap().starts_with("It cannot be"));
    // Another tenant's scope is outside, whatever is there.
    for target in ["tenant:globex", "tenant:nowhere", "actor:maria"] {
        let said = explain(&tom, &format!("action=read-skill&target={target}"))
            .await
            .expect(200)
            .body;
        assert_eq!(conditions(&said), ["!not-in-scope"], "{target}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_ask_about_whom() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let publish = "action=publish-skill&target=tenant:acme";
    let about = |principal: &str| format!("{publish}&principal={principal}");
    let service = people.service("acme").await;
    let service_id = people
        .root
        .get("/v1/tenants/acme/services")
        .await
        .expect(200)
        .body["items"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    for asker in ["maria", "ines"] {
        let asker = people.human(asker).await;
        for (principal, rule) in [
            ("human:tom".to_owned(), "needs-elevation"),
            ("human:TOM".to_owned(), "needs-elevation"),
            ("agent:bot@tom".to_owned(), "humans-only"),
            ("agent:bot@cust-4711".to_owned(), "humans-only"),
            (format!("service:{service_id}"), "humans-only"),
        ] {
            let said = explain(&asker, &about(&principal)).await.expect(200).body;
            assert_eq!(said["rule"], rule, "{principal}");
        }
        // Who is not of the tenant is as good as nobody.
        let mut answers = Vec::new();
        for principal in [
            "human:gus",
            "human:nobody",
            "service:svc_none",
            "human:root",
        ] {
            let answer = explain(&asker, &about(principal))
                .await
                .expect_problem(404, "not-found");
            answers.push(answer.bytes);
        }
        answers.dedup();
        assert_eq!(answers.len(), 1);
    }
    for client in [
        people.human("tom").await,
        people.agent("acme", "tom", "bot").await,
        service,
    ] {
        explain(&client, &about("human:maria"))
            .await
            .expect_problem(403, "refused");
        explain(&client, publish).await.expect(200);
    }
    // A removed member's agents are not taken any more.
    people
        .root
        .delete("/v1/tenants/acme/members/mia")
        .await
        .expect(200);
    let maria = people.human("maria").await;
    let said = explain(&maria, &about("agent:bot@mia"))
        .await
        .expect(200)
        .body;
    assert_eq!(said["authority_stands"], false);
    explain(&maria, &about("human:mia"))
        .await
        .expect_problem(404, "not-found");

    // Outside of tenants: administrators, about humans.
    let root = people.human("root").await;
    let query = "action=publish-skill&target=global&principal=human:maria";
    let said = explain(&root, query).await.expect(200).body;
    assert_eq!(
        conditions(&said),
        [
            "not-in-scope",
            "humans-only",
            "!needs-elevation",
            "!needs-role",
            "quota-exceeded"
        ]
    );
    explain(&root, &about("agent:bot@tom"))
        .await
        .expect_problem(404, "not-found");

    for (query, status, code) in [
        ("action=fly&target=global", 400, "malformed"),
        ("target=global", 400, "malformed"),
        ("action=read-skill", 400, "malformed"),
        ("action=read-skill&target=nowhere", 422, "invalid-scope"),
        ("action=read-skill&target=global/No", 422, "invalid-name"),
        (
            "action=read-skill&target=global&principal=tom",
            422,
            "invalid-id",
        ),
    ] {
        explain(&maria, query).await.expect_problem(status, code);
    }
}

/// A skill's own state and quotas count, where the asker may read them; what others keep to themselves does not show.
#[tokio::test(flavor = "multi_thread")]
async fn states_and_quotas_are_facts_too() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let settings = json!({
        "max_cap": 200, "agent_own_scope": "deny", "skills_per_actor": 1,
        "skills_per_tenant": 1, "revisions_per_skill": 100,
    });
    maria
        .put("/v1/tenants/acme/settings", settings)
        .await
        .expect(200);
    maria.create("tenant:acme", "one", "x").await.expect(201);
    let said = explain(&maria, "action=publish-skill&target=tenant:acme/two")
        .await
        .expect(200)
        .body;
    assert_eq!(said["rule"], "quota-exceeded");
    maria
        .create("tenant:acme", "two", "x")
        .await
        .expect_problem(422, "quota-exceeded");
    let said = explain(&maria, "action=publish-skill&target=tenant:acme/one")
        .await
        .expect(200)
        .body;
    assert_eq!(said["verdict"], "allow");
    let said = explain(
        &maria,
        "action=publish-skill&target=actor:tom&principal=agent:bot@tom",
    )
    .await;
    assert_eq!(said.expect(200).body["rule"], "agents-denied");

    maria
        .verb("tenant:acme", "one", "quarantine")
        .await
        .expect(200);
    let read = "action=read-body&target=tenant:acme/one";
    let tom = people.human("tom").await;
    let said = explain(&tom, read).await.expect(200).body;
    assert_eq!(said["rule"], "recalled");
    let said = explain(&maria, &format!("{read}&principal=human:tom"))
        .await
        .expect(200)
        .body;
    assert_eq!(said["rule"], "recalled");
    assert_eq!(
        explain(&maria, read).await.expect(200).body["verdict"],
        "allow"
    );

    // Whether Tom has a skill of that name is Tom's own.
    let path = "/v1/skills/actor:tom/mine";
    let said = async |name: &str| {
        let query = format!("action=publish-skill&target=actor:tom/{name}&principal=human:tom");
        let mut body = explain(&maria, &query).await.expect(200).body;
        body["target"] = Value::Null;
        body
    };
    let before = said("mine").await;
    let sent = [("if-none-match", "*")];
    tom.send(hyper::Method::PUT, path, &sent, Some(content("x")))
        .await
        .expect(201);
    assert_eq!(said("mine").await, before);
    assert_eq!(said("other").await, before);
}
