//! What is answered at the paths.

use std::num::NonZeroU32;
use std::time::Duration;

use hyper::Method;
use serde_json::{Value, json};
use vestry::http::limiter::Rate;

use super::{INDEX, LEGACY, expected, published, skill_md};
use crate::api::files::{bundle, digest, publish};
use crate::harness::{Builder, People};

/// The paths of a server where nothing is public are as unknown as any other, byte for byte but for the id of the request.
#[tokio::test(flavor = "multi_thread")]
async fn where_it_is_off_nothing_is_there() {
    let builder = Builder {
        without_public_skills: true,
        ..Builder::default()
    };
    let server = builder.start().await;
    let people = People::only_root(&server).await;
    people
        .root
        .create("global", "plain", "plain")
        .await
        .expect(201);
    let anyone = server.client();
    for method in [Method::GET, Method::HEAD, Method::POST, Method::PUT] {
        for client in [&anyone, &people.root] {
            let id = [("x-request-id", "same")];
            let unknown = client.send(method.clone(), "/nothing", &id, None).await;
            assert_eq!(unknown.status, 404);
            for path in [
                INDEX,
                LEGACY,
                "/.well-known/agent-skills/plain.zip",
                "/.well-known/agent-skills/plain/SKILL.md",
                "/.well-known/skills/plain/SKILL.md",
                "/.well-known/agent-skills/%FF/SKILL.md",
            ] {
                let answer = client.send(method.clone(), path, &id, None).await;
                assert_eq!(answer.status, 404, "{method} {path}");
                assert_eq!(answer.bytes, unknown.bytes, "{method} {path}");
                let (mut one, mut other) = (answer.headers, unknown.headers.clone());
                one.remove("date");
                other.remove("date");
                assert_eq!(one, other, "{method} {path}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn both_indexes_say_where_the_very_bytes_are() {
    let (server, people) = published().await;
    let anyone = server.client();
    let index = anyone.get(INDEX).await.expect(200);
    assert_eq!(index.headers["content-type"], "application/json");
    assert_eq!(index.headers["cache-control"], "public, no-cache");
    assert_eq!(index.etag(), digest(&index.bytes));
    assert_eq!(
        index.body["$schema"],
        "https://schemas.agentskills.io/discovery/0.2.0/schema.json"
    );
    let mut kinds = Vec::new();
    for skill in index.body["skills"].as_array().unwrap() {
        let answer = anyone.get(skill["url"].as_str().unwrap()).await.expect(200);
        assert_eq!(skill["digest"], digest(&answer.bytes), "{skill}");
        assert_eq!(skill["digest"], answer.etag());
        assert_eq!(answer.headers["cache-control"], "public, no-cache");
        let keys: Vec<&String> = skill.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["description", "digest", "name", "type", "url"]);
        kinds.push((
            skill["name"].as_str().unwrap().to_owned(),
            skill["type"].as_str().unwrap().to_owned(),
            skill["description"].as_str().unwrap().to_owned(),
            answer.headers["content-type"].to_str().unwrap().to_owned(),
        ));
    }
    let told = |name: &str, kind: &str, media: &str| {
        let description = format!("Use when {name}.");
        (
            name.to_owned(),
            kind.to_owned(),
            description,
            media.to_owned(),
        )
    };
    assert_eq!(
        kinds,
        [
            told("plain", "skill-md", "text/markdown; charset=utf-8"),
            told("tools", "archive", "application/zip"),
        ]
    );

    let legacy = anyone.get(LEGACY).await.expect(200);
    assert_eq!(legacy.etag(), digest(&legacy.bytes));
    let source = skill_md(&people.root, "tools").await;
    let expected = expected(&source);
    let mut paths: Vec<&str> = expected.keys().map(String::as_str).collect();
    paths.retain(|path| *path != "SKILL.md");
    paths.insert(0, "SKILL.md");
    assert_eq!(
        legacy.body,
        json!({"skills": [
            {"name": "plain", "description": "Use when plain.", "files": ["SKILL.md"]},
            {"name": "tools", "description": "Use when tools.", "files": paths},
        ]})
    );
    for prefix in ["skills", "agent-skills"] {
        for (path, bytes) in &expected {
            let at = format!("/.well-known/{prefix}/tools/{}", path.replace(' ', "%20"));
            let answer = anyone.get(&at).await.expect(200);
            assert_eq!(&answer.bytes[..], &bytes[..], "{at}");
            let kind = if path == "SKILL.md" {
                "text/markdown; charset=utf-8"
            } else {
                assert_eq!(answer.headers["content-disposition"], "attachment");
                "application/octet-stream"
            };
            assert_eq!(answer.headers["content-type"], kind);
        }
    }
    // The archive of the older paths, of a skill without files, and whatever else is not listed.
    for path in [
        "/.well-known/skills/tools.zip",
        "/.well-known/agent-skills/plain.zip",
        "/.well-known/agent-skills/tools.tar.gz",
        "/.well-known/agent-skills/tools",
        "/.well-known/agent-skills/tools/",
        "/.well-known/agent-skills/tools/skill.md",
        "/.well-known/agent-skills/tools/scripts",
        "/.well-known/agent-skills/tools/scripts/../SKILL.md",
        "/.well-known/agent-skills/none/SKILL.md",
        "/.well-known/agent-skills/",
        "/.well-known/skills",
    ] {
        anyone.get(path).await.expect_problem(404, "not-found");
    }
    let head = anyone.send(Method::HEAD, INDEX, &[], None).await;
    assert_eq!((head.status.as_u16(), head.bytes.len()), (200, 0));
    assert_eq!(head.etag(), index.etag());
    anyone
        .post(INDEX, json!({}))
        .await
        .expect_problem(405, "method-not-allowed");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_client_has_is_not_sent_again() {
    let (server, people) = published().await;
    let anyone = server.client();
    for path in [
        INDEX,
        LEGACY,
        "/.well-known/agent-skills/tools.zip",
        "/.well-known/agent-skills/plain/SKILL.md",
        "/.well-known/skills/tools/assets/logo.bin",
    ] {
        let first = anyone.get(path).await.expect(200);
        let tag = format!("\"{}\"", first.etag());
        for have in [
            tag.clone(),
            format!("W/{tag}"),
            format!("\"x\", {tag}"),
            "*".to_owned(),
        ] {
            let have = [("if-none-match", have.as_str())];
            let again = anyone.send(Method::GET, path, &have, None).await;
            assert_eq!(again.status, 304, "{path} {have:?}");
            assert!(again.bytes.is_empty());
            assert_eq!(again.etag(), first.etag());
            assert_eq!(again.headers["cache-control"], "public, no-cache");
        }
        let other = [("if-none-match", "\"sha256:0\"")];
        let again = anyone.send(Method::GET, path, &other, None).await;
        assert_eq!(again.expect(200).bytes, first.bytes);
        anyone
            .send(Method::GET, path, &[("if-none-match", "x")], None)
            .await
            .expect_problem(400, "malformed");
    }
    // A publication changes the index and the file, and nothing of the other skill.
    let before = anyone.get(INDEX).await.expect(200);
    let kept = anyone
        .get("/.well-known/agent-skills/tools.zip")
        .await
        .expect(200);
    people
        .root
        .update("global", "plain", "otherwise")
        .await
        .expect(200);
    let after = anyone.get(INDEX).await.expect(200);
    assert_ne!(before.etag(), after.etag());
    assert_eq!(before.body["skills"][1], after.body["skills"][1]);
    let again = anyone
        .get("/.well-known/agent-skills/tools.zip")
        .await
        .expect(200);
    assert_eq!(kept.bytes, again.bytes);
}

/// A name that the older format cannot tell keeps its skill out of that index, and no other; the newer one has all.
#[tokio::test(flavor = "multi_thread")]
async fn the_older_index_leaves_out_what_it_cannot_tell() {
    let (server, people) = published().await;
    let anyone = server.client();
    for (name, path) in [
        ("dots", "a..b.txt"),
        ("percent", "50%.txt"),
        ("letters", "l\u{e4}uft.txt"),
        ("hash", "c#.md"),
    ] {
        let body = bundle(name, json!([{"path": path, "text": "x\n"}]));
        publish(&people.root, "global", name, body)
            .await
            .expect(201);
    }
    let legacy = super::names(&anyone, LEGACY).await;
    assert_eq!(legacy, ["plain", "tools"]);
    let all = super::names(&anyone, INDEX).await;
    assert_eq!(
        all,
        ["dots", "hash", "letters", "percent", "plain", "tools"]
    );
    let encoded = anyone
        .get("/.well-known/skills/letters/l%C3%A4uft.txt")
        .await
        .expect(200);
    assert_eq!(&encoded.bytes[..], b"x\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_that_asks_too_much_waits() {
    let builder = Builder {
        public_rate: Some(Rate {
            burst: NonZeroU32::new(3).unwrap(),
            every: Duration::from_secs(10),
        }),
        ..Builder::default()
    };
    let server = builder.start().await;
    let anyone = server.client();
    for path in [INDEX, LEGACY, "/.well-known/agent-skills/none.zip"] {
        assert_ne!(anyone.get(path).await.status, 429);
    }
    let refused = anyone.get(INDEX).await;
    assert_eq!(refused.headers["retry-after"], "10");
    let refused = refused.expect_problem(429, "too-many-requests");
    assert_eq!(refused.body.get("rule"), None::<&Value>);
    // Nothing else waits with it.
    anyone.get("/healthz").await.expect(200);
    server.advance(10);
    anyone.get(INDEX).await.expect(200);
}
