//! Offers.

use vestry_policies::{Digest, SkillName};

use super::*;

fn entries(count: usize, name_len: usize) -> Vec<PinnedEntry> {
    (0..count)
        .map(|i| PinnedEntry {
            name: SkillName::parse(&format!("{i:0>name_len$}")).unwrap(),
            places: Places::new(0, [1, 2]).unwrap(),
            revision: u32::MAX,
            digest: Digest([0xff; 32]),
        })
        .collect()
}

fn facts(turn: &TurnName) -> OfferFacts<'_> {
    OfferFacts {
        turn,
        issued_at: Micros(NOW * SECOND + 999_999),
        ttl_seconds: DEFAULT_OFFER_TTL_SECONDS,
        jti: Jti::parse("AAAAAAAAAAAAAAAAAAAAAA").unwrap(),
    }
}

fn turn() -> TurnName {
    TurnName::parse("t-1").unwrap()
}

#[test]
fn an_offer_comes_back_whole() {
    let w = world();
    let bot = w.agent("acme", "u1", "bot");
    for count in [0, 1, 2, 3, 20] {
        // Names of every length bring the prefix to every remainder of three.
        for name_len in 3..9 {
            let pinned = entries(count, name_len);
            let token = w
                .identity
                .prepare_offer(&pinned)
                .sign(&bot, &facts(&turn()));
            let offer = w.identity.verify_offer(&token, &bot).unwrap();
            assert_eq!(offer.entries(), pinned);
            assert_eq!(offer.turn().as_str(), "t-1");
            assert_eq!(
                (offer.actor_epoch(), offer.service_epoch()),
                (Some(3), Some(5))
            );
            assert_eq!(offer.expires_at(), Micros((NOW + 900) * SECOND));
            if let Some(first) = pinned.first() {
                assert_eq!(offer.find(first.name.as_str()), Some(first));
                assert_eq!(offer.names().next(), Some(&first.name));
            }
            assert_eq!(offer.find("other"), None);
        }
    }
}

#[test]
fn an_offer_is_a_plain_jws_and_no_access_token() {
    let w = world();
    let bot = w.agent("acme", "u1", "bot");
    let token = w
        .identity
        .prepare_offer(&entries(2, 5))
        .sign(&bot, &facts(&turn()));
    let (message, signature) = token.rsplit_once('.').unwrap();
    let (header, payload) = message.split_once('.').unwrap();
    let header = URL_SAFE_NO_PAD.decode(header).unwrap();
    let payload = URL_SAFE_NO_PAD.decode(payload).unwrap();
    let again = forge(
        std::str::from_utf8(&header).unwrap(),
        std::str::from_utf8(&payload).unwrap(),
        &secret(Ring::Offer),
    );
    assert!(again.ends_with(signature));
    assert_eq!(
        w.identity.verify_access(&token).unwrap_err(),
        TokenError::WrongKind
    );
}

#[test]
fn an_offer_is_for_one_caller() {
    let w = world();
    let bot = w.agent("acme", "u1", "bot");
    let prepared = w.identity.prepare_offer(&entries(1, 5));
    let token = prepared.sign(&bot, &facts(&turn()));
    let others = [
        w.agent("other", "u1", "bot"),
        w.agent("acme", "u2", "bot"),
        w.agent("acme", "u1", "bot2"),
        w.human("u1", Some("acme")),
        w.human("u1", None),
        w.human("bot", Some("acme")),
    ];
    for other in &others {
        assert_eq!(
            w.identity.verify_offer(&token, other).unwrap_err(),
            OfferError::Invalid,
            "{other:?}"
        );
        let theirs = prepared.sign(other, &facts(&turn()));
        assert!(w.identity.verify_offer(&theirs, other).is_ok());
        assert!(w.identity.verify_offer(&theirs, &bot).is_err());
    }
    // Another token of the same agent may use it, as a later one of a long run does.
    let again = w.agent("acme", "u1", "bot");
    assert_ne!(again.jti(), bot.jti());
    assert!(w.identity.verify_offer(&token, &again).is_ok());
}

#[test]
fn an_offer_ends_and_cannot_be_changed() {
    let w = world();
    let alice = w.human("alice", Some("acme"));
    let token = w
        .identity
        .prepare_offer(&entries(3, 5))
        .sign(&alice, &facts(&turn()));
    for at in 0..token.len() {
        let mut bytes = token.clone().into_bytes();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).unwrap();
        assert_eq!(
            w.identity.verify_offer(&changed, &alice).unwrap_err(),
            OfferError::Invalid
        );
    }
    w.clock.advance_seconds(905);
    assert_eq!(
        w.identity.verify_offer(&token, &alice).unwrap_err(),
        OfferError::Expired
    );
    let bob = w.human("bob", Some("acme"));
    assert_eq!(
        w.identity.verify_offer(&token, &bob).unwrap_err(),
        OfferError::Invalid,
        "of another's offer nothing is told"
    );
}

#[test]
fn a_lifetime_is_held_to_an_hour() {
    let w = world();
    let alice = w.human("alice", Some("acme"));
    let name = turn();
    for (asked, given) in [(0, 1), (-5, 1), (3600, 3600), (i64::MAX, 3600)] {
        let facts = OfferFacts {
            ttl_seconds: asked,
            ..facts(&name)
        };
        let token = w.identity.prepare_offer(&[]).sign(&alice, &facts);
        let offer = w.identity.verify_offer(&token, &alice).unwrap();
        assert_eq!(offer.expires_at(), Micros((NOW + given) * SECOND));
    }
}

/// The longest of everything: kid, issuer, ids, turn, epochs, names and revisions.
fn longest(count: usize) -> usize {
    let clock = Arc::new(ManualClock::new(Micros(9_999_999_000 * SECOND)));
    let mut raw = raw_keys();
    for key in &mut raw {
        key.kid = format!("{:k>16}", key.kid);
    }
    let identity = Identity::new(
        Arc::new(KeyRings::from_raw(&raw).unwrap()),
        &"i".repeat(MAX_ISSUER_LEN),
        clock,
        Arc::new(SeededEntropy::new(1)),
        PasswordParams::cheap_for_tests(),
    )
    .unwrap();
    let minted = identity
        .mint_agent(&AgentGrant {
            tenant: &tenant(&"t".repeat(64)),
            actor: &ActorId::parse(&"a".repeat(64)).unwrap(),
            agent: &AgentId::parse(&"g".repeat(64)).unwrap(),
            service_id: &"s".repeat(64),
            service_epoch: u32::MAX,
            actor_epoch: u32::MAX,
            ttl_seconds: 3600,
        })
        .unwrap();
    let caller = identity.verify_access(&minted.token).unwrap();
    let turn = TurnName::parse(&"x".repeat(MAX_TURN_LEN)).unwrap();
    let facts = OfferFacts {
        issued_at: Micros(9_999_999_000 * SECOND),
        ..facts(&turn)
    };
    let token = identity
        .prepare_offer(&entries(count, 64))
        .sign(&caller, &facts);
    assert_eq!(
        identity
            .verify_offer(&token, &caller)
            .unwrap()
            .entries()
            .len(),
        count
    );
    token.len()
}

#[test]
fn an_offer_is_small() {
    println!("{} bytes at 20, {} at 200", longest(20), longest(200));
    assert!(longest(20) <= 4096, "{}", longest(20));
    assert!(longest(200) <= 35 * 1024, "{}", longest(200));
    assert!(longest(MAX_OFFER_ENTRIES) <= jwt::MAX_OFFER_BYTES);
}

/// Prints times; run with `cargo test --release -p vestry --lib identity -- --ignored --nocapture speed`.
#[test]
#[ignore = "prints times; asserts nothing"]
fn speed() {
    let w = world();
    let bot = w.agent("acme", "u1", "bot");
    let prepared = w.identity.prepare_offer(&entries(20, 20));
    let name = turn();
    let rounds = 100_000_u32;
    let start = std::time::Instant::now();
    for _ in 0..rounds {
        std::hint::black_box(prepared.sign(&bot, &facts(&name)));
    }
    println!("sign {:?}", start.elapsed() / rounds);
    let token = prepared.sign(&bot, &facts(&name));
    let start = std::time::Instant::now();
    for _ in 0..rounds {
        let _ = std::hint::black_box(w.identity.verify_offer(&token, &bot));
    }
    println!(
        "verify {:?} of {} bytes",
        start.elapsed() / rounds,
        token.len()
    );
}
