//! Offers that were not made for whoever shows them (threat 9, invariant 13).

use serde_json::{Value, json};

use super::forge::{Forge, b64, mac, opened, with, without};
use super::forged_tokens::NOW;
use super::state::State;
use crate::harness::{Builder, Client, People, TestServer};

struct Scene {
    server: TestServer,
    people: People,
    /// The owner of the offer: agent `support-bot` for actor `tom` of acme.
    owner: Client,
    offer: String,
}

async fn scene() -> Scene {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let root = people.root.clone();
    root.create("global", "refunds", "refunds")
        .await
        .expect(201);
    let owner = people.agent("acme", "tom", "support-bot").await;
    let offer = owner.turn("t-1").await.expect(200).text("offer");
    Scene {
        server,
        people,
        owner,
        offer,
    }
}

/// Everyone who shares something with the owner, but is not it.
async fn strangers(people: &mut People) -> Vec<(&'static str, Client)> {
    let mut strangers = vec![
        (
            "another agent of the actor",
            people.agent("acme", "tom", "other-bot").await,
        ),
        (
            "the agent for another actor",
            people.agent("acme", "mia", "support-bot").await,
        ),
        (
            "the same names in another tenant",
            people.agent("globex", "tom", "support-bot").await,
        ),
        (
            "actor and agent swapped",
            people.agent("acme", "support-bot", "tom").await,
        ),
        (
            "a part moved",
            people.agent("acme", "tom:", "support-bot").await,
        ),
        (
            "a case changed",
            people.agent("acme", "Tom", "support-bot").await,
        ),
        ("an administrator", people.root.clone()),
    ];
    for human in ["tom", "mia", "maria", "greta"] {
        strangers.push(("a human", people.human(human).await));
    }
    let tom = people.human("tom").await;
    let key = tom
        .post("/v1/keys", json!({"name": "script"}))
        .await
        .expect(201);
    strangers.push(("the human's key", tom.with_token(key.text("key"))));
    strangers
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offer_is_good_for_its_owner_only() {
    let mut scene = scene().await;
    let strangers = strangers(&mut scene.people).await;
    let state = State::of(&scene.people).await;
    let before = state.now().await;
    let mut first: Option<Vec<u8>> = None;
    for (who, stranger) in &strangers {
        for name in ["refunds", "no-such-skill", "", "\u{0}"] {
            let refused = stranger.load(&scene.offer, name).await;
            let refused = refused.expect_problem(401, "offer-invalid");
            assert_eq!(refused.headers["www-authenticate"], "Bearer");
            let bytes = refused.bytes.to_vec();
            assert_eq!(*first.get_or_insert_with(|| bytes.clone()), bytes, "{who}");
        }
    }
    State::same(&before, &state.now().await);
    // That it has been verified for its owner, and is remembered, opens it to nobody.
    scene.owner.load(&scene.offer, "refunds").await.expect(200);
    for (who, stranger) in &strangers {
        let refused = stranger.load(&scene.offer, "refunds").await;
        assert_eq!(refused.code(), "offer-invalid", "{who}");
    }
    // A service has no turns at all.
    let service = scene.people.service("acme").await;
    let refused = service.load(&scene.offer, "refunds").await;
    assert_eq!(refused.expect_problem(403, "refused").rule(), "needs-actor");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_owner_learns_that_an_offer_has_expired() {
    let mut scene = scene().await;
    // The owner has loaded from one of its two offers, so that one is remembered and one is not.
    let other = scene.owner.turn("t-1").await.expect(200).text("offer");
    scene.owner.load(&scene.offer, "refunds").await.expect(200);
    scene.server.advance(904);
    for offer in [&scene.offer, &other] {
        scene.owner.load(offer, "refunds").await.expect(200);
    }
    scene.server.advance(1);
    for offer in [&scene.offer, &other] {
        let refused = scene.owner.load(offer, "refunds").await;
        refused.expect_problem(401, "offer-expired");
    }
    for (who, stranger) in strangers(&mut scene.people).await {
        if who == "an administrator" {
            continue; // Its own token has ended by now.
        }
        let refused = stranger.load(&scene.offer, "refunds").await;
        assert_eq!(refused.code(), "offer-invalid", "{who}");
    }
    // The turn asked again gives a fresh one.
    let fresh = scene.owner.turn("t-1").await.expect(200).text("offer");
    scene.owner.load(&fresh, "refunds").await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_field_of_an_offer_can_be_changed() {
    let mut scene = scene().await;
    let forge = Forge::of(&scene.server);
    let (header, claims) = opened(&scene.offer);
    let mia = scene.people.agent("acme", "mia", "support-bot").await;
    let (_, other) = opened(&mia.turn("t-1").await.expect(200).text("offer"));
    let entry = claims["e"][0].clone();
    let entries = |index: usize, value: Value| {
        let mut entry = entry.clone();
        entry[index] = value;
        json!([entry])
    };
    let mut cases: Vec<(String, String)> = Vec::new();
    for name in ["e", "iss", "aud", "sub", "turn", "iat", "nbf", "exp", "jti"] {
        cases.push((
            format!("no {name}"),
            forge.claims("offer", &without(&claims, name)),
        ));
        let null = with(&claims, name, Value::Null);
        cases.push((format!("{name} null"), forge.claims("offer", &null)));
    }
    for (name, value) in [
        ("sub", other["sub"].clone()),
        ("sub", json!("")),
        ("sub", json!(claims["sub"].as_str().unwrap().to_lowercase())),
        (
            "sub",
            json!(format!("{} ", claims["sub"].as_str().unwrap())),
        ),
        ("aud", json!("vestry")),
        ("aud", json!(["vestry:offer"])),
        ("iss", json!("evil")),
        ("exp", json!(NOW + 3601)),
        ("nbf", json!(NOW + 6)),
        ("jti", json!("x")),
        ("turn", json!("")),
        ("turn", json!("a b")),
        ("aep", json!("0")),
        ("aep", json!(-1)),
        ("tenant", json!("acme")),
        ("names", json!(["refunds"])),
        ("e", json!([])),
        ("e", json!({})),
        ("e", json!([["refunds"]])),
        ("e", entries(0, json!("Refunds"))),
        ("e", entries(0, json!("../refunds"))),
        ("e", entries(1, json!(0))),
        ("e", entries(1, json!(256))),
        ("e", entries(1, json!(128))),
        ("e", entries(2, json!(-1))),
        ("e", entries(3, json!("short"))),
        (
            "e",
            entries(3, json!(format!("{}=", entry[3].as_str().unwrap()))),
        ),
        ("e", json!(vec![entry.clone(); 257])),
    ] {
        let text = format!("{name} is {value}");
        let forged = forge.claims("offer", &with(&claims, name, value));
        cases.push((text.chars().take(60).collect(), forged));
    }
    let text = claims.to_string();
    let twice = format!("{},\"sub\":{}}}", text.trim_end_matches('}'), claims["sub"]);
    cases.push((
        "sub twice".into(),
        forge.sign("offer", &header.to_string(), &twice),
    ));
    for (name, header) in [
        ("alg none", with(&header, "alg", "none")),
        ("no kid", without(&header, "kid")),
        (
            "kid of the human ring",
            with(&header, "kid", forge.kid("human")),
        ),
        ("typ of an access token", with(&header, "typ", "at+jwt")),
        ("crit", with(&header, "crit", json!(["exp"]))),
    ] {
        cases.push((name.into(), forge.sign("offer", &header.to_string(), &text)));
    }
    for ring in ["human", "agent", "elevated", "cursor"] {
        let forged = forge.sign(ring, &header.to_string(), &text);
        cases.push((format!("key of {ring}"), forged));
    }
    cases.push(("an access token".into(), scene.owner.token().to_owned()));
    for (name, offer) in [
        ("empty", String::new()),
        ("a word", "offer".into()),
        ("padded", format!("{}=", scene.offer)),
        ("a space", format!(" {}", scene.offer)),
        ("cut", scene.offer[..scene.offer.len() - 1].to_owned()),
        (
            "70 kB",
            mac(
                &forge.secret("offer"),
                &format!("{}.{}", b64(header.to_string()), "A".repeat(70_000)),
            ),
        ),
        ("non-ASCII", "\u{e9}.\u{e9}.\u{e9}".into()),
    ] {
        cases.push((name.into(), offer));
    }
    println!("{} forged offers", cases.len());
    let mut accepted = Vec::new();
    for (name, offer) in cases {
        let answer = scene.owner.load(&offer, "refunds").await;
        // An offer of nothing is well formed: its answer is that of a name outside the offer.
        let expected = if name == "e is []" {
            "skill-not-offered"
        } else {
            "offer-invalid"
        };
        if answer.code() != expected {
            accepted.push(format!("{name}: {} {}", answer.status, answer.body));
        }
    }
    assert!(accepted.is_empty(), "{accepted:#?}");
    scene.owner.load(&scene.offer, "refunds").await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_offer_of_another_installation_is_none() {
    let scene = scene().await;
    let builder = Builder {
        seed: 99,
        ..Builder::default()
    };
    let other = builder.start().await;
    let mut others = People::usual(&other).await;
    let agent = others.agent("acme", "tom", "support-bot").await;
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    let refused = scene.owner.load(&offer, "refunds").await;
    refused.expect_problem(401, "offer-invalid");
}
