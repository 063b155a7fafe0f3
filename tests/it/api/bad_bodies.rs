//! Members of other types, other media types, sizes and methods, at every route.

use std::collections::BTreeSet;

use hyper::Method;
use serde_json::{Value, json};

use super::bad_input::{Scene, rude};

#[tokio::test(flavor = "multi_thread")]
async fn members_of_other_types() {
    let mut scene = Scene::new().await;
    let others = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(u64::MAX),
        json!(1e300),
        json!("1"),
        json!(""),
        json!([]),
        json!({}),
        json!([1]),
        json!({"a": 1}),
        json!({"member": null}),
        json!(["tom"]),
        json!({"id": 7}),
        json!({"id": "tom", "tenant": "globex"}),
        json!("\u{0}"),
        json!("x\u{202e}"),
        json!("../.."),
        json!("x".repeat(5000)),
    ];
    for sample in scene.cast.samples() {
        let Some(body) = &sample.body else { continue };
        let schema = scene
            .api
            .body_schema(&sample.method, sample.template)
            .unwrap()
            .clone();
        for name in body.as_object().unwrap().keys() {
            for other in &others {
                let mut body = body.clone();
                body[name] = other.clone();
                // What the document allows is another test's matter, as far as its texts have rules of their own.
                if scene.api.validate(&schema, &body, "$").is_ok() {
                    continue;
                }
                let text = body.to_string();
                let answer = sample
                    .send_bytes(&scene.cast, &sample.path(), text.into())
                    .await;
                let what: String = format!("{name} = {other}").chars().take(50).collect();
                let codes = ["malformed", "invalid-cap", "invalid-content", "invalid-id"];
                scene.expect(&sample, &what, &answer, &codes);
            }
        }
    }
    scene.done().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn media_types_and_sizes() {
    let mut scene = Scene::new().await;
    for sample in scene.cast.samples() {
        let Some(body) = &sample.body else { continue };
        let client = scene.cast.client(sample.who);
        let text = body.to_string();
        let json = "application/json";
        let cases: [&[&str]; 10] = [
            &[],
            &["text/plain"],
            &["text/json"],
            &["application/xml"],
            &["application/x-www-form-urlencoded"],
            &["application/json; charset=latin1"],
            &["application/json; charset=utf-16"],
            &["application/jsonx"],
            &[json, json],
            &[json, "text/plain"],
        ];
        for types in cases {
            let mut headers = sample.headers.clone();
            headers.extend(types.iter().map(|media| ("content-type", *media)));
            let answer = client
                .raw(
                    sample.method.clone(),
                    &sample.path(),
                    &headers,
                    text.clone().into(),
                )
                .await;
            let what = format!("types {types:?}");
            scene.expect(&sample, &what, &answer, &["unsupported-media-type"]);
        }
        let padded = |length: usize| format!("{text}{}", " ".repeat(length - text.len()));
        let answer = sample
            .send_bytes(&scene.cast, &sample.path(), padded((1 << 20) + 1).into())
            .await;
        scene.expect(&sample, "a byte too large", &answer, &["too-large"]);
        let answer = sample
            .send_bytes(&scene.cast, &sample.path(), vec![b'['; 3 << 20])
            .await;
        scene.expect(&sample, "3 MiB", &answer, &["too-large"]);
    }
    scene.done().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn methods_that_a_path_does_not_have() {
    let mut scene = Scene::new().await;
    let samples = scene.cast.samples();
    let methods = [
        "GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW", "get",
    ];
    for sample in &samples {
        let known: BTreeSet<String> = samples
            .iter()
            .filter(|other| other.template == sample.template)
            .map(|other| other.method.to_string())
            .collect();
        for method in methods
            .into_iter()
            .filter(|method| !known.contains(*method))
        {
            let client = scene.cast.client(sample.who);
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let answer = client.send(method.clone(), &sample.path(), &[], None).await;
            let answer = answer.expect_problem(405, "method-not-allowed");
            assert_eq!(rude(&answer), Vec::<String>::new());
            let allow = answer.headers["allow"].to_str().unwrap();
            let allowed: BTreeSet<String> = allow
                .split(", ")
                .filter(|method| *method != "HEAD")
                .map(ToOwned::to_owned)
                .collect();
            assert_eq!(allowed, known, "{} {}", method, sample.template);
            scene.requests += 1;
        }
    }
    scene.done().await;
}

/// What a text is called by its place in a body, `/files/0/path`, with the text.
fn texts(body: &Value, at: &str, found: &mut Vec<(String, String)>) {
    match body {
        Value::String(text) => found.push((at.to_owned(), text.clone())),
        Value::Array(items) => {
            for (number, item) in items.iter().enumerate() {
                texts(item, &format!("{at}/{number}"), found);
            }
        }
        Value::Object(members) => {
            for (name, member) in members {
                texts(member, &format!("{at}/{name}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// PostgreSQL keeps no text with a NUL, and SQLite would: what is kept is refused, whichever it is, and nothing is an error of the
/// server.
#[tokio::test(flavor = "multi_thread")]
async fn no_text_that_is_kept_has_a_nul() {
    let mut scene = Scene::new().await;
    // What is compared, or rendered, and not kept; it may have one, or is refused for another reason.
    let is_kept = |template: &str, at: &str| {
        let reads = [
            "/v1/login",
            "/v1/refresh",
            "/v1/templates/check",
            "/v1/templates/render",
        ];
        let passes = at.starts_with("/context/") || at.starts_with("/have");
        at != "/password" && !passes && !reads.contains(&template)
    };
    // What is kept as bytes, or as the JSON that it came as, may have one.
    let is_bytes = |at: &str| {
        at.starts_with("/schema/") || (at.starts_with("/files/") && at.ends_with("/text"))
    };
    let mut tried = BTreeSet::new();
    for sample in scene.cast.samples() {
        let Some(body) = &sample.body else { continue };
        let mut places = Vec::new();
        texts(body, "", &mut places);
        // And those that the sample leaves out.
        let schema = scene.api.body_schema(&sample.method, sample.template);
        let members = schema.and_then(|schema| schema["properties"].as_object());
        for name in members.into_iter().flat_map(|members| members.keys()) {
            if body.get(name).is_none() {
                places.push((format!("/{name}"), "x".to_owned()));
            }
        }
        for (at, text) in places {
            if is_bytes(&at) {
                continue;
            }
            for text in [format!("{text}\0"), format!("\0{text}")] {
                let mut body = body.clone();
                let (parent, name) = at.rsplit_once('/').unwrap();
                match body.pointer_mut(parent).unwrap() {
                    Value::Object(members) => {
                        members.insert(name.to_owned(), text.into());
                    }
                    other => *other.pointer_mut(&format!("/{name}")).unwrap() = text.into(),
                }
                let sent = body.to_string().into();
                let answer = sample.send_bytes(&scene.cast, &sample.path(), sent).await;
                let what = format!("a NUL at {at}");
                if is_kept(sample.template, &at) {
                    let codes = [
                        "malformed",
                        "invalid-content",
                        "invalid-id",
                        "invalid-cap",
                        "invalid-name",
                        "invalid-scope",
                        "invalid-schema",
                        "invalid-turn",
                        "offer-invalid",
                        "skill-not-offered",
                        "file-not-found",
                        "not-found",
                    ];
                    scene.expect(&sample, &what, &answer, &codes);
                    tried.insert((sample.template, at.clone()));
                } else {
                    assert!(answer.status.as_u16() < 500, "{what}: {}", answer.body);
                }
            }
        }
    }
    assert!(tried.len() > 60, "{}: {tried:?}", tried.len());
    for (template, at) in [
        ("/v1/catalog", "/session"),
        ("/v1/load", "/tool_call"),
        ("/v1/elevate", "/reason"),
        ("/v1/users", "/display_name"),
        ("/v1/tenants", "/name"),
        ("/v1/proposals", "/rationale"),
        ("/v1/proposals/{id}/comments", "/text"),
    ] {
        let is_tried = tried.contains(&(template, at.to_owned()));
        assert!(is_tried, "{template} {at} was not tried: {tried:?}");
    }
    // Logins and refused loads are recorded.
    scene.judged();
}
