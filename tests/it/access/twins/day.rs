//! What acme does.

use serde_json::json;

use super::proposed::proposals;
use super::roles::roles;
use super::twin::Twin;
use super::{BLAME, BLOB, DIFF, FILE, IMPACT, MEMBER, REVISION, REVISIONS, SETTINGS, SKILL, VERBS};
use crate::api::files::{bundle, digest, hex};
use crate::api::schemas::built_in;
use crate::harness::{PASSWORD, content};

/// The days of acme.
pub(super) async fn live(twin: &mut Twin) {
    let anyone = twin.server.client();
    let root = twin.people.root.clone();
    // Morning: people come in.
    let body = json!({"username": "maria", "password": PASSWORD});
    let login = twin
        .post(&anyone, "/v1/login", "/v1/login", body)
        .await
        .expect(200);
    twin.interlude().await;
    let body = json!({"refresh_token": login.text("refresh_token")});
    let fresh = twin
        .post(&anyone, "/v1/refresh", "/v1/refresh", body)
        .await
        .expect(200);
    let maria = anyone.with_token(fresh.text("access_token"));
    let body = json!({"scope": "tenant:acme", "password": PASSWORD, "reason": "the day's work"});
    let elevated = twin
        .post(&maria, "/v1/elevate", "/v1/elevate", body)
        .await
        .expect(200);
    let publisher = anyone.with_token(elevated.text("access_token"));
    let body = json!({"username": "tom", "password": PASSWORD, "tenant": "acme"});
    let login = twin
        .post(&anyone, "/v1/login", "/v1/login", body)
        .await
        .expect(200);
    let tom = anyone.with_token(login.text("access_token"));
    let body = json!({"username": "tom", "password": "a wrong password"});
    twin.post(&anyone, "/v1/login", "/v1/login", body)
        .await
        .expect(401);

    // Skills are made, at every scope.
    let new = [("if-none-match", "*")];
    for (client, scope, name, text) in [
        (&root, "global", "handbook", "the handbook"),
        (&root, "global", "refunds", "refunds in general"),
        (&publisher, "tenant:acme", "refunds", "refunds at acme"),
        (&publisher, "tenant:acme", "tone", "tone at acme"),
        (&publisher, "tenant:acme", "retired", "retired"),
        (&tom, "actor:tom", "tone", "tom's tone"),
        (&tom, "actor:tom", "notes", "tom's notes"),
    ] {
        let path = format!("/v1/skills/{scope}/{name}");
        twin.step(client, ("PUT", SKILL), &path, &new, Some(content(text)))
            .await
            .expect(201);
        if name == "handbook" {
            twin.interlude().await;
        }
    }
    // Files: sent ahead, published, read.
    let bytes = [("content-type", "application/octet-stream")];
    let blob = json!("a file of acme");
    let hex_of = hex(blob.to_string().as_bytes());
    let path = format!("/v1/blobs/{hex_of}");
    for status in [201, 200] {
        twin.step(&tom, ("PUT", BLOB), &path, &bytes, Some(blob.clone()))
            .await
            .expect(status);
        twin.interlude().await;
    }
    let files = json!([
        {"path": "a", "digest": format!("sha256:{hex_of}")},
        {"path": "b", "text": "a file of acme"},
    ]);
    let path = "/v1/skills/actor:tom/notes";
    let any = [("if-match", "*")];
    let body = Some(bundle("tom's notes", files));
    twin.step(&tom, ("PUT", SKILL), path, &any, body)
        .await
        .expect(200);
    let strangers = json!([{"path": "a", "digest": digest(b"a file of globex")}]);
    let body = Some(bundle("tom's notes", strangers));
    twin.step(&tom, ("PUT", SKILL), path, &any, body)
        .await
        .expect(422);
    twin.interlude().await;
    twin.get(&tom, FILE, &format!("{path}/revisions/2/file?path=a"))
        .await
        .expect(200);

    let path = "/v1/skills/tenant:acme/refunds";
    twin.step(
        &publisher,
        ("PUT", SKILL),
        path,
        &any,
        Some(content("refunds, second")),
    )
    .await
    .expect(200);
    twin.step(
        &publisher,
        ("PUT", SKILL),
        path,
        &new,
        Some(content("refused")),
    )
    .await
    .expect(412);
    for (verb, route) in VERBS {
        let path = format!("/v1/skills/tenant:acme/tone/{verb}");
        let sent = [("idempotency-key", "once")];
        // The key is used for every verb in turn: the same key at another route is another request.
        let body = Some(json!({"reason": "a test"}));
        let sent: &[(&str, &str)] = if *verb == "disable" { &sent } else { &[] };
        twin.step(&publisher, ("POST", *route), &path, sent, body.clone())
            .await
            .expect(200);
        twin.step(&publisher, ("POST", *route), &path, sent, body)
            .await
            .expect(200);
        twin.interlude().await;
    }
    let body = json!({"to": 1, "reason": "back"});
    let route = "/v1/skills/{scope}/{name}/rollback";
    twin.post(
        &publisher,
        route,
        "/v1/skills/tenant:acme/refunds/rollback",
        body,
    )
    .await
    .expect(200);
    let path = "/v1/skills/tenant:acme/retired";
    let digest = twin.get(&tom, SKILL, path).await.expect(200).text("digest");
    let body = json!({"digest": digest, "reason": "recalled"});
    twin.post(&publisher, "/v1/recall", "/v1/recall", body)
        .await
        .expect(200);
    let route = "/v1/skills/{scope}/{name}/revoke";
    let body = json!({"reason": "for good"});
    twin.post(
        &publisher,
        route,
        "/v1/skills/tenant:acme/retired/revoke",
        body,
    )
    .await
    .expect(200);
    twin.step(&publisher, ("DELETE", SKILL), path, &[], None)
        .await
        .expect(200);
    let body = json!({"tenant": "acme", "reason": "not for us"});
    for (verb, route) in [
        ("hide", "/v1/skills/global/{name}/hide"),
        ("show", "/v1/skills/global/{name}/show"),
    ] {
        let path = format!("/v1/skills/global/handbook/{verb}");
        twin.post(&publisher, route, &path, body.clone())
            .await
            .expect(200);
    }
    let route = "/v1/skills/{scope}/{name}/check";
    twin.post(
        &tom,
        route,
        "/v1/skills/tenant:acme/tone/check",
        content("tone at acme"),
    )
    .await
    .expect(200);
    // What is counted is acme's own, whatever globex has.
    for (client, path) in [
        (&publisher, "/v1/skills/tenant:acme/tone/impact?action=seal"),
        (
            &publisher,
            "/v1/skills/global/handbook/impact?action=disable",
        ),
        (&publisher, "/v1/skills/global/handbook/impact?action=hide"),
        (&tom, "/v1/skills/global/handbook/impact?action=archive"),
    ] {
        twin.get(client, IMPACT, path).await.expect(200);
    }
    twin.interlude().await;

    // Agents work.
    let body = json!({"tenant": "acme", "name": "desk"});
    let made = twin
        .post(&publisher, "/v1/services", "/v1/services", body)
        .await
        .expect(201);
    let service = anyone.with_token(made.text("key"));
    let body = json!({"actor": {"id": "tom"}, "agent": "support-bot", "ttl_seconds": 3600});
    let minted = twin
        .post(&service, "/v1/token", "/v1/token", body)
        .await
        .expect(200);
    let agent = anyone.with_token(minted.text("access_token"));
    for body in [
        json!({"turn": "t-1"}),
        json!({"turn": "t-named", "cap": 2, "role": "support", "session": "s"}),
        json!({"turn": "t-1", "cap": 3}),
        json!({"token_budget": 60}),
        json!({}),
    ] {
        twin.post(&agent, "/v1/catalog", "/v1/catalog", body).await;
        twin.interlude().await;
    }
    let resumed = twin
        .post(&agent, "/v1/catalog", "/v1/catalog", json!({"turn": "t-1"}))
        .await
        .expect(200);
    let offer = resumed.text("offer");
    for name in ["refunds", "tone", "payroll"] {
        let body = json!({"offer": offer, "name": name});
        twin.post(&agent, "/v1/load", "/v1/load", body).await;
    }
    for (name, path) in [("notes", "a"), ("notes", "c"), ("payroll", "a")] {
        let body = json!({"offer": offer, "name": name, "path": path});
        twin.post(&agent, "/v1/load/file", "/v1/load/file", body)
            .await;
    }
    roles(twin, &publisher, &agent).await;
    proposals(twin, &agent, &tom, &publisher).await;

    // Refusals of every kind.
    let body = Some(content("refused"));
    let path = "/v1/skills/tenant:acme/refunds";
    twin.step(&agent, ("PUT", SKILL), path, &any, body.clone())
        .await
        .expect(403);
    twin.step(&agent, ("PUT", SKILL), path, &any, body.clone())
        .await
        .expect(403);
    twin.step(
        &tom,
        ("PUT", SKILL),
        "/v1/skills/tenant:globex/refunds",
        &any,
        body,
    )
    .await
    .expect(403);
    twin.get(&tom, SKILL, "/v1/skills/tenant:globex/refunds")
        .await
        .expect(404);
    twin.interlude().await;

    // The minute turns, for the refusals that are counted.
    twin.server.advance(61);
    twin.settle().await;
    twin.interlude().await;

    // People of acme.
    let mia = "/v1/tenants/acme/members/mia";
    twin.step(
        &publisher,
        ("PUT", MEMBER),
        mia,
        &[],
        Some(json!({"role": "auditor"})),
    )
    .await
    .expect(200);
    twin.step(&publisher, ("DELETE", MEMBER), mia, &[], None)
        .await
        .expect(200);
    let settings = json!({
        "max_cap": 50, "agent_own_scope": "deny", "skills_per_actor": 10,
        "skills_per_tenant": 20, "revisions_per_skill": 30,
    });
    let path = "/v1/tenants/acme/settings";
    twin.step(&publisher, ("PUT", SETTINGS), path, &[], Some(settings))
        .await
        .expect(200);
    let made = twin
        .post(&tom, "/v1/keys", "/v1/keys", json!({"name": "mine"}))
        .await
        .expect(201);
    let key = anyone.with_token(made.text("key"));
    twin.interlude().await;

    // Everything that can be read, by everyone who reads.
    for client in [&maria, &tom, &agent, &service, &key, &root] {
        for path in ["/v1/skills", "/v1/skills?q=refunds", "/v1/skills?q=globex"] {
            twin.pages(client, "/v1/skills", path).await;
        }
        for scope in ["tenant:acme", "actor:tom", "global", "tenant:globex"] {
            for path in [
                format!("/v1/skills?scope={scope}"),
                format!("/v1/skills?scope={scope}&status=archived"),
            ] {
                twin.get(client, "/v1/skills", &path).await;
            }
            for name in ["refunds", "tone", "retired", "refunds-1"] {
                let path = format!("/v1/skills/{scope}/{name}");
                twin.get(client, SKILL, &path).await;
                twin.get(client, REVISIONS, &format!("{path}/revisions?limit=2"))
                    .await;
                twin.get(client, REVISION, &format!("{path}/revisions/1"))
                    .await;
                twin.get(client, DIFF, &format!("{path}/diff?from=1&to=2"))
                    .await;
                twin.get(client, BLAME, &format!("{path}/blame")).await;
            }
        }
        // The whole stream so far: ids, order and all. What globex proposes for global is told to the administrator.
        for path in [
            "/v1/events?since=start&wait=0",
            "/v1/events?wait=0&last_event_id=7.3",
            "/v1/events?wait=0&last_event_id=100000.100000",
        ] {
            if client.token() != root.token() {
                twin.get(client, "/v1/events", path).await;
            }
        }
        for target in [
            "tenant:acme/refunds",
            "global",
            "actor:tom",
            "tenant:globex/refunds",
        ] {
            let path = format!("/v1/explain?action=publish-skill&target={target}");
            twin.get(client, "/v1/explain", &path).await;
        }
        for principal in ["human:tom", "human:gus", "agent:support-bot@tom"] {
            let path = format!("/v1/explain?action=read-body&target=global&principal={principal}");
            twin.get(client, "/v1/explain", &path).await;
        }
        for path in ["/v1/context-schema", "/v1/reference"] {
            twin.get(client, path, path).await.expect(200);
        }
        for (path, body) in [
            (
                "/v1/templates/check",
                json!({"source": "Of {{organization.nam}}.\n"}),
            ),
            (
                "/v1/templates/render",
                json!({"source": "Of {{organization.name}}.\n", "sample": "task-start"}),
            ),
        ] {
            twin.post(client, path, path, body).await.expect(200);
        }
        for path in ["/v1/explain/catalog", "/v1/explain/catalog?actor=tom"] {
            let first = twin.get(client, "/v1/explain/catalog", path).await;
            if first.status == 200 {
                twin.pages(client, "/v1/explain/catalog", path).await;
            }
        }
        for (route, path) in [
            ("/v1/me", "/v1/me"),
            ("/v1/keys", "/v1/keys"),
            (SETTINGS, "/v1/tenants/acme/settings"),
            ("/v1/tenants/{tenant}/members", "/v1/tenants/acme/members"),
            ("/v1/tenants/{tenant}/services", "/v1/tenants/acme/services"),
        ] {
            twin.get(client, route, path).await;
        }
        twin.interlude().await;
    }
    twin.pages(&root, "/v1/users", "/v1/users").await;
    twin.pages(&root, "/v1/tenants", "/v1/tenants").await;
    for (route, path) in [
        ("/healthz", "/healthz"),
        ("/readyz", "/readyz"),
        ("/problems", "/problems"),
        ("/problems/{code}", "/problems/refused"),
        ("/openapi.json", "/openapi.json"),
        ("/docs", "/docs"),
        ("/docs/style.css", "/docs/style.css"),
        (
            "/.well-known/agent-skills/index.json",
            "/.well-known/agent-skills/index.json",
        ),
        (
            "/.well-known/skills/index.json",
            "/.well-known/skills/index.json",
        ),
    ] {
        twin.get(&anyone, route, path).await.expect(200);
    }
    for (route, path) in [
        (
            "/.well-known/agent-skills/{name}/{path}",
            "/.well-known/agent-skills/handbook/SKILL.md",
        ),
        (
            "/.well-known/skills/{name}/{path}",
            "/.well-known/skills/handbook/SKILL.md",
        ),
    ] {
        twin.get(&anyone, route, path).await.expect(200);
    }
    // It has no files, and so no archive.
    let archive = "/.well-known/agent-skills/handbook.zip";
    twin.get(&anyone, "/.well-known/agent-skills/{archive}", archive)
        .await
        .expect(404);
    let body = json!({"username": "newcomer", "password": PASSWORD, "display_name": "N"});
    twin.post(&root, "/v1/users", "/v1/users", body)
        .await
        .expect(201);
    let body = json!({"id": "initech", "name": "Initech"});
    twin.post(&root, "/v1/tenants", "/v1/tenants", body)
        .await
        .expect(201);

    let body = json!({"schema": built_in(2)});
    let check = "/v1/context-schema/check";
    twin.post(&root, check, check, body.clone())
        .await
        .expect(200);
    let activate = "/v1/context-schema";
    twin.step(&root, ("PUT", activate), activate, &[], Some(body))
        .await
        .expect(200);

    // Evening: the doors close, and the logs are read.
    let path = format!("/v1/keys/{}", made.text("id"));
    twin.step(&tom, ("DELETE", "/v1/keys/{id}"), &path, &[], None)
        .await
        .expect(204);
    twin.step(
        &publisher,
        ("DELETE", "/v1/elevate"),
        "/v1/elevate",
        &[],
        None,
    )
    .await
    .expect(204);
    twin.step(&tom, ("POST", "/v1/logout"), "/v1/logout", &[], None)
        .await
        .expect(204);
    twin.get(&key, "/v1/me", "/v1/me").await.expect(401);
    twin.get(&tom, "/v1/me", "/v1/me").await.expect(401);
    twin.interlude().await;
    let auditor = twin.auditor.clone();
    twin.pages(&auditor, "/v1/audit", "/v1/audit").await;
    twin.pages(&auditor, "/v1/audit", "/v1/audit?principal=human:greta")
        .await;
    twin.pages(&root, "/v1/audit", "/v1/audit?log=global").await;
    let checkpoint = "/v1/audit/checkpoint";
    twin.get(&auditor, checkpoint, checkpoint).await.expect(200);
    twin.get(&root, checkpoint, "/v1/audit/checkpoint?log=global")
        .await
        .expect(200);
    twin.get(&anyone, "/v1/audit/key", "/v1/audit/key")
        .await
        .expect(200);
    for skill in [
        "scope=tenant:acme&name=refunds&revision=1",
        "scope=global&name=handbook&revision=1",
    ] {
        let path = format!("/v1/recall/turns?{skill}");
        twin.pages(&auditor, "/v1/recall/turns", &path).await;
    }
    // Numbers of other tenants are what an administrator asks for there; of what no tenant has there are none.
    let path = format!("/v1/recall/tenants?digest=sha256:{}", "7".repeat(64));
    twin.pages(&root, "/v1/recall/tenants", &path).await;
}
