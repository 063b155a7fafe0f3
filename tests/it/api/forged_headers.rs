//! What a token brings along, how it is sent, and every byte of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use hyper::Method;
use serde_json::json;
use tokio::net::TcpListener;

use super::forge::{Forge, b64, mac, opened, with};
use crate::harness::{People, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn a_token_cannot_bring_its_own_key() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let forge = Forge::of(&server);
    let (header, claims) = opened(people.human("maria").await.token());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/keys.json", listener.local_addr().unwrap());
    let visits = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&visits);
    let listening = tokio::spawn(async move {
        while listener.accept().await.is_ok() {
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });

    let own = [7_u8; 32];
    let jwk = json!({"kty": "oct", "k": b64(own), "alg": "HS256", "kid": forge.kid("human")});
    for (name, value) in [
        ("jku", json!(url)),
        ("x5u", json!(url)),
        ("jwk", jwk),
        ("x5c", json!([b64(own)])),
        ("x5t", json!(b64(own))),
    ] {
        let header = with(&header, name, value).to_string();
        let message = format!("{}.{}", b64(&header), b64(claims.to_string()));
        // Signed with the key that it brings: no. Signed with ours: what it brings is ignored.
        let client = server.client().with_token(mac(&own, &message));
        client
            .get("/v1/me")
            .await
            .expect_problem(401, "unauthenticated");
        let client = server
            .client()
            .with_token(forge.sign("human", &header, &claims.to_string()));
        client.get("/v1/me").await.expect(200);
    }
    assert_eq!(visits.load(Ordering::SeqCst), 0, "a key was fetched");
    listening.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_authorization_header_is_read_strictly() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let token = people.human("maria").await.token().to_owned();
    let other = people.human("tom").await.token().to_owned();
    let client = server.client();
    let get = async |headers: &[(&str, &str)]| {
        let answer = client
            .try_raw(Method::GET, "/v1/me", headers, Vec::new())
            .await;
        answer.unwrap().status.as_u16()
    };
    for scheme in ["Bearer", "bearer", "BEARER"] {
        assert_eq!(
            get(&[("authorization", &format!("{scheme} {token}"))]).await,
            200
        );
    }
    for value in [
        String::new(),
        token.clone(),
        format!("Bearer{token}"),
        format!("Bearer\t{token}"),
        format!("Bearer  {token}"),
        format!("Bearer {token},{token}"),
        format!("Bearer {token} {token}"),
        format!("Bearer \"{token}\""),
        format!("Basic {token}"),
        format!("DPoP {token}"),
        "Bearer".to_owned(),
        "Bearer ".to_owned(),
        "Bearer null".to_owned(),
        format!("Bearer {token}\u{e9}"),
    ] {
        assert_eq!(get(&[("authorization", &value)]).await, 401, "{value:?}");
    }
    for (one, two) in [(&token, &token), (&token, &other), (&other, &token)] {
        let (one, two) = (format!("Bearer {one}"), format!("Bearer {two}"));
        let both = [
            ("authorization", one.as_str()),
            ("authorization", two.as_str()),
        ];
        assert_eq!(get(&both).await, 401);
    }
    // Nowhere else: not in the query, not in a cookie.
    assert_eq!(
        get(&[("cookie", &format!("access_token={token}"))]).await,
        401
    );
    let path = format!("/v1/me?access_token={token}");
    client.get(&path).await.expect_problem(400, "malformed");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_byte_of_a_token_can_be_changed_or_cut() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let token = people.human("maria").await.token().to_owned();
    let client = server.client();
    let refused = async |forged: &[u8]| {
        let header = [b"Bearer ", forged].concat();
        let header = String::from_utf8(header).unwrap();
        let headers = [("authorization", header.as_str())];
        let answer = client
            .try_raw(Method::GET, "/v1/me", &headers, Vec::new())
            .await;
        assert_eq!(answer.unwrap().status, 401, "{header}");
    };
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for position in 0..token.len() {
        let mut bytes = token.clone().into_bytes();
        let was = bytes[position];
        // The neighbours differ in the last bit and in the first one; `=` and `.` break the form.
        let place = alphabet.iter().position(|byte| *byte == was).unwrap_or(0);
        for other in [alphabet[place ^ 1], alphabet[place ^ 32], b'=', b'.', b'~'] {
            if other != was {
                bytes[position] = other;
                refused(&bytes).await;
            }
        }
        refused(&token.as_bytes()[..position]).await;
        refused(&token.as_bytes()[position + 1..]).await;
    }
    // Two bits of the last character of a signature mean nothing: all but one writing of them are refused.
    let mut bytes = token.clone().into_bytes();
    let last = bytes.len() - 1;
    for other in alphabet
        .iter()
        .filter(|byte| **byte != token.as_bytes()[last])
    {
        bytes[last] = *other;
        refused(&bytes).await;
    }
    client.with_token(&token).get("/v1/me").await.expect(200);
}
