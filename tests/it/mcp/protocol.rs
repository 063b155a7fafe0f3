//! The protocol around the methods: credentials, origins, revisions, sizes.

use hyper::Method;
use serde_json::json;

use super::begin;
use super::speaker::{LATEST, Speaker, text};
use crate::harness::People;

const ACCEPT: (&str, &str) = ("accept", "application/json, text/event-stream");

fn initialize(version: &str) -> serde_json::Value {
    json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"},
    }})
}

/// Every older revision begins with a handshake, needs no session, and is told the catalog.
#[tokio::test(flavor = "multi_thread")]
async fn older_revisions_are_spoken_without_sessions() {
    let (_server, _people, maria, tom) = begin().await;
    maria
        .create("tenant:acme", "refunds", "Refund.")
        .await
        .expect(201);
    for version in ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] {
        let answer = tom.send(&[ACCEPT], initialize(version)).await.expect(200);
        assert!(answer.headers.get("mcp-session-id").is_none(), "{version}");
        let result = Speaker::result(&answer);
        assert_eq!(result["protocolVersion"], version);
        let extension = &result["capabilities"]["extensions"]["io.modelcontextprotocol/skills"];
        assert_eq!(*extension, json!({"directoryRead": true}));
        assert!(result["capabilities"]["resources"].is_object());
        assert!(result["capabilities"]["prompts"].is_null());
        let instructions = result["instructions"].as_str().unwrap();
        assert!(
            instructions.contains("- refunds [tenant:acme] — "),
            "{instructions}"
        );
        let said = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        tom.send(&[ACCEPT], said).await.expect(202);
        let headers = [ACCEPT, ("mcp-protocol-version", version)];
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "skill", "arguments": {"name": "refunds"}}});
        let called = Speaker::result(&tom.send(&headers, call).await);
        assert!(text(&called).contains("Refund."), "{called}");
        assert!(called["resultType"].is_null(), "{called}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_latest_revision_is_stateless_and_discovered() {
    let (_server, _people, maria, tom) = begin().await;
    maria
        .create("tenant:acme", "refunds", "Refund.")
        .await
        .expect(201);
    let found = tom.get("server/discover", json!({})).await;
    let versions: Vec<&str> = found["supportedVersions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|version| version.as_str().unwrap())
        .collect();
    assert!(versions.contains(&LATEST), "{versions:?}");
    // What it is told is the caller's own.
    assert_eq!(found["cacheScope"], "private");
    assert!(found["instructions"].as_str().unwrap().contains("refunds"));
    // Whoever leaves out the metadata of its request is told.
    let bare = json!({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": {}});
    let refused = tom
        .send(&[ACCEPT, ("mcp-protocol-version", LATEST)], bare)
        .await;
    assert!(refused.body["error"].is_object(), "{}", refused.body);
    // There are no sessions, and no streams that the server begins.
    for method in [Method::GET, Method::DELETE] {
        let answer = tom.client().send(method, "/mcp", &[ACCEPT], None).await;
        answer.expect(405);
    }
}

/// RFC 6750, RFC 9728: whoever is refused is told where to read how to do better.
#[tokio::test(flavor = "multi_thread")]
async fn a_credential_is_needed_and_what_is_missing_is_told() {
    let (server, people, _maria, tom) = begin().await;
    let metadata = format!(
        "resource_metadata=\"http://{}/.well-known/oauth-protected-resource/mcp\"",
        server.address
    );
    let nobody = Speaker::new(&tom.client().anonymous());
    let refused = nobody.ask("skills/list", json!({})).await.expect(401);
    let challenge = refused.headers["www-authenticate"]
        .to_str()
        .unwrap()
        .to_owned();
    assert_eq!(challenge, format!("Bearer {metadata}"));
    let forged = Speaker::new(&tom.client().with_token("x.y.z"));
    let refused = forged.ask("skills/list", json!({})).await.expect(401);
    let challenge = refused.headers["www-authenticate"]
        .to_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        challenge,
        format!("Bearer {metadata}, error=\"invalid_token\"")
    );
    for path in [
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
    ] {
        let found = nobody.client().get(path).await.expect(200);
        assert_eq!(
            found.body["resource"],
            format!("http://{}/mcp", server.address)
        );
        assert_eq!(found.body["bearer_methods_supported"], json!(["header"]));
    }
    // Nobody has us tell a name that is not ours.
    for host in [
        "evil.example.com",
        "user@localhost",
        "user:password@127.0.0.1",
    ] {
        let headers = [("host", host)];
        let path = "/.well-known/oauth-protected-resource/mcp";
        let told = nobody
            .client()
            .send(Method::GET, path, &headers, None)
            .await;
        assert_eq!(told.status, 400, "{host}");
        let headers = [ACCEPT, ("host", host)];
        let refused = nobody.send(&headers, initialize(LATEST)).await.expect(401);
        assert_eq!(refused.headers["www-authenticate"], "Bearer", "{host}");
    }
    // Authority that has ended is gone here too (invariant 10).
    people
        .root
        .delete("/v1/tenants/acme/members/tom")
        .await
        .expect(200);
    tom.ask("skills/list", json!({})).await.expect(401);
}

/// Threat 15: a page of another site, or a name that was bent to this address, gets nothing.
#[tokio::test(flavor = "multi_thread")]
async fn origins_and_hosts_are_held_to_what_is_allowed() {
    let (server, _people, _maria, tom) = begin().await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    for (header, value, status) in [
        ("origin", "https://evil.example.com", 403),
        ("origin", "null", 403),
        ("origin", "http://localhost.evil.example.com", 403),
        ("host", "evil.example.com", 403),
        ("host", "localhost.evil.example.com:80", 403),
        ("origin", "http://localhost:5173", 200),
        ("origin", "http://127.0.0.1:1", 200),
        ("host", "localhost:7700", 200),
    ] {
        let answer = tom.send(&[ACCEPT, (header, value)], ping.clone()).await;
        assert_eq!(answer.status, status, "{header}: {value}");
        if status == 403 {
            let said = String::from_utf8(answer.bytes.to_vec()).unwrap();
            assert!(said.contains("--public-url"), "{said}");
        }
    }
    drop(server);
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_are_bounded_and_strict() {
    let (_server, _people, _maria, tom) = begin().await;
    let long = "a".repeat(1 << 20);
    let large = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"x": long}});
    tom.send(&[ACCEPT], large).await.expect(413);
    let path = "/mcp";
    let client = tom.client();
    let json = ("content-type", "application/json");
    let broken = client
        .raw(Method::POST, path, &[ACCEPT, json], b"{".to_vec())
        .await;
    assert_eq!(broken.status, 400);
    assert_eq!(broken.body["error"]["code"], -32600);
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    let text = ("content-type", "text/plain");
    let typed = client
        .raw(
            Method::POST,
            path,
            &[ACCEPT, text],
            list.to_string().into_bytes(),
        )
        .await;
    assert_eq!(typed.status, 415);
    let unknown = tom.error("skills/everything", json!({})).await;
    assert_eq!(unknown["code"], -32601);
    for (method, params, part) in [
        ("skills/get", json!({}), "`uri`"),
        ("skills/get", json!({"uri": 7}), "`uri`"),
        ("resources/read", json!({}), "`uri`"),
        ("resources/directory/read", json!({"url": "x"}), "`uri`"),
        ("tools/call", json!({"arguments": {}}), "`name`"),
        (
            "tools/call",
            json!({"name": "skill", "arguments": []}),
            "`arguments`",
        ),
    ] {
        let error = tom.error(method, params).await;
        assert_eq!(error["code"], -32602, "{method}: {error}");
        assert!(error["message"].as_str().unwrap().contains(part), "{error}");
    }
    for query in ["?cap=0", "?cap=201", "?cap=x", "?role=a%20b", "?nothing=1"] {
        let answer = tom.at(query).ask("skills/list", json!({})).await;
        let refused = answer.status.is_client_error() || answer.body["error"].is_object();
        assert!(refused, "{query}: {}", answer.body);
    }
    for context in [json!([]), json!("x"), json!(1)] {
        let error = tom
            .with_context(context)
            .error("skills/list", json!({}))
            .await;
        assert_eq!(error["code"], -32602, "{error}");
    }
}

/// The URL of the endpoint says role and cap, for hosts that can be told nothing else.
#[tokio::test(flavor = "multi_thread")]
async fn the_url_says_role_and_cap() {
    let (_server, _people, maria, tom) = begin().await;
    for name in ["a", "b", "c"] {
        maria.create("tenant:acme", name, "x").await.expect(201);
    }
    let attached = json!({"skills": [{"name": "c"}]});
    maria
        .put("/v1/roles/tenant:acme/support/attachments", attached)
        .await
        .expect_one_of(&[200, 201]);
    let names = async |query: &str| super::speaker::names(&tom.at(query).skills().await);
    assert_eq!(names("").await, ["a", "b"]);
    assert_eq!(names("?role=support").await, ["a", "b", "c"]);
    assert_eq!(names("?cap=1").await, ["a"]);
    // Each has a turn of its own.
    tom.at("?role=support")
        .read("skill://tenant/c/SKILL.md")
        .await;
    let error = tom
        .error(
            "resources/read",
            json!({"uri": "skill://tenant/c/SKILL.md"}),
        )
        .await;
    assert_eq!(error["code"], -32602);
}

/// A service mints and has no turns: it is told so, and not that there is nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_service_is_refused_by_rule() {
    let (_server, mut people, _maria, _tom) = begin().await;
    let service = Speaker::new(&people.service("acme").await);
    let error = service.error("skills/list", json!({})).await;
    assert_eq!(error["code"], -32600);
    assert_eq!(error["data"]["rule"], "needs-actor");
    let failed = service.failed("skill_catalog", json!({})).await;
    assert_eq!(failed["_meta"]["dev.vestry/problem"]["rule"], "needs-actor");
    // Not by a handshake that succeeds, and an empty catalog.
    let error = service.error("server/discover", json!({})).await;
    assert_eq!(error["data"]["rule"], "needs-actor");
    drop::<People>(people);
}
