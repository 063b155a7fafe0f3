//! `POST /v1/login`: what it tells, and how often it may be tried (threat 21).

use std::num::NonZeroU32;
use std::time::Duration;

use serde_json::{Value, json};
use vestry::http::limiter::{PasswordRates, Rate};

use super::{PASSWORD, try_login};
use crate::harness::{Builder, People, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_wrong_the_answer_is_the_same() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    people.member("globex", "tom", "member").await.expect(200);
    let mut answers = Vec::new();
    for (username, password, tenant) in [
        ("tom", "wrong horse battery", json!("acme")),
        ("nobody", PASSWORD, json!("acme")),
        ("nobody", "x", Value::Null),
        ("no id at all", PASSWORD, Value::Null),
        ("", "", Value::Null),
        ("tom", "", json!("acme")),
        ("tom", "correct horse battery ", json!("acme")),
        ("tom", "Correct horse battery", json!("acme")),
        ("tom", PASSWORD, json!("no-such-tenant")),
        ("tom", PASSWORD, json!("")),
        ("gus", PASSWORD, json!("acme")),
        ("root", PASSWORD, json!("acme")),
    ] {
        let refused = try_login(&server, username, password, tenant).await;
        let refused = refused.expect_problem(401, "unauthenticated");
        assert_eq!(refused.headers["www-authenticate"], "Bearer");
        answers.push((username, refused.bytes));
    }
    // Several tenants are told only to whoever knows the password.
    let refused = try_login(&server, "tom", "wrong horse battery", Value::Null).await;
    answers.push(("tom of two tenants", refused.bytes));
    for (who, bytes) in &answers {
        assert_eq!(*bytes, answers[0].1, "{who}");
    }
    // Nor is a password repeated when it stands in the wrong place.
    let answer = server
        .client()
        .post(
            "/v1/login",
            json!({"username": {"a": PASSWORD}, "password": 1}),
        )
        .await;
    assert!(
        !answer
            .expect_problem(400, "malformed")
            .detail()
            .contains(PASSWORD)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tenant_may_be_left_out_by_a_member_of_one() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let one = try_login(&server, "tom", PASSWORD, Value::Null)
        .await
        .expect(200);
    assert_eq!(one.body["tenant"], "acme");
    people.member("globex", "tom", "member").await.expect(200);
    let refused = try_login(&server, "tom", PASSWORD, Value::Null)
        .await
        .expect_problem(409, "conflict");
    assert!(
        refused.detail().contains("acme, globex"),
        "{}",
        refused.detail()
    );
    for tenant in ["acme", "globex", "ACME"] {
        let answer = try_login(&server, "tom", PASSWORD, json!(tenant))
            .await
            .expect(200);
        assert_eq!(answer.body["tenant"], tenant.to_lowercase());
    }
    people.user("lonely").await;
    try_login(&server, "lonely", PASSWORD, Value::Null)
        .await
        .expect_problem(409, "conflict");
    // An administrator needs no tenant.
    let root = try_login(&server, "root", PASSWORD, Value::Null)
        .await
        .expect(200);
    assert!(root.body["tenant"].is_null());
}

#[tokio::test(flavor = "multi_thread")]
async fn usernames_and_tenants_are_unique_without_regard_to_case() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    for username in ["Tom", "TOM", "tOm"] {
        let answer = try_login(&server, username, PASSWORD, Value::Null)
            .await
            .expect(200);
        let me = server
            .client()
            .with_token(answer.text("access_token"))
            .get("/v1/me")
            .await
            .expect(200);
        assert_eq!(me.body["principal"], "human:tom");
        assert_eq!(me.body["scopes"][0], "actor:tom");
        let body = json!({"username": username, "password": PASSWORD, "display_name": "Tom"});
        people
            .root
            .post("/v1/users", body)
            .await
            .expect_problem(409, "already-exists");
    }
    let body = json!({"id": "ACME", "name": "x"});
    people
        .root
        .post("/v1/tenants", body)
        .await
        .expect_problem(409, "already-exists");
    // A member under another writing of its name is the same member.
    people.member("acme", "TOM", "auditor").await.expect(200);
    let members = people
        .root
        .get("/v1/tenants/acme/members")
        .await
        .expect(200);
    let names: Vec<&Value> = members.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["username"])
        .collect();
    assert_eq!(names, ["ines", "maria", "mia", "pavel", "tom"]);
}

fn rate(burst: u32, seconds: u64) -> Rate {
    Rate {
        burst: NonZeroU32::new(burst).unwrap(),
        every: Duration::from_secs(seconds),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_is_tried_so_often_and_no_more() {
    let builder = Builder {
        rates: Some(PasswordRates {
            account: rate(3, 30),
            address: rate(1000, 1),
        }),
        ..Builder::default()
    };
    let server = builder.start().await;
    let people = People::usual(&server).await;
    // A user that there is and one that there is not run out alike.
    for username in ["tom", "nobody"] {
        for _ in 0..3 {
            try_login(&server, username, "wrong", Value::Null)
                .await
                .expect(401);
        }
        let refused = try_login(&server, username, PASSWORD, Value::Null).await;
        let refused = refused.expect_problem(429, "too-many-requests");
        assert_eq!(refused.headers["retry-after"], "30");
        // Another writing is the same account.
        let again = try_login(&server, &username.to_uppercase(), PASSWORD, Value::Null).await;
        assert_eq!(again.expect(429).bytes, refused.bytes);
    }
    server.advance(29);
    let refused = try_login(&server, "tom", PASSWORD, Value::Null)
        .await
        .expect(429);
    assert_eq!(refused.headers["retry-after"], "1");
    server.advance(1);
    try_login(&server, "tom", PASSWORD, Value::Null)
        .await
        .expect(200);
    try_login(&server, "tom", PASSWORD, Value::Null)
        .await
        .expect(429);
    // Stepping up counts as well, because it proves a password, but by itself: logins use up none of it.
    server.advance(300);
    let maria = people.human("maria").await;
    let body = json!({"scope": "tenant:acme", "password": "wrong", "reason": "x"});
    for _ in 0..3 {
        maria
            .post("/v1/elevate", body.clone())
            .await
            .expect_problem(401, "unauthenticated");
    }
    maria
        .post("/v1/elevate", body)
        .await
        .expect_problem(429, "too-many-requests");
    people.human("maria").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_tried_so_often_and_no_more() {
    let builder = Builder {
        rates: Some(PasswordRates {
            account: rate(1000, 1),
            address: rate(5, 10),
        }),
        ..Builder::default()
    };
    let server = builder.start().await;
    for number in 0..5 {
        try_login(&server, &format!("user-{number}"), "x", Value::Null)
            .await
            .expect(401);
    }
    let client = server.client();
    for address in ["1.2.3.4", "10.0.0.1, 10.0.0.2"] {
        // Nobody has said that a proxy may speak for others.
        let body = json!({"username": "a", "password": "b"});
        let headers = [("x-forwarded-for", address)];
        let refused = client
            .send(hyper::Method::POST, "/v1/login", &headers, Some(body))
            .await;
        assert_eq!(
            refused.expect_problem(429, "too-many-requests").headers["retry-after"],
            "10"
        );
    }
    server.advance(10);
    try_login(&server, "user-9", "x", Value::Null)
        .await
        .expect(401);
}
