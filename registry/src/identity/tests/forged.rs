//! What is minted is read, and nothing else is.

use serde_json::{Value, json};
use vestry_policies::{Credential, PrincipalKind};

use super::*;

const HEADER: &str = r#"{"typ":"at+jwt","alg":"HS256","kid":"human"}"#;

fn human_claims() -> Value {
    json!({
        "iss": ISSUER, "aud": "vestry", "sub": "alice", "iat": NOW, "nbf": NOW, "exp": NOW + 900,
        "jti": "AAAAAAAAAAAAAAAAAAAAAA", "tenant": "acme", "sid": "ses_1", "aep": 3
    })
}

fn agent_claims() -> Value {
    json!({
        "iss": ISSUER, "aud": "vestry:agent", "sub": "u1", "act": {"sub": "bot"}, "iat": NOW, "nbf": NOW,
        "exp": NOW + 900, "jti": "AAAAAAAAAAAAAAAAAAAAAA", "tenant": "acme", "svc": "svc_1", "sep": 1, "aep": 1
    })
}

fn elevated_claims() -> Value {
    with(
        &with(&human_claims(), "aud", json!("vestry:elevated")),
        "elv",
        json!({"id": "elv_1", "scope": "tenant:acme"}),
    )
}

fn header(ring: Ring, typ: &str) -> String {
    json!({"typ": typ, "alg": "HS256", "kid": ring.as_str()}).to_string()
}

fn with(claims: &Value, name: &str, value: Value) -> Value {
    let mut claims = claims.clone();
    claims[name] = value;
    claims
}

fn without(claims: &Value, name: &str) -> Value {
    let mut claims = claims.clone();
    claims.as_object_mut().unwrap().remove(name);
    claims
}

#[test]
fn minted_tokens_are_read() {
    let w = world();
    let alice = w.human("alice", Some("acme"));
    assert_eq!(alice.kind(), PrincipalKind::Human);
    assert_eq!(alice.credential(), Credential::Session);
    assert_eq!(alice.actor().unwrap().as_str(), "alice");
    assert_eq!(alice.principal_text(), "human:alice");
    assert_eq!(alice.session_id(), Some("ses_1"));
    assert_eq!(alice.scopes().len(), 3);
    assert_eq!((alice.acts_for(), alice.elevation()), (None, None));
    assert_eq!(alice.expires_at(), Some(Micros((NOW + 900) * SECOND)));

    let admin = w.human("root", None);
    assert_eq!(admin.actor(), None);
    assert_eq!(admin.scopes(), [Scope::Global]);

    let bot = w.agent("acme", "u1", "support-bot");
    assert_eq!(bot.kind(), PrincipalKind::Agent);
    assert_eq!(bot.credential(), Credential::Minted);
    assert_eq!(bot.principal_text(), "agent:support-bot");
    assert_eq!(bot.acts_for().unwrap().as_str(), "u1");
    assert_eq!((bot.actor_epoch(), bot.service_epoch()), (Some(3), Some(5)));
    assert_eq!(bot.username(), None);

    let scope = Scope::Tenant(tenant("acme"));
    let minted = w.elevate(&scope, 60).unwrap();
    let elevated = w.identity.verify_access(&minted.token).unwrap();
    let claim = elevated.elevation().unwrap();
    assert_eq!((&*claim.id, &claim.scope), ("elv_1", &scope));
    assert_eq!(claim.expires_at, Micros((NOW + 60) * SECOND));
    assert!(!format!("{minted:?}").contains(&minted.token));
}

#[test]
fn grants_out_of_bounds_are_not_minted() {
    let w = world();
    let own = Scope::Actor {
        tenant: Some(tenant("acme")),
        actor: ActorId::parse("alice").unwrap(),
    };
    assert!(matches!(
        w.elevate(&own, 60),
        Err(MintError::ElevationScope)
    ));
    for ttl in [0, -1, 901, i64::MAX] {
        assert!(matches!(
            w.elevate(&Scope::Global, ttl),
            Err(MintError::Ttl { max: 900 })
        ));
    }
}

/// The corpus is only worth something if its starting points are accepted.
#[test]
fn the_templates_of_the_forgeries_are_right() {
    let w = world();
    for (ring, typ, claims) in [
        (Ring::Human, "at+jwt", human_claims()),
        (Ring::Elevated, "elevated+jwt", elevated_claims()),
        (Ring::Agent, "agent+jwt", agent_claims()),
    ] {
        let token = forge(&header(ring, typ), &claims.to_string(), &secret(ring));
        w.identity.verify_access(&token).unwrap();
    }
    // Keys that a header brings are ignored.
    let loud = r#"{"typ":"at+jwt","alg":"HS256","kid":"human","jku":"https://evil.example/k","x5u":"u","x5t":"t",
        "x5c":["c"],"jwk":{"kty":"oct","k":"AAAA"}}"#;
    let token = forge(loud, &human_claims().to_string(), &secret(Ring::Human));
    w.identity.verify_access(&token).unwrap();
    // At the edges of the leeway.
    for (name, value) in [("nbf", NOW + 5), ("iat", NOW + 5), ("exp", NOW - 4)] {
        let mut claims = with(&human_claims(), "iat", json!(NOW - 10));
        claims["nbf"] = json!(NOW - 10);
        claims["exp"] = json!(NOW + 800);
        let token = forge(
            HEADER,
            &with(&claims, name, json!(value)).to_string(),
            &secret(Ring::Human),
        );
        assert!(w.identity.verify_access(&token).is_ok(), "{name}");
    }
}

#[test]
fn forged_headers_are_refused() {
    let w = world();
    let claims = human_claims().to_string();
    let key = secret(Ring::Human);
    for (what, header) in [
        ("alg none", r#"{"typ":"at+jwt","alg":"none","kid":"human"}"#),
        (
            "alg HS512",
            r#"{"typ":"at+jwt","alg":"HS512","kid":"human"}"#,
        ),
        (
            "alg RS256",
            r#"{"typ":"at+jwt","alg":"RS256","kid":"human"}"#,
        ),
        (
            "alg hs256",
            r#"{"typ":"at+jwt","alg":"hs256","kid":"human"}"#,
        ),
        ("no alg", r#"{"typ":"at+jwt","kid":"human"}"#),
        ("no typ", r#"{"alg":"HS256","kid":"human"}"#),
        ("typ JWT", r#"{"typ":"JWT","alg":"HS256","kid":"human"}"#),
        (
            "typ elevated",
            r#"{"typ":"elevated+jwt","alg":"HS256","kid":"human"}"#,
        ),
        ("typ null", r#"{"typ":null,"alg":"HS256","kid":"human"}"#),
        ("no kid", r#"{"typ":"at+jwt","alg":"HS256"}"#),
        (
            "unknown kid",
            r#"{"typ":"at+jwt","alg":"HS256","kid":"nobody"}"#,
        ),
        (
            "kid path",
            r#"{"typ":"at+jwt","alg":"HS256","kid":"../../dev/null"}"#,
        ),
        ("kid number", r#"{"typ":"at+jwt","alg":"HS256","kid":1}"#),
        (
            "kid of cursors",
            r#"{"typ":"at+jwt","alg":"HS256","kid":"cursor"}"#,
        ),
        (
            "kid of offers",
            r#"{"typ":"at+jwt","alg":"HS256","kid":"offer"}"#,
        ),
        (
            "crit",
            r#"{"typ":"at+jwt","alg":"HS256","kid":"human","crit":["exp"]}"#,
        ),
        (
            "crit null",
            r#"{"typ":"at+jwt","alg":"HS256","kid":"human","crit":null}"#,
        ),
        (
            "b64",
            r#"{"typ":"at+jwt","alg":"HS256","kid":"human","b64":true}"#,
        ),
        (
            "two kids",
            r#"{"typ":"at+jwt","alg":"HS256","kid":"x","kid":"human"}"#,
        ),
        (
            "two jku",
            r#"{"typ":"at+jwt","alg":"HS256","kid":"human","jku":1,"jku":2}"#,
        ),
        ("array", r#"["at+jwt","HS256","human"]"#),
        (
            "trailing",
            r#"{"typ":"at+jwt","alg":"HS256","kid":"human"} {}"#,
        ),
        ("empty", ""),
    ] {
        let token = forge(header, &claims, &key);
        assert!(w.identity.verify_access(&token).is_err(), "{what}");
    }
    let long = format!(
        r#"{{"typ":"at+jwt","alg":"HS256","kid":"human","x":"{}"}}"#,
        "x".repeat(2000)
    );
    assert!(
        w.identity
            .verify_access(&forge(&long, &claims, &key))
            .is_err()
    );
    for (what, with_key) in [
        ("the offer key", secret(Ring::Offer)),
        ("the agent key", secret(Ring::Agent)),
        ("an empty key", Vec::new()),
        ("the kid as key", b"human".to_vec()),
    ] {
        let token = forge(HEADER, &claims, &with_key);
        assert_eq!(
            w.identity.verify_access(&token).unwrap_err(),
            TokenError::Signature,
            "{what}"
        );
    }
}

#[test]
fn forged_claims_are_refused_also_when_well_signed() {
    let w = world();
    let good = human_claims();
    let mut corpus: Vec<(String, String, String)> = Vec::new();
    let mut add = |what: &str, ring: Ring, typ: &str, payload: String| {
        let token = forge(&header(ring, typ), &payload, &secret(ring));
        corpus.push((what.to_owned(), typ.to_owned(), token));
    };
    for (ring, typ, claims) in [
        (Ring::Human, "at+jwt", human_claims()),
        (Ring::Elevated, "elevated+jwt", elevated_claims()),
        (Ring::Agent, "agent+jwt", agent_claims()),
    ] {
        for name in claims.as_object().unwrap().keys() {
            // A human without a tenant is a global admin's token, and is right.
            if name != "tenant" || ring == Ring::Agent {
                let less = without(&claims, name).to_string();
                add(&format!("no {name}"), ring, typ, less);
            }
            for odd in [json!([]), json!(""), json!(1.5), json!({}), json!(true)] {
                let payload = with(&claims, name, odd.clone()).to_string();
                add(&format!("{name} = {odd}"), ring, typ, payload);
            }
            let text = claims.to_string();
            let doubled = format!("{{\"{name}\":{},{}", claims[name], &text[1..]);
            add(&format!("{name} twice"), ring, typ, doubled);
        }
        add(
            "unknown claim",
            ring,
            typ,
            with(&claims, "admin", json!(true)).to_string(),
        );
        add(
            "scopes claim",
            ring,
            typ,
            with(&claims, "scopes", json!(["global"])).to_string(),
        );
        add(
            "kind claim",
            ring,
            typ,
            with(&claims, "kind", json!("human")).to_string(),
        );
    }
    let act = json!({"sub": "bot"});
    add(
        "human with act",
        Ring::Human,
        "at+jwt",
        with(&good, "act", act.clone()).to_string(),
    );
    add(
        "human with null act",
        Ring::Human,
        "at+jwt",
        with(&good, "act", Value::Null).to_string(),
    );
    add(
        "elevated with act",
        Ring::Elevated,
        "elevated+jwt",
        with(&elevated_claims(), "act", act).to_string(),
    );
    add(
        "human with elv",
        Ring::Human,
        "at+jwt",
        with(&good, "elv", json!({"id": "elv_1", "scope": "global"})).to_string(),
    );
    add(
        "agent with elv",
        Ring::Agent,
        "agent+jwt",
        with(
            &agent_claims(),
            "elv",
            json!({"id": "e", "scope": "global"}),
        )
        .to_string(),
    );
    add(
        "nested act",
        Ring::Agent,
        "agent+jwt",
        with(
            &agent_claims(),
            "act",
            json!({"sub": "bot", "act": {"sub": "b"}}),
        )
        .to_string(),
    );
    add(
        "two act.sub",
        Ring::Agent,
        "agent+jwt",
        agent_claims()
            .to_string()
            .replace(r#"{"sub":"bot"}"#, r#"{"sub":"a","sub":"bot"}"#),
    );
    add(
        "elevated for an actor",
        Ring::Elevated,
        "elevated+jwt",
        with(
            &elevated_claims(),
            "elv",
            json!({"id": "e", "scope": "actor:alice"}),
        )
        .to_string(),
    );
    add(
        "elevated for two",
        Ring::Elevated,
        "elevated+jwt",
        with(
            &elevated_claims(),
            "elv",
            json!({"id": "e", "scope": ["global"]}),
        )
        .to_string(),
    );
    for (name, value) in [
        ("aud", json!(["vestry"])),
        ("aud", json!("vestry:agent")),
        ("aud", json!("Vestry")),
        ("iss", json!("https://evil.example")),
        ("sub", json!("a b")),
        ("sub", json!("null")),
        ("sub", json!("x".repeat(65))),
        ("tenant", json!("..")),
        ("exp", json!(NOW - 5)),
        ("exp", json!(NOW - 30)),
        ("exp", json!(NOW)),
        ("exp", json!(NOW + 901)),
        ("exp", json!(i64::MAX)),
        ("exp", json!(u64::MAX)),
        ("exp", json!((NOW + 900).to_string())),
        ("exp", json!((NOW + 900) as f64)),
        ("nbf", json!(NOW + 6)),
        ("iat", json!(NOW + 6)),
        ("iat", json!(i64::MIN)),
        ("iat", json!(-1)),
        ("nbf", Value::Null),
        ("aep", json!(-1)),
        ("jti", json!("short")),
    ] {
        add(
            &format!("{name} = {value}"),
            Ring::Human,
            "at+jwt",
            with(&good, name, value).to_string(),
        );
    }
    add("not JSON", Ring::Human, "at+jwt", "claims".to_owned());
    add(
        "deep",
        Ring::Human,
        "at+jwt",
        format!("{}{}", "[".repeat(3000), "]".repeat(3000)),
    );
    add(
        "too long",
        Ring::Human,
        "at+jwt",
        with(&good, "sid", json!("s".repeat(9000))).to_string(),
    );
    assert!(corpus.len() >= 60, "{}", corpus.len());
    for (what, typ, token) in corpus {
        assert!(w.identity.verify_access(&token).is_err(), "{typ}: {what}");
    }
}

#[test]
fn texts_that_are_no_tokens_are_refused() {
    let w = world();
    let good = forge(HEADER, &human_claims().to_string(), &secret(Ring::Human));
    let (message, signature) = good.rsplit_once('.').unwrap();
    let mut flipped = signature.to_owned();
    // The last character of 43 carries four bits; these spell the same bytes or others, and none is canonical twice.
    let last = flipped.pop().unwrap();
    let position = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        .iter()
        .position(|&b| char::from(b) == last)
        .unwrap();
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    flipped.push(alphabet.chars().nth(position ^ 1).unwrap());
    for text in [
        String::new(),
        ".".to_owned(),
        "..".to_owned(),
        "...".to_owned(),
        message.to_owned(),
        format!("{message}."),
        format!("{message}.{flipped}"),
        format!("{message}.{signature}="),
        format!("{message}.{}", &signature[..42]),
        format!("{good}."),
        format!(".{good}"),
        format!(" {good}"),
        format!("{good}\n"),
        good.replace('.', "=."),
        format!("{message}.{}", "A".repeat(43)),
        "ö".repeat(50),
    ] {
        assert!(w.identity.verify_access(&text).is_err(), "{text}");
    }
}

#[test]
fn tokens_end() {
    let w = world();
    let minted = w.elevate(&Scope::Global, 60).unwrap();
    w.clock.advance_seconds(64);
    assert!(w.identity.verify_access(&minted.token).is_ok());
    w.clock.advance_seconds(1);
    assert_eq!(
        w.identity.verify_access(&minted.token).unwrap_err(),
        TokenError::Expired
    );
}
