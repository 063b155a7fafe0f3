//! Membership: what its end ends, what its return does not bring back, and whose actor id it is (threat 11).

use serde_json::{Value, json};

use super::{PASSWORD, ended, refresh, try_login, uses};
use crate::harness::{People, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn removing_a_member_ends_everything_that_stands_on_it_at_once() {
    let mut server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    people
        .root
        .create("global", "refunds", "refunds")
        .await
        .expect(201);
    let login = try_login(&server, "tom", PASSWORD, Value::Null)
        .await
        .expect(200);
    let tom = server.client().with_token(login.text("access_token"));
    let key = tom.post("/v1/keys", json!({"name": "k"})).await.expect(201);
    let key = tom.with_token(key.text("key"));
    let agent = people.agent("acme", "tom", "bot").await;
    let others = [
        people.agent("acme", "mia", "bot").await,
        people.human("mia").await,
    ];
    let mut offers = Vec::new();
    for client in [&tom, &key, &agent] {
        offers.push((
            client.clone(),
            client.turn("t-1").await.expect(200).text("offer"),
        ));
    }
    for (client, offer) in &offers {
        client.load(offer, "refunds").await.expect(200);
    }

    people
        .root
        .delete("/v1/tenants/acme/members/tom")
        .await
        .expect(200);
    for _ in 0..2 {
        for (client, offer) in &offers {
            let client = server.client().with_token(client.token());
            for answer in uses(&client, "tom").await {
                ended(answer);
            }
            ended(client.load(offer, "refunds").await);
            ended(client.load(offer, "no-such").await);
            ended(client.turn("t-1").await);
        }
        refresh(&server, &login.text("refresh_token"))
            .await
            .expect(401);
        // The second time round, after a restart.
        server.restart().await;
    }
    try_login(&server, "tom", PASSWORD, json!("acme"))
        .await
        .expect(401);
    let root = server.client().with_token(people.root.token());
    root.delete("/v1/tenants/acme/members/tom")
        .await
        .expect_problem(404, "not-found");
    let service = server
        .client()
        .with_token(people.service("acme").await.token());
    let body = json!({"actor": {"id": "tom"}, "agent": "bot"});
    service
        .post("/v1/token", body)
        .await
        .expect_problem(409, "conflict");
    for other in others {
        server
            .client()
            .with_token(other.token())
            .get("/v1/me")
            .await
            .expect(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_that_returns_begins_anew() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let login = try_login(&server, "tom", PASSWORD, Value::Null)
        .await
        .expect(200);
    let tom = server.client().with_token(login.text("access_token"));
    tom.create("actor:tom", "mine", "mine").await.expect(201);
    let key = tom.post("/v1/keys", json!({"name": "k"})).await.expect(201);
    let key = tom.with_token(key.text("key"));
    let agent = people.agent("acme", "tom", "bot").await;
    let mut old = Vec::new();
    for client in [&tom, &key, &agent] {
        old.push((
            client.clone(),
            client.turn("t-1").await.expect(200).text("offer"),
        ));
    }
    people
        .root
        .delete("/v1/tenants/acme/members/tom")
        .await
        .expect(200);
    // A member from before needs no claim: the skills are its own.
    people.member("acme", "tom", "member").await.expect(200);
    for (client, _) in &old {
        for answer in uses(client, "tom").await {
            ended(answer);
        }
    }
    // Nor does a refresh token from before give a token of today.
    refresh(&server, &login.text("refresh_token"))
        .await
        .expect_problem(401, "unauthenticated");

    let tom = people.human("tom").await;
    let agent = people.agent("acme", "tom", "bot").await;
    tom.get("/v1/skills/actor:tom/mine").await.expect(200);
    for client in [&tom, &agent] {
        for (_, offer) in &old {
            let refused = client.load(offer, "mine").await.expect(401);
            assert!(
                matches!(refused.code(), "authority-ended" | "offer-invalid"),
                "{}",
                refused.body
            );
        }
        let offer = client.turn("t-2").await.expect(200).text("offer");
        client.load(&offer, "mine").await.expect(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_human_takes_over_an_actors_skills_only_when_it_is_said() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let agent = people.agent("acme", "zoe", "bot").await;
    agent
        .create("actor:zoe", "notes", "notes")
        .await
        .expect(201);
    people.user("zoe").await;
    let refused = people
        .member("acme", "zoe", "member")
        .await
        .expect_problem(409, "actor-id-taken");
    assert_eq!(refused.body["field"], "claim");
    try_login(&server, "zoe", PASSWORD, json!("acme"))
        .await
        .expect(401);
    // In another tenant that actor is nobody.
    people.member("globex", "zoe", "member").await.expect(200);
    let body = json!({"role": "member", "claim": true});
    people
        .root
        .put("/v1/tenants/acme/members/zoe", body)
        .await
        .expect(200);
    let zoe = people.human_in("zoe", "acme").await;
    zoe.get("/v1/skills/actor:zoe/notes").await.expect(200);
    let audit = people
        .human("ines")
        .await
        .get("/v1/audit?action=set-member")
        .await
        .expect(200);
    let last = audit.body["items"]
        .as_array()
        .unwrap()
        .last()
        .unwrap()
        .clone();
    assert_eq!(
        (&last["target"], &last["detail"]["claim"]),
        (&json!("tenant:acme member:zoe"), &json!(true))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn setting_what_is_so_already_changes_nothing() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let count = async || {
        let ines = people.human("ines").await;
        let audit = ines
            .get("/v1/audit?action=set-member&limit=200")
            .await
            .expect(200);
        audit.body["items"].as_array().unwrap().len()
    };
    let before = count().await;
    let same = people.member("acme", "tom", "member").await.expect(200);
    assert_eq!(
        same.body,
        json!({"tenant": "acme", "username": "tom", "role": "member", "unchanged": true})
    );
    assert_eq!(count().await, before);
    people
        .member("acme", "nobody", "member")
        .await
        .expect_problem(404, "not-found");
    people
        .member("nowhere", "tom", "member")
        .await
        .expect_problem(404, "not-found");
    assert_eq!(count().await, before);
}
