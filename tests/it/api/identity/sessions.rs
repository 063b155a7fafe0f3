//! Sessions: refresh tokens work once, reuse ends the family, logging out ends everything.

use serde_json::{Value, json};

use super::{PASSWORD, ended, refresh, try_login};
use crate::harness::{People, TestServer, elevate};

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_token_works_once_and_reuse_ends_the_family() {
    let server = TestServer::start().await;
    let _people = People::usual(&server).await;
    let login = try_login(&server, "maria", PASSWORD, Value::Null)
        .await
        .expect(200);
    let other = try_login(&server, "maria", PASSWORD, Value::Null)
        .await
        .expect(200);
    let first = server.client().with_token(login.text("access_token"));
    let elevated = elevate(&first, "tenant:acme").await;

    let next = refresh(&server, &login.text("refresh_token"))
        .await
        .expect(200);
    assert_eq!(next.body["tenant"], "acme");
    let second = server.client().with_token(next.text("access_token"));
    second.get("/v1/me").await.expect(200);
    first.get("/v1/me").await.expect(200);

    // Someone uses the first again: it was stolen, by them or by the other.
    let reused = refresh(&server, &login.text("refresh_token"))
        .await
        .expect_problem(401, "unauthenticated");
    let unknown = refresh(&server, "vrt_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
        .await
        .expect(401);
    assert_eq!(reused.bytes, unknown.bytes);
    refresh(&server, &next.text("refresh_token"))
        .await
        .expect(401);
    for client in [&first, &second, &elevated] {
        ended(client.get("/v1/me").await);
    }
    // The other login is another family.
    server
        .client()
        .with_token(other.text("access_token"))
        .get("/v1/me")
        .await
        .expect(200);
    refresh(&server, &other.text("refresh_token"))
        .await
        .expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_uses_at_once_are_one_use_and_one_reuse() {
    let server = TestServer::start().await;
    let _people = People::usual(&server).await;
    for _ in 0..10 {
        let login = try_login(&server, "tom", PASSWORD, Value::Null)
            .await
            .expect(200);
        let token = login.text("refresh_token");
        let (a, b) = tokio::join!(refresh(&server, &token), refresh(&server, &token));
        let mut statuses = [a.status.as_u16(), b.status.as_u16()];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 401]);
        ended(
            server
                .client()
                .with_token(login.text("access_token"))
                .get("/v1/me")
                .await,
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_that_are_no_refresh_tokens() {
    let server = TestServer::start().await;
    let _people = People::usual(&server).await;
    let login = try_login(&server, "tom", PASSWORD, Value::Null)
        .await
        .expect(200);
    let token = login.text("refresh_token");
    for bad in [
        String::new(),
        "x".into(),
        token[..token.len() - 1].to_owned(),
        format!("{token} "),
        format!("{token}A"),
        token.to_uppercase(),
        login.text("access_token"),
    ] {
        refresh(&server, &bad)
            .await
            .expect_problem(401, "unauthenticated");
    }
    // A refresh token is no access token.
    server
        .client()
        .with_token(&token)
        .get("/v1/me")
        .await
        .expect_problem(401, "unauthenticated");
    refresh(&server, &token).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_ends_after_thirty_days() {
    let server = TestServer::start().await;
    let _people = People::usual(&server).await;
    let login = try_login(&server, "tom", PASSWORD, Value::Null)
        .await
        .expect(200);
    server.advance(29 * 86_400);
    let next = refresh(&server, &login.text("refresh_token"))
        .await
        .expect(200);
    // Refreshing does not prolong the login.
    server.advance(86_400);
    refresh(&server, &next.text("refresh_token"))
        .await
        .expect(401);
}

#[tokio::test(flavor = "multi_thread")]
async fn logging_out_ends_the_session_with_all_it_gave() {
    let mut server = TestServer::start().await;
    let people = People::usual(&server).await;
    let login = try_login(&server, "maria", PASSWORD, Value::Null)
        .await
        .expect(200);
    let client = server.client().with_token(login.text("access_token"));
    let elevated = elevate(&client, "tenant:acme").await;
    let offer = client.turn("t-1").await.expect(200).text("offer");
    let other = people.human("maria").await;
    client
        .send(hyper::Method::POST, "/v1/logout", &[], None)
        .await
        .expect(204);
    for token in [&client, &elevated] {
        ended(token.get("/v1/me").await);
        ended(token.post("/v1/catalog", json!({})).await);
        ended(token.load(&offer, "x").await);
        ended(token.create("tenant:acme", "x", "x").await);
        ended(
            token
                .send(hyper::Method::POST, "/v1/logout", &[], None)
                .await,
        );
    }
    refresh(&server, &login.text("refresh_token"))
        .await
        .expect(401);
    other.get("/v1/me").await.expect(200);
    // It is so after a restart as well.
    server.restart().await;
    ended(
        server
            .client()
            .with_token(client.token())
            .get("/v1/me")
            .await,
    );
}
