//! Who reads which body (design §2.4).

use serde_json::json;

use crate::harness::{People, TestServer, content};

#[tokio::test(flavor = "multi_thread")]
async fn bodies_by_kind_of_principal_and_by_state() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    people
        .root
        .create("global", "shared", "shared at global")
        .await
        .expect(201);
    let maria = people.elevated("maria", "tenant:acme").await;
    maria
        .create("tenant:acme", "shared", "shared at acme")
        .await
        .expect(201);
    maria
        .update("tenant:acme", "shared", "shared at acme, better")
        .await
        .expect(200);
    let agent = people.agent("acme", "tom", "bot").await;
    agent.create("actor:tom", "own", "own").await.expect(201);
    let (tom, mia, ines) = (
        people.human("tom").await,
        people.human("mia").await,
        people.human("ines").await,
    );
    let service = people.service("acme").await;

    // Everything about it, and the body where it may be read.
    let bodies = async |client: &crate::harness::Client, scope: &str, name: &str| {
        let path = format!("/v1/skills/{scope}/{name}");
        let mut there = Vec::new();
        for (path, member) in [
            (path.clone(), "body"),
            (format!("{path}/revisions/1"), "body"),
            (format!("{path}/diff?from=1&to=1"), "unified"),
        ] {
            let answer = client.get(&path).await.expect(200);
            there.push(answer.body.get(member).is_some());
        }
        assert!(
            there.iter().all(|is_there| *is_there == there[0]),
            "{scope}/{name}: {there:?}"
        );
        there[0]
    };
    for (client, who, reads_wide) in [
        (&maria, "publisher", true),
        (&tom, "member", true),
        (&ines, "auditor", true),
        (&agent, "agent", false),
        (&service, "service", false),
    ] {
        for scope in ["tenant:acme", "global"] {
            assert_eq!(
                bodies(client, scope, "shared").await,
                reads_wide,
                "{who} at {scope}"
            );
        }
    }
    assert!(bodies(&agent, "actor:tom", "own").await);
    assert!(bodies(&tom, "actor:tom", "own").await);
    // Another actor's skills are not there: not for the neighbour, the publisher, the service or the administrator.
    for client in [&mia, &maria, &service, &people.root] {
        for path in ["", "/revisions", "/revisions/1", "/diff?from=1&to=1"] {
            let refused = client.get(&format!("/v1/skills/actor:tom/own{path}")).await;
            refused.expect_problem(404, "not-found");
        }
        client
            .get("/v1/skills?scope=actor:tom")
            .await
            .expect_problem(404, "not-found");
    }
    people
        .root
        .get("/v1/skills/tenant:acme/shared")
        .await
        .expect_problem(404, "not-found");

    // Recalled, the body is for publishers and auditors only.
    for (verb, status) in [("quarantine", "quarantined"), ("revoke", "revoked")] {
        let body = json!({"reason": "bad", "revision": 1});
        maria
            .post(&format!("/v1/skills/tenant:acme/shared/{verb}"), body)
            .await
            .expect(200);
        for (client, reads) in [
            (&maria, true),
            (&ines, true),
            (&tom, false),
            (&agent, false),
            (&service, false),
        ] {
            let read = client
                .get("/v1/skills/tenant:acme/shared/revisions/1")
                .await
                .expect(200);
            assert_eq!(read.body["status"], status);
            assert_eq!(read.body.get("body").is_some(), reads, "{verb}");
            let diff = client
                .get("/v1/skills/tenant:acme/shared/diff?from=1&to=2")
                .await
                .expect(200);
            assert_eq!(diff.body.get("unified").is_some(), reads, "{verb}");
        }
    }
    // The current revision is another, and is read as before.
    tom.get("/v1/skills/tenant:acme/shared")
        .await
        .expect(200)
        .text("body");
    let body = json!({"reason": "bad"});
    maria
        .post("/v1/skills/tenant:acme/shared/quarantine", body)
        .await
        .expect(200);
    let read = tom.get("/v1/skills/tenant:acme/shared").await.expect(200);
    assert_eq!(
        (&read.body["status"], read.body.get("body")),
        (&json!("quarantined"), None)
    );
    // No metadata gives the text away.
    let text = String::from_utf8(
        agent
            .get("/v1/skills/tenant:acme/shared/revisions")
            .await
            .expect(200)
            .bytes
            .to_vec(),
    );
    assert!(!text.unwrap().contains("Do shared"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_is_read_as_it_was_written() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let mut body = content("it");
    body["body"] = "# Title\r\n\r\n\tcode {{ not a template }}\n\u{1f468}\u{200d}\u{1f469} caf\u{e9} <b>&amp;</b> --- \n---\n".into();
    body["frontmatter"] = json!({"license": "MIT", "x-own": {"deep": [1, null, true, 1.5, "a: b # c"]},
        "allowed-tools": "Bash(*) everything", "metadata": {"team": "support"}});
    body["message"] = "first".into();
    super::put(
        &tom,
        "/v1/skills/actor:tom/it",
        &[("if-none-match", "*")],
        body.clone(),
    )
    .await
    .expect(201);
    let read = tom.get("/v1/skills/actor:tom/it").await.expect(200);
    for member in ["description", "body", "frontmatter", "message"] {
        assert_eq!(read.body[member], body[member], "{member}");
    }
    assert_eq!(read.etag(), read.text("digest"));
    assert_eq!(
        (&read.body["author"], &read.body["author_kind"]),
        (&json!("human:tom"), &json!("human"))
    );
    let offer = tom.turn("t-1").await.expect(200).text("offer");
    let loaded = tom.load(&offer, "it").await.expect(200);
    assert_eq!(loaded.body["body"], body["body"]);
}
