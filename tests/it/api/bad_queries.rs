//! Queries and headers outside the rules, and ids in bodies, at every route.

use hyper::Method;
use serde_json::json;

use super::bad_input::Scene;

#[tokio::test(flavor = "multi_thread")]
async fn queries_outside_their_rules() {
    let mut scene = Scene::new().await;
    let long = format!("cursor={}", "x".repeat(20_000));
    let mut strict = 0;
    for sample in scene.cast.samples() {
        let operation = scene.api.operation(&sample.method, sample.template);
        let parameters = operation["parameters"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let named: Vec<String> = parameters
            .iter()
            .filter(|parameter| parameter["in"] == "query")
            .map(|parameter| parameter["name"].as_str().unwrap().to_owned())
            .collect();
        if named.is_empty() {
            continue;
        }
        strict += 1;
        let base = sample.path_with("", "");
        let valid = sample.query;
        let mut cases = vec![
            ("zzz=1", "malformed"),
            ("zzz", "malformed"),
            ("%7A=1", "malformed"),
            ("=", "malformed"),
            ("a%FF=1", "malformed"),
            ("zzz=%", "malformed"),
            ("zzz=%zz", "malformed"),
            ("Limit=1", "malformed"),
        ];
        if named.contains(&"limit".to_owned()) {
            for case in [
                "limit=0",
                "limit=201",
                "limit=-1",
                "limit=1.5",
                "limit=x",
                "limit=",
                "limit=1&limit=2",
                "limit=%31%FF",
                "limit=99999999999999999999",
                "limit=1e1",
                "limit=+1%20",
                "cursor=a&cursor=b",
            ] {
                cases.push((case, "malformed"));
            }
            for case in [
                "cursor=",
                "cursor=x",
                "cursor=a.b.c",
                "cursor=null",
                "cursor=%00",
                long.as_str(),
            ] {
                cases.push((case, "invalid-cursor"));
            }
        }
        for name in &named {
            match name.as_str() {
                "status" => cases.extend([
                    ("status=gone", "malformed"),
                    ("status=", "malformed"),
                    ("status=disabled", "malformed"),
                    ("scope=global&status=Active", "malformed"),
                ]),
                "scope" => cases.extend([
                    ("scope=tenant:null", "invalid-scope"),
                    ("scope=", "invalid-scope"),
                    ("scope=x", "invalid-scope"),
                    ("scope=global&scope=global", "malformed"),
                ]),
                "log" => cases.extend([
                    ("log=all", "malformed"),
                    ("log=", "malformed"),
                    ("log=Global", "malformed"),
                ]),
                "since" if named.iter().any(|name| name == "wait") => cases.extend([
                    ("since=then", "malformed"),
                    ("since=", "malformed"),
                    ("wait=-1", "malformed"),
                    ("wait=86401", "malformed"),
                    ("wait=1.5", "malformed"),
                    ("last_event_id=", "malformed"),
                    ("last_event_id=1", "malformed"),
                    ("last_event_id=1.-2", "malformed"),
                    ("last_event_id=1.2&last_event_id=1.2", "malformed"),
                ]),
                "from" => cases.extend([
                    ("from=1", "malformed"),
                    ("to=1", "malformed"),
                    ("from=a&to=1", "malformed"),
                    ("from=-1&to=1", "malformed"),
                    ("from=1&to=4294967296", "malformed"),
                    ("from=1.0&to=1", "malformed"),
                ]),
                "since" => cases.extend([
                    ("since=", "malformed"),
                    ("since=yesterday", "malformed"),
                    ("since=2027-01-15", "malformed"),
                    ("until=2027-01-15T08:00:00", "malformed"),
                    ("stored=yes", "malformed"),
                ]),
                _ => {}
            }
        }
        let q = format!("q={}", "x".repeat(201));
        if named.contains(&"q".to_owned()) {
            cases.push((q.as_str(), "malformed"));
        }
        for (query, code) in cases {
            let names_both = query.contains("scope=") && valid.contains("scope=");
            let joined = if valid.is_empty()
                || names_both
                || query.contains("from")
                || query.contains("to=")
            {
                query.to_owned()
            } else {
                format!("{valid}&{query}")
            };
            let answer = sample
                .send_bytes(&scene.cast, &format!("{base}?{joined}"), Vec::new())
                .await;
            let what: String = joined.chars().take(60).collect();
            scene.expect(&sample, &what, &answer, &[code]);
        }
    }
    assert!(strict >= 8, "{strict} routes have a query");
    scene.done().await;
}

/// Where a route has no query, one is refused: `?dry_run=true` must not do the thing.
#[tokio::test(flavor = "multi_thread")]
async fn a_query_is_refused_where_there_is_none() {
    let scene = Scene::new().await;
    let maria = scene.cast.client(super::samples::Who::Maria);
    let plain = maria.get("/v1/me").await.expect(200);
    for query in ["?tenant=globex", "?sub=root&admin=true", "?%FF", "?zzz=%"] {
        maria
            .get(&format!("/v1/me{query}"))
            .await
            .expect_problem(400, "malformed");
    }
    let empty = maria.get("/v1/me?").await.expect(200);
    assert_eq!(empty.bytes, plain.bytes);
    let written = maria
        .delete("/v1/skills/global/anything?dry_run=true")
        .await;
    written.expect_problem(400, "malformed");
    let long = format!("/v1/me?{}", "x".repeat(100_000));
    let answer = maria.try_raw(Method::GET, &long, &[], Vec::new()).await;
    // Beyond the limits of the head the server does not speak JSON any more, but it answers, and it lives.
    if let Ok(answer) = answer {
        assert!(
            matches!(answer.status.as_u16(), 414 | 431),
            "{}",
            answer.status
        );
    }
    maria.get("/v1/me").await.expect(200);
    scene.done().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_outside_their_rules() {
    let mut scene = Scene::new().await;
    let long = "k".repeat(129);
    for sample in scene.cast.samples() {
        let operation = scene.api.operation(&sample.method, sample.template);
        let parameters = operation["parameters"]
            .as_array()
            .cloned()
            .unwrap_or_default();
        let takes = |name: &str| parameters.iter().any(|parameter| parameter["name"] == name);
        let mut cases: Vec<Vec<(&str, &str)>> = Vec::new();
        if takes("Idempotency-Key") {
            for value in ["", " ", "a b", "\u{e9}", long.as_str()] {
                cases.push(vec![("idempotency-key", value)]);
            }
            cases.push(vec![("idempotency-key", "a"), ("idempotency-key", "a")]);
        }
        for header in ["If-Match", "If-None-Match"] {
            if takes(header) {
                for value in [
                    "",
                    "x",
                    "\"x",
                    "x\"",
                    "\"a\"\"b\"",
                    "*, \"a\"",
                    "\"a b\"",
                    ",",
                    "**",
                    "\u{e9}",
                ] {
                    cases.push(vec![(header, value)]);
                }
                cases.push(vec![(header, "*"), (header, "\"a\"")]);
            }
        }
        if takes("If-Match") && sample.template != "/v1/skills/{scope}/{name}" {
            cases.push(vec![("if-match", "W/\"a\"")]);
        }
        // Whoever reads says what it has; the others say what there is not to be.
        if takes("If-None-Match") && sample.method != Method::GET {
            cases.push(vec![("if-match", "*"), ("if-none-match", "*")]);
            cases.push(vec![("if-none-match", "\"a\"")]);
        }
        for headers in cases {
            let client = scene.cast.client(sample.who);
            let answer = client
                .send(
                    sample.method.clone(),
                    &sample.path(),
                    &headers,
                    sample.body.clone(),
                )
                .await;
            scene.expect(&sample, &format!("{headers:?}"), &answer, &["malformed"]);
        }
    }
    scene.done().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scopes_and_ids_in_bodies_outside_their_rules() {
    let mut scene = Scene::new().await;
    for sample in scene.cast.samples() {
        let Some(body) = &sample.body else { continue };
        let mut cases = Vec::new();
        for bad in [
            "null",
            "undefined",
            ".",
            "..",
            "",
            " acme",
            "a/b",
            "a\u{0}",
            "\u{e9}",
            "a b",
        ] {
            for (field, code) in [
                ("tenant", "invalid-id"),
                ("id", "invalid-id"),
                ("username", "invalid-id"),
                ("agent", "invalid-id"),
            ] {
                // A login says nothing about why it fails.
                if body.get(field).is_some() && sample.template != "/v1/login" {
                    let mut body = body.clone();
                    body[field] = bad.into();
                    cases.push((body, code));
                }
            }
            if body.get("actor").is_some() {
                let mut body = body.clone();
                body["actor"] = json!({"id": bad});
                cases.push((body, "invalid-id"));
            }
            if sample.template == "/v1/elevate" {
                let mut body = body.clone();
                body["scope"] = format!("tenant:{bad}").into();
                cases.push((body, "invalid-scope"));
            }
        }
        for (body, code) in cases {
            let text = body.to_string();
            let answer = sample
                .send_bytes(&scene.cast, &sample.path(), text.clone().into())
                .await;
            scene.expect(&sample, &text, &answer, &[code]);
        }
    }
    scene.done().await;
}
