//! Access tokens that the server did not make (threats 9 and 10; RFC 8725), over HTTP. The forger has the server's own
//! keys, so that only the one thing that a case is about is wrong with it.

use hyper::Method;
use serde_json::{Value, json};
use vestry::clock::SECOND;

use super::forge::{Forge, opened, with};
use super::state::State;
use crate::harness::{Builder, Client, People, Response, START, TestServer, content};

/// When the tests begin, in seconds.
pub(super) const NOW: i64 = START.0 / SECOND;

/// What the cases are made of: one valid token of each kind, and the keys.
pub(super) struct Honest {
    pub(super) forge: Forge,
    pub(super) human: String,
    pub(super) elevated: String,
    pub(super) agent: String,
    pub(super) offer: String,
    /// Tokens of another installation.
    pub(super) foreign: Vec<String>,
}

/// A case: what it is, and the token.
pub(super) type Case = (String, String);

async fn honest(server: &TestServer, people: &mut People) -> Honest {
    let human = people.human("maria").await.token().to_owned();
    let elevated = people.elevated("maria", "tenant:acme").await;
    elevated
        .create("tenant:acme", "refunds", "refunds")
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "support-bot").await;
    let offer = agent.turn("t-1").await.expect(200).text("offer");

    let builder = Builder {
        seed: 99,
        ..Builder::default()
    };
    let other = builder.start().await;
    let mut others = People::usual(&other).await;
    let foreign = vec![
        others.human("maria").await.token().to_owned(),
        others.root.token().to_owned(),
        others
            .agent("acme", "tom", "support-bot")
            .await
            .token()
            .to_owned(),
    ];
    Honest {
        forge: Forge::of(server),
        human,
        elevated: elevated.token().to_owned(),
        agent: agent.token().to_owned(),
        offer,
        foreign,
    }
}

/// Everything of an answer but its date and its id.
fn fingerprint(response: &Response) -> (u16, Vec<(String, String)>, Vec<u8>) {
    let mut headers: Vec<(String, String)> = response
        .headers
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "date" | "x-request-id"))
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    headers.sort();
    (response.status.as_u16(), headers, response.bytes.to_vec())
}

/// A read, a turn, and a write that the honest tokens are good for.
async fn answers(client: &Client) -> Vec<Response> {
    vec![
        client.get("/v1/me").await,
        client.post("/v1/catalog", json!({"turn": "forged"})).await,
        client
            .send(
                Method::PUT,
                "/v1/skills/tenant:acme/forged",
                &[("if-none-match", "*")],
                Some(content("forging")),
            )
            .await,
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_forged_token_gets_one_and_the_same_401_and_writes_nothing() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let honest = honest(&server, &mut people).await;
    let state = State::of(&people).await;
    let anonymous = server.client();

    let before = state.now().await;
    let reference: Vec<_> = answers(&anonymous).await.iter().map(fingerprint).collect();
    let (status, headers, body) = &reference[0];
    let document: Value = serde_json::from_slice(body).unwrap();
    assert_eq!(
        (*status, &document["code"]),
        (401, &json!("unauthenticated"))
    );
    assert!(headers.contains(&("www-authenticate".to_owned(), "Bearer".to_owned())));

    let cases = super::forged_corpus::cases(&honest);
    let mut names: Vec<&String> = cases.iter().map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), cases.len(), "two cases have one name");
    assert!(cases.len() >= 60, "only {} cases", cases.len());
    println!("{} forged tokens", cases.len());
    let mut accepted = Vec::new();
    for (name, token) in &cases {
        let answers = answers(&anonymous.with_token(token)).await;
        for (answer, expected) in answers.iter().zip(&reference) {
            if fingerprint(answer) != *expected {
                accepted.push(format!("{name}: {} {}", answer.status, answer.body));
            }
        }
    }
    assert!(accepted.is_empty(), "{accepted:#?}");
    State::same(&before, &state.now().await);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_forger_writes_valid_tokens_when_it_wants_to() {
    // Else the test above would prove nothing: each kind of token is valid until one thing about it is changed.
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let honest = honest(&server, &mut people).await;
    let client = server.client();
    for (ring, token) in [
        ("human", &honest.human),
        ("elevated", &honest.elevated),
        ("agent", &honest.agent),
    ] {
        let (header, claims) = opened(token);
        assert_eq!(header, honest.forge.header(ring));
        let same = honest.forge.claims(ring, &claims);
        client.with_token(same).get("/v1/me").await.expect(200);
    }
    let (_, claims) = opened(&honest.offer);
    let offer = honest.forge.claims("offer", &claims);
    let agent = client.with_token(&honest.agent);
    agent.load(&offer, "refunds").await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_leeway_is_five_seconds_and_no_more() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let forge = Forge::of(&server);
    let token = people.human("maria").await.token().to_owned();
    let (_, claims) = opened(&token);
    let client = server.client();
    let ending = |exp: i64| {
        let claims = with(&with(&claims, "exp", exp), "iat", exp - 900);
        with(&claims, "nbf", exp - 900)
    };
    for (claims, status) in [
        (ending(NOW + 1), 200),
        (ending(NOW), 200),
        (ending(NOW - 4), 200),
        (ending(NOW - 5), 401),
        (ending(NOW - 6), 401),
        (with(&claims, "nbf", NOW + 5), 200),
        (with(&claims, "nbf", NOW + 6), 401),
        (with(&with(&claims, "iat", NOW + 5), "exp", NOW + 905), 200),
        (with(&with(&claims, "iat", NOW + 6), "exp", NOW + 906), 401),
    ] {
        let client = client.with_token(forge.claims("human", &claims));
        // Twice: what is remembered of a token must not change the answer.
        for _ in 0..2 {
            let answer = client.get("/v1/me").await;
            assert_eq!(answer.status, status, "{claims}");
        }
    }
    // The same by the clock, for a token that is remembered already.
    let maria = client.with_token(&token);
    maria.get("/v1/me").await.expect(200);
    server.advance(904);
    maria.get("/v1/me").await.expect(200);
    server.advance(1);
    maria
        .get("/v1/me")
        .await
        .expect_problem(401, "unauthenticated");
}
