//! The corpus of forged access tokens: kinds that want to be others, and encodings that are none.

use serde_json::{Value, json};

use super::forge::{opened, with, without};
use super::forged_tokens::{Case, Honest, NOW};

/// Tokens of one kind that want to be another, and claims that belong to another kind.
pub(super) fn kinds(honest: &Honest) -> Vec<Case> {
    let forge = &honest.forge;
    let (_, human) = opened(&honest.human);
    let (_, elevated) = opened(&honest.elevated);
    let (_, agent) = opened(&honest.agent);
    let scope = |scope: &str| {
        let elv = json!({"id": elevated["elv"]["id"], "scope": scope});
        forge.claims("elevated", &with(&elevated, "elv", elv))
    };
    let mut cases: Vec<Case> = vec![
        ("an offer as access token".into(), honest.offer.clone()),
        (
            "human claims in the agent ring".into(),
            forge.claims("agent", &human),
        ),
        (
            "human claims in the elevated ring".into(),
            forge.claims("elevated", &human),
        ),
        (
            "human claims, the elevated audience".into(),
            forge.claims("elevated", &with(&human, "aud", "vestry:elevated")),
        ),
        (
            "elevated claims in the human ring".into(),
            forge.claims("human", &elevated),
        ),
        (
            "elevated claims, the human audience".into(),
            forge.claims("human", &with(&elevated, "aud", "vestry")),
        ),
        (
            "agent claims in the human ring".into(),
            forge.claims("human", &agent),
        ),
        (
            "agent claims, the human audience".into(),
            forge.claims("human", &with(&agent, "aud", "vestry")),
        ),
        (
            "agent without act".into(),
            forge.claims("agent", &without(&agent, "act")),
        ),
        (
            "agent with act null".into(),
            forge.claims("agent", &with(&agent, "act", Value::Null)),
        ),
        (
            "agent with act a text".into(),
            forge.claims("agent", &with(&agent, "act", "bot")),
        ),
        (
            "agent with act empty".into(),
            forge.claims("agent", &with(&agent, "act", json!({}))),
        ),
        (
            "agent with an act of two".into(),
            forge.claims(
                "agent",
                &with(&agent, "act", json!({"sub": "a", "act": {"sub": "b"}})),
            ),
        ),
        (
            "agent with act.sub no id".into(),
            forge.claims("agent", &with(&agent, "act", json!({"sub": "a b"}))),
        ),
        (
            "agent with elevation".into(),
            forge.claims("agent", &with(&agent, "elv", elevated["elv"].clone())),
        ),
        (
            "agent without tenant".into(),
            forge.claims("agent", &without(&agent, "tenant")),
        ),
        (
            "agent without svc".into(),
            forge.claims("agent", &without(&agent, "svc")),
        ),
        (
            "agent without sep".into(),
            forge.claims("agent", &without(&agent, "sep")),
        ),
        (
            "agent without aep".into(),
            forge.claims("agent", &without(&agent, "aep")),
        ),
        (
            "agent for an hour and a second".into(),
            forge.claims("agent", &with(&agent, "exp", NOW + 3601)),
        ),
        (
            "agent with sub null".into(),
            forge.claims("agent", &with(&agent, "sub", Value::Null)),
        ),
        (
            "agent with a session".into(),
            forge.claims("agent", &with(&agent, "sid", human["sid"].clone())),
        ),
        (
            "elevated with act".into(),
            forge.claims("elevated", &with(&elevated, "act", json!({"sub": "bot"}))),
        ),
        (
            "elevated for 15 min and a second".into(),
            forge.claims("elevated", &with(&elevated, "exp", NOW + 901)),
        ),
        (
            "elevated without an id".into(),
            forge.claims(
                "elevated",
                &with(&elevated, "elv", json!({"scope": "tenant:acme"})),
            ),
        ),
        ("elevated for an actor".into(), scope("actor:maria")),
        ("elevated for no scope".into(), scope("")),
        ("elevated for everything".into(), scope("*")),
    ];
    for ring in ["elevated", "agent", "offer"] {
        let header = forge.header(ring).to_string();
        cases.push((
            format!("human key under the header of {ring}"),
            forge.sign("human", &header, &human.to_string()),
        ));
    }
    cases
}

pub(super) fn encodings(honest: &Honest) -> Vec<Case> {
    let token = &honest.human;
    let parts: Vec<&str> = token.split('.').collect();
    let (header, payload, signature) = (parts[0], parts[1], parts[2]);
    [
        ("padded signature", format!("{token}=")),
        ("padded payload", format!("{header}.{payload}=.{signature}")),
        (
            "standard base64",
            format!("{header}.{payload}.{}", "+/".repeat(21) + "A"),
        ),
        ("a dot at the end", format!("{token}.")),
        ("a dot at the start", format!(".{token}")),
        ("four parts", format!("{token}.{signature}")),
        (
            "five parts, as a JWE",
            format!("{header}.{payload}.{payload}.{payload}.{signature}"),
        ),
        ("two parts", format!("{header}.{payload}")),
        ("one part", header.to_owned()),
        ("no header", format!(".{payload}.{signature}")),
        ("no payload", format!("{header}..{signature}")),
        ("no signature", format!("{header}.{payload}.")),
        ("only dots", "..".into()),
        ("a space inside", format!("{header}. {payload}.{signature}")),
        ("a space at the end", format!("{token} x")),
        ("a comma at the end", format!("{token},")),
        ("a tab inside", format!("{header}.{payload}\t.{signature}")),
        ("parts swapped", format!("{payload}.{header}.{signature}")),
        (
            "a signature of another token",
            format!(
                "{header}.{payload}.{}",
                honest.agent.rsplit('.').next().unwrap()
            ),
        ),
        ("a short signature", format!("{header}.{payload}.AA")),
        (
            "a long signature",
            format!("{header}.{payload}.{}", "A".repeat(86)),
        ),
        ("percent-encoded", token.replace('.', "%2E")),
        (
            "the JSON serialization",
            json!({"protected": header, "payload": payload, "signature": signature}).to_string(),
        ),
        (
            "an API key that is none",
            "vst_usr_000000000000000000000000000000000000".into(),
        ),
        (
            "an API key of no kind",
            "vst_adm_000000000000000000000000000000000000".into(),
        ),
        ("an API key cut", "vst_svc_".into()),
        ("a word", "null".into()),
    ]
    .into_iter()
    .map(|(name, token)| (name.to_owned(), token))
    .collect()
}
