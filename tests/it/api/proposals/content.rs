//! What may be proposed: what may be published, and nothing else.

use hyper::Method;
use serde_json::{Value, json};

use super::{begin, proposal, set, skill};
use crate::api::files::hex;

#[tokio::test(flavor = "multi_thread")]
async fn what_no_publication_may_have_no_proposal_may_have() {
    let (_server, mut people) = begin().await;
    let bot = people.agent("acme", "tom", "bot").await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let with = |field: &str, value: Value| {
        let mut body = proposal("tenant:acme", "hostile", "x");
        body[field] = value;
        body
    };
    let hostile = [
        with("description", json!("a\u{200b}b")),
        with("description", json!("a\nb")),
        with("description", json!("")),
        with("body", json!("tags \u{e0041}")),
        with("body", json!("turned \u{202e}round")),
        with("body", json!("e\u{301}")),
        with("body", json!(" ")),
        with("frontmatter", json!({"name": "other"})),
        with("message", json!("a\u{ad}b")),
        with("files", json!([{"path": "../a", "text": ""}])),
        with(
            "files",
            json!([{"path": "a", "text": ""}, {"path": "A", "text": ""}]),
        ),
        with(
            "files",
            json!([{"path": "a", "digest": format!("sha256:{}", "7".repeat(64))}]),
        ),
    ];
    for body in hostile {
        let refused = bot.post("/v1/proposals", body.clone()).await.expect(422);
        // The same words as a publication gets.
        let mut content = body.as_object().unwrap().clone();
        for field in ["scope", "name", "rationale"] {
            content.remove(field);
        }
        let path = "/v1/skills/tenant:acme/hostile";
        let new = [("if-none-match", "*")];
        let published = maria
            .send(hyper::Method::PUT, path, &new, Some(Value::Object(content)))
            .await
            .expect(422);
        assert_eq!(refused.code(), published.code(), "{body}");
        assert_eq!(refused.detail(), published.detail(), "{body}");
    }
    for (field, value) in [
        ("rationale", json!("")),
        ("rationale", json!("x".repeat(4_001))),
        ("rationale", json!("hidden \u{e0041}")),
        ("evidence", json!({"links": ["http://plain.example"]})),
        ("evidence", json!({"links": ["https://"]})),
        ("evidence", json!({"links": ["https://a.example/ b"]})),
        ("evidence", json!({"links": vec!["https://a.example"; 11]})),
        ("evidence", json!({"turn": "a\nb"})),
    ] {
        bot.post("/v1/proposals", with(field, value))
            .await
            .expect_problem(422, "invalid-content");
    }
    bot.post("/v1/proposals", with("extra", json!(1)))
        .await
        .expect_problem(400, "malformed");
    // An edit is held to the same.
    let id = bot
        .propose("tenant:acme", "gifts", "x")
        .await
        .expect(201)
        .text("id");
    let path = format!("/v1/proposals/{id}");
    let body = json!({"description": "d", "body": "turned \u{202e}round"});
    bot.put(&path, body)
        .await
        .expect_problem(422, "invalid-content");
    bot.on_proposal(&id, "comments", json!({"text": "hidden \u{e0041}"}))
        .await
        .expect_problem(422, "invalid-content");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_recalled_is_neither_proposed_nor_approved() {
    let (_server, mut people) = begin().await;
    let bot = people.agent("acme", "tom", "bot").await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let one = maria.create("tenant:acme", "a", "poison").await.expect(201);
    // The content of a skill is its own by its name; the same one is proposed for the same name only.
    maria.update("tenant:acme", "a", "cure").await.expect(200);
    let made = bot.propose("tenant:acme", "a", "poison").await.expect(201);
    assert_eq!(made.text("digest"), one.text("digest"));
    let body = json!({"digest": one.body["digest"], "reason": "a test"});
    maria.post("/v1/recall", body).await.expect(200);
    maria
        .approve(&made.text("id"))
        .await
        .expect_problem(409, "conflict");
    let tom = people.human("tom").await;
    let page = tom.proposal(&made.text("id")).await.expect(200).body;
    assert!(page["review"]["skill_md"].is_null() && page["review"]["unified"].is_null());
    assert!(
        maria.proposal(&made.text("id")).await.expect(200).body["review"]["skill_md"].is_string()
    );
    let other = people.agent("acme", "mia", "bot").await;
    other
        .propose("tenant:acme", "a", "poison")
        .await
        .expect_problem(409, "conflict");
    other
        .propose("tenant:acme", "a", "cure")
        .await
        .expect_problem(409, "conflict");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_go_with_a_proposal_to_where_it_is_published() {
    let (server, mut people) = begin().await;
    let bot = people.agent("acme", "tom", "bot").await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let bytes = json!("a file of the bot");
    let hex_of = hex(bytes.to_string().as_bytes());
    let octets = [("content-type", "application/octet-stream")];
    bot.send(
        hyper::Method::PUT,
        &format!("/v1/blobs/{hex_of}"),
        &octets,
        Some(bytes),
    )
    .await
    .expect(201);
    for scope in ["tenant:acme", "global"] {
        let mut body = proposal(scope, "filed", "files");
        body["files"] = json!([
            {"path": "a", "digest": format!("sha256:{hex_of}")},
            {"path": "b", "text": "inline"},
        ]);
        bot.post("/v1/proposals", body).await.expect(201);
    }
    let listed = bot.get("/v1/proposals").await.expect(200).body;
    let id_at = |scope: &str| {
        let items = listed["items"].as_array().unwrap();
        let found = items.iter().find(|item| item["scope"] == scope).unwrap();
        found["id"].as_str().unwrap().to_owned()
    };
    // Uploads are dropped after a day; what a proposal names stays.
    server.advance(3 * 24 * 60 * 60);
    for _ in 0..50 {
        people.agent("acme", "tom", "bot").await.turn("t").await;
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    drop(maria);
    let maria = people.elevated("maria", "tenant:acme").await;
    let root = crate::harness::login(&server.client(), "root", None).await;
    let root = crate::harness::elevate(&root, "global").await;
    for (client, scope) in [(&maria, "tenant:acme"), (&root, "global")] {
        client.approve(&id_at(scope)).await.expect(200);
        let path = format!("/v1/skills/{scope}/filed/revisions/1/file?path=a");
        let file = client.get(&path).await.expect(200);
        assert_eq!(file.bytes, "\"a file of the bot\"".as_bytes());
    }
    // An update that says nothing of files keeps them, also by an agent, which may not read them here.
    let bot = people.agent("acme", "tom", "bot").await;
    let made = bot
        .propose("tenant:acme", "filed", "files, better")
        .await
        .expect(201);
    maria.approve(&made.text("id")).await.expect(200);
    let skill = maria.get("/v1/skills/tenant:acme/filed").await.expect(200);
    assert_eq!(skill.body["files"].as_array().unwrap().len(), 2);
    // And an edit that says nothing of files keeps the proposal's.
    let mut body = proposal("tenant:acme", "edited", "one");
    body["files"] = json!([{"path": "c", "text": "kept"}]);
    let id = bot.post("/v1/proposals", body).await.expect(201).text("id");
    bot.put(
        &format!("/v1/proposals/{id}"),
        crate::harness::content("two"),
    )
    .await
    .expect(200);
    let page = maria.proposal(&id).await.expect(200).body;
    assert_eq!(page["review"]["files"][0]["path"], "c");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_makes_one_proposal_and_an_edit_writes_over_nobodys() {
    let (_server, mut people) = begin().await;
    let bot = people.agent("acme", "tom", "bot").await;
    let key = [("idempotency-key", "once")];
    let send = async |text: &str| {
        let body = proposal("tenant:acme", "gifts", text);
        bot.send(hyper::Method::POST, "/v1/proposals", &key, Some(body))
            .await
    };
    let first = send("one").await.expect(201);
    assert_eq!(send("one").await.expect(201).bytes, first.bytes);
    send("two")
        .await
        .expect_problem(422, "idempotency-mismatch");
    let id = first.text("id");
    let path = format!("/v1/proposals/{id}");
    let stale = [("if-match", "\"sha256:0\"")];
    let body = crate::harness::content("three");
    bot.send(hyper::Method::PUT, &path, &stale, Some(body.clone()))
        .await
        .expect_problem(412, "precondition-failed");
    let tag = format!("\"{}\"", first.etag());
    bot.send(
        hyper::Method::PUT,
        &path,
        &[("if-match", tag.as_str())],
        Some(body.clone()),
    )
    .await
    .expect(200);
    let again = bot.put(&path, body).await.expect(200);
    assert_eq!(again.body["unchanged"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_quota_is_full_for_approvals_too() {
    let (_server, mut people) = begin().await;
    set(&people, "acme", json!({"skills_per_tenant": 1})).await;
    let bot = people.agent("acme", "tom", "bot").await;
    let id = bot
        .propose("tenant:acme", "one-more", "x")
        .await
        .expect(201)
        .text("id");
    let maria = people.elevated("maria", "tenant:acme").await;
    maria
        .approve(&id)
        .await
        .expect_problem(422, "quota-exceeded");
    maria.reject(&id).await.expect(200);
}

/// A proposal that keeps a file of a revision that is recalled afterwards neither shows nor publishes it.
#[tokio::test(flavor = "multi_thread")]
async fn files_that_were_recalled_since_are_neither_read_nor_published() {
    let (_server, people) = begin().await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let pavel = people.elevated("pavel", "tenant:acme").await;
    let mut with_file = skill("with a file");
    with_file["files"] = json!([{"path": "a.txt", "text": "secret ways\n"}]);
    maria
        .send(
            Method::PUT,
            "/v1/skills/tenant:acme/filed",
            &[("if-none-match", "*")],
            Some(with_file),
        )
        .await
        .expect(201);
    let tom = people.human("tom").await;
    let made = tom
        .propose("tenant:acme", "filed", "keeps the file")
        .await
        .expect(201);
    let id = made.text("id");
    let file = format!("/v1/proposals/{id}/file?path=a.txt");
    tom.get(&file).await.expect(200);
    let page = pavel.proposal(&id).await.expect(200);
    let reason = json!({"reason": "a test"});
    maria
        .post("/v1/skills/tenant:acme/filed/quarantine", reason.clone())
        .await
        .expect(200);
    // A member reads it no more, and it is stale: what it was compared with is not there any more.
    assert_eq!(tom.get(&file).await.status, 403);
    assert_eq!(tom.state_of(&id).await, "stale");
    pavel
        .on_proposal(&id, "decision", super::approval(&page.body))
        .await
        .expect_problem(409, "proposal-stale");
    // Rebased, it still has the file.
    tom.on_proposal(&id, "rebase", json!({})).await.expect(200);
    pavel.approve(&id).await.expect_problem(409, "conflict");
    // Released, it may be published, once it is compared with what is there again.
    maria
        .post("/v1/skills/tenant:acme/filed/release", reason)
        .await
        .expect(200);
    tom.get(&file).await.expect(200);
    assert_eq!(tom.state_of(&id).await, "stale");
    tom.on_proposal(&id, "rebase", json!({})).await.expect(200);
    pavel.approve(&id).await.expect(200);
}

/// Nobody can take all comments of a proposal.
#[tokio::test(flavor = "multi_thread")]
async fn one_author_leaves_room_for_the_comments_of_others() {
    let (_server, people) = begin().await;
    let tom = people.human("tom").await;
    let id = tom
        .propose("tenant:acme", "talk", "x")
        .await
        .expect(201)
        .text("id");
    for number in 0..100 {
        let body = json!({"text": format!("again {number}")});
        tom.on_proposal(&id, "comments", body).await.expect(201);
    }
    tom.on_proposal(&id, "comments", json!({"text": "more"}))
        .await
        .expect_problem(422, "quota-exceeded");
    let pavel = people.human("pavel").await;
    pavel
        .on_proposal(&id, "comments", json!({"text": "mine"}))
        .await
        .expect(201);
}
