//! The corpus of forged access tokens.

use serde_json::{Value, json};

use super::forge::{b64, mac, opened, with, without};
use super::forged_claims::{encodings, kinds};
use super::forged_tokens::{Case, Honest, NOW};

pub(super) fn cases(honest: &Honest) -> Vec<Case> {
    let mut cases = headers(honest);
    cases.extend(human_claims(honest));
    cases.extend(kinds(honest));
    cases.extend(encodings(honest));
    for (index, token) in honest.foreign.iter().enumerate() {
        cases.push((
            format!("another installation's token {index}"),
            token.clone(),
        ));
    }
    cases
}

fn headers(honest: &Honest) -> Vec<Case> {
    let forge = &honest.forge;
    let (header, claims) = opened(&honest.human);
    let signed = |header: &Value| forge.sign("human", &header.to_string(), &claims.to_string());
    let mut cases: Vec<Case> = Vec::new();
    for alg in [
        json!("none"),
        json!("None"),
        json!("NONE"),
        json!("HS384"),
        json!("HS512"),
        json!("RS256"),
        json!("ES256"),
        json!("EdDSA"),
        json!("hs256"),
        json!(""),
        json!(null),
        json!(["HS256"]),
        json!(256),
    ] {
        cases.push((format!("alg {alg}"), signed(&with(&header, "alg", alg))));
    }
    let none = with(&header, "alg", "none").to_string();
    cases.push((
        "alg none without a signature".into(),
        format!("{}.{}.", b64(none), b64(claims.to_string())),
    ));
    cases.push(("no alg".into(), signed(&without(&header, "alg"))));
    cases.push(("no kid".into(), signed(&without(&header, "kid"))));
    for kid in [
        json!("unknown"),
        json!(""),
        json!(null),
        json!(1),
        json!("../../keys.json"),
        json!("/dev/null"),
        json!("' OR 1=1 --"),
        json!([forge.kid("human")]),
    ] {
        cases.push((format!("kid {kid}"), signed(&with(&header, "kid", kid))));
    }
    for ring in ["elevated", "agent", "offer", "cursor"] {
        let header = with(&header, "kid", forge.kid(ring));
        // The kid of another ring, signed with that ring's key and with the human's.
        let claims = claims.to_string();
        cases.push((
            format!("kid of {ring}, its key"),
            forge.sign(ring, &header.to_string(), &claims),
        ));
        cases.push((
            format!("kid of {ring}, our key"),
            forge.sign("human", &header.to_string(), &claims),
        ));
        let ours = with(&header, "kid", forge.kid("human"));
        cases.push((
            format!("our kid, key of {ring}"),
            forge.sign(ring, &ours.to_string(), &claims),
        ));
    }
    cases.push(("no typ".into(), signed(&without(&header, "typ"))));
    for typ in [
        json!("JWT"),
        json!("jwt"),
        json!("AT+JWT"),
        json!("application/at+jwt"),
        json!("elevated+jwt"),
        json!("agent+jwt"),
        json!("skill-offer+jwt"),
        json!(null),
        json!(""),
    ] {
        cases.push((format!("typ {typ}"), signed(&with(&header, "typ", typ))));
    }
    for crit in [json!(["exp"]), json!([]), json!(null), json!("b64")] {
        cases.push((format!("crit {crit}"), signed(&with(&header, "crit", crit))));
    }
    cases.push(("b64 false".into(), signed(&with(&header, "b64", false))));
    let kid = forge.kid("human");
    for (name, text) in [
        (
            "kid twice",
            format!(r#"{{"typ":"at+jwt","alg":"HS256","kid":"x","kid":"{kid}"}}"#),
        ),
        (
            "alg twice",
            format!(r#"{{"typ":"at+jwt","alg":"none","alg":"HS256","kid":"{kid}"}}"#),
        ),
        (
            "kid twice, escaped",
            format!(r#"{{"typ":"at+jwt","alg":"HS256","k\u0069d":"x","kid":"{kid}"}}"#),
        ),
        (
            "header is an array",
            format!(r#"["at+jwt","HS256","{kid}"]"#),
        ),
        ("header is a number", "1".into()),
        ("header is no JSON", "{".into()),
        (
            "text after the header",
            format!(r#"{{"typ":"at+jwt","alg":"HS256","kid":"{kid}"}} {{}}"#),
        ),
        (
            "a huge header",
            format!(
                r#"{{"typ":"at+jwt","alg":"HS256","kid":"{kid}","x":"{}"}}"#,
                "x".repeat(2000)
            ),
        ),
    ] {
        cases.push((name.into(), forge.sign("human", &text, &claims.to_string())));
    }
    let message = format!("{}.{}", b64(header.to_string()), b64(claims.to_string()));
    for (name, key) in [
        ("an empty key", vec![]),
        ("a zero key", vec![0; 32]),
        ("the kid as key", kid.into_bytes()),
    ] {
        cases.push((name.into(), mac(&key, &message)));
    }
    cases
}

fn human_claims(honest: &Honest) -> Vec<Case> {
    let forge = &honest.forge;
    let (_, claims) = opened(&honest.human);
    let signed = |claims: &Value| forge.claims("human", claims);
    let mut cases: Vec<Case> = Vec::new();
    for name in [
        "iss", "aud", "sub", "iat", "nbf", "exp", "jti", "sid", "aep",
    ] {
        cases.push((format!("no {name}"), signed(&without(&claims, name))));
        cases.push((
            format!("{name} null"),
            signed(&with(&claims, name, Value::Null)),
        ));
        cases.push((
            format!("{name} an object"),
            signed(&with(&claims, name, json!({}))),
        ));
    }
    for (name, value) in [
        ("aud", json!(["vestry"])),
        ("aud", json!(["vestry", "evil"])),
        ("aud", json!("Vestry")),
        ("aud", json!("vestry:agent")),
        ("aud", json!("vestry:elevated")),
        ("aud", json!("")),
        ("iss", json!("evil")),
        ("iss", json!("")),
        ("iss", json!(" vestry")),
        ("sub", json!("")),
        ("sub", json!(" maria")),
        ("sub", json!("maria ")),
        ("sub", json!("..")),
        ("sub", json!("null")),
        ("sub", json!("undefined")),
        ("sub", json!(7)),
        ("sub", json!("a/b")),
        ("sub", json!("ma\u{430}ria")),
        ("sub", json!("m".repeat(65))),
        ("sub", json!(["maria"])),
        ("tenant", json!("")),
        ("tenant", json!("null")),
        ("tenant", json!(1)),
        ("tenant", json!("*")),
        ("jti", json!("short")),
        ("jti", json!("")),
        ("sid", json!("")),
        ("sid", json!("a b")),
        ("aep", json!(-1)),
        ("aep", json!("0")),
        ("aep", json!(0.0)),
        ("aep", json!(4_294_967_296_u64)),
        ("exp", json!(NOW as f64 + 900.0)),
        ("exp", json!((NOW + 900).to_string())),
        ("exp", json!(1e30)),
        ("exp", json!(-1)),
        ("exp", json!(NOW - 6)),
        ("exp", json!(NOW + 901)),
        ("exp", json!(i64::MAX)),
        ("exp", json!(u64::MAX)),
        ("nbf", json!(NOW + 6)),
        ("nbf", json!(-1)),
        ("nbf", json!(NOW + 5000)),
        ("iat", json!(NOW + 6)),
        ("iat", json!(-1)),
        ("iat", json!(i64::MIN)),
        ("iat", json!(NOW as f64)),
        // Claims that this ring does not have.
        ("elv", json!({"id": "elv_1", "scope": "global"})),
        ("elv", Value::Null),
        ("act", json!({"sub": "bot"})),
        ("act", Value::Null),
        ("kind", json!("human")),
        ("role", json!("publisher")),
        ("admin", json!(true)),
        ("scopes", json!(["global"])),
        ("svc", json!("svc_1")),
        ("scope", json!("tenant:globex")),
    ] {
        // A claim that serde reads as absent when it is null is not wrong but empty: that is not a case.
        if value.is_null() && name == "elv" {
            continue;
        }
        let text = format!("{name} is {value}");
        cases.push((
            text.chars().take(60).collect(),
            signed(&with(&claims, name, value)),
        ));
    }
    let expired = with(&with(&claims, "exp", NOW - 6), "iat", NOW - 906);
    cases.push((
        "expired 6 s ago".into(),
        signed(&with(&expired, "nbf", NOW - 906)),
    ));
    let text = claims.to_string();
    let again = |more: &str| format!("{},{more}}}", text.trim_end_matches('}'));
    for (name, payload) in [
        ("sub twice", again(r#""sub":"root""#)),
        ("sub twice, the same", again(r#""sub":"maria""#)),
        ("exp twice", again(&format!(r#""exp":{}"#, NOW + 900))),
        ("tenant twice, escaped", again(r#""ten\u0061nt":"globex""#)),
        ("payload is an array", format!("[{text}]")),
        ("payload is a text", json!(text).to_string()),
        ("payload is empty", String::new()),
        ("payload is null", "null".into()),
        ("payload is cut", text[..text.len() - 1].to_owned()),
        ("text after the payload", format!("{text}x")),
        ("a second payload", format!("{text}{text}")),
        ("a BOM before the payload", format!("\u{feff}{text}")),
        (
            "a deep payload",
            again(&format!(r#""x":{}1{}"#, "[".repeat(500), "]".repeat(500))),
        ),
        (
            "a huge payload",
            again(&format!(r#""x":"{}""#, "x".repeat(9000))),
        ),
    ] {
        cases.push((
            name.into(),
            forge.sign("human", &forge.header("human").to_string(), &payload),
        ));
    }
    let mut bytes = b64(text.as_bytes());
    bytes.insert(8, '\u{2d}');
    let message = format!("{}.{bytes}", b64(forge.header("human").to_string()));
    cases.push((
        "payload is not UTF-8".into(),
        mac(&forge.secret("human"), &message),
    ));
    cases
}
