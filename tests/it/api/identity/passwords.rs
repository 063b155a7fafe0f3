//! Which passwords there may be, and that one written in two ways is one.

use serde_json::{Value, json};

use super::try_login;
use crate::harness::{People, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn passwords_have_a_length_and_no_other_rule() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let create = async |username: &str, password: &str| {
        let body = json!({"username": username, "password": password, "display_name": "x"});
        people.root.post("/v1/users", body).await
    };
    for password in [
        "",
        "short",
        "elevenchars",
        &"x".repeat(257),
        &"\u{1f600}".repeat(257),
        &"x".repeat(5000),
    ] {
        let refused = create("new", password)
            .await
            .expect_problem(422, "weak-password");
        assert_eq!(refused.body["field"], "password");
        assert!(password.is_empty() || !refused.detail().contains(password));
    }
    for (number, password) in [
        "twelve chars".to_owned(),
        "x".repeat(256),
        "\u{1f600}".repeat(12),
        "            ".to_owned(),
        "p\u{0}ssword with nul".to_owned(),
    ]
    .into_iter()
    .enumerate()
    {
        let username = format!("user-{number}");
        create(&username, &password).await.expect(201);
        people.member("acme", &username, "member").await.expect(200);
        try_login(&server, &username, &password, Value::Null)
            .await
            .expect(200);
        try_login(&server, &username, &format!("{password}x"), Value::Null)
            .await
            .expect(401);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_the_same_however_its_letters_are_composed() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let (composed, decomposed) = (
        "caf\u{e9} caf\u{e9} caf\u{e9}",
        "cafe\u{301} cafe\u{301} cafe\u{301}",
    );
    for (username, password) in [("one", composed), ("two", decomposed)] {
        let body = json!({"username": username, "password": password, "display_name": "x"});
        people.root.post("/v1/users", body).await.expect(201);
        people.member("acme", username, "member").await.expect(200);
        for written in [composed, decomposed] {
            try_login(&server, username, written, Value::Null)
                .await
                .expect(200);
        }
        try_login(&server, username, "cafe cafe cafe", Value::Null)
            .await
            .expect(401);
    }
}
