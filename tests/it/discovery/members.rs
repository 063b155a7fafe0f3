//! Which skills are public, and that one which is withdrawn is gone at once.

use hyper::Method;
use serde_json::json;
use vestry::store::{SourceOrder, SourceSpec};
use vestry_policies::Scope;

use super::{INDEX, LEGACY, names, published, skill_md};
use crate::api::files::{bundle, digest, publish};
use crate::harness::{Builder, Client, Directory, People, SOURCE_POLL, TestServer, content};

/// Both indexes and every file agree about which of these are public.
async fn public(anyone: &Client, asked: &[&str]) -> Vec<String> {
    let listed = names(anyone, INDEX).await;
    assert_eq!(listed, names(anyone, LEGACY).await);
    for name in asked {
        let status = if listed.iter().any(|listed| listed == name) {
            200
        } else {
            404
        };
        for prefix in ["agent-skills", "skills"] {
            let path = format!("/.well-known/{prefix}/{name}/SKILL.md");
            assert_eq!(anyone.get(&path).await.status, status, "{path}");
        }
    }
    listed
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_a_catalog_of_global_offers_anyone_verbatim() {
    let builder = Builder {
        built_in_skills: true,
        ..Builder::default()
    };
    let server = builder.start().await;
    let mut people = People::usual(&server).await;
    let root = people.root.clone();
    let maria = people.elevated("maria", "tenant:acme").await;
    let tom = people.human("tom").await;
    let anyone = server.client();
    for name in [
        "shown",
        "sealed",
        "hidden",
        "disabled",
        "quarantined",
        "revoked",
        "archived",
        "attached",
    ] {
        root.create("global", name, name).await.expect(201);
    }
    root.verb("global", "sealed", "seal").await.expect(200);
    for (name, verb) in [
        ("disabled", "disable"),
        ("quarantined", "quarantine"),
        ("revoked", "revoke"),
    ] {
        root.verb("global", name, verb).await.expect(200);
    }
    root.delete("/v1/skills/global/archived").await.expect(200);
    let hide = json!({"tenant": "acme", "reason": "a test"});
    maria
        .post("/v1/skills/global/hidden/hide", hide)
        .await
        .expect(200);
    let mut templated = content("templated");
    templated["templated"] = true.into();
    publish(&root, "global", "templated", templated)
        .await
        .expect(201);
    let mut ambient = content("ambient");
    ambient["frontmatter"] = json!({"metadata": {"mode": "ambient"}});
    publish(&root, "global", "ambient", ambient)
        .await
        .expect(201);
    let listed = root.get("/v1/skills/global/ambient").await.expect(200);
    assert_eq!(listed.body["mode"], "ambient");
    let path = "/v1/roles/global/support";
    root.send(
        Method::PUT,
        path,
        &[("if-none-match", "*")],
        Some(content("support")),
    )
    .await
    .expect(201);
    let attach = json!({"skills": [{"name": "attached", "mode": "triggered"}], "reason": "a test"});
    root.put("/v1/roles/global/support/attachments", attach)
        .await
        .expect(200);
    maria
        .create("tenant:acme", "of-tenant", "of the tenant")
        .await
        .expect(201);
    maria
        .create("tenant:acme", "shown", "of the tenant")
        .await
        .expect(201);
    tom.create("actor:tom", "of-actor", "of the actor")
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let body = json!({"scope": "global", "name": "proposed", "description": "Use when proposed.",
        "body": "Do it.\n", "rationale": "A lesson."});
    agent.post("/v1/proposals", body).await.expect(201);

    let everything = [
        "shown",
        "sealed",
        "hidden",
        "disabled",
        "quarantined",
        "revoked",
        "archived",
        "attached",
        "templated",
        "ambient",
        "support",
        "role:support",
        "of-tenant",
        "of-actor",
        "proposed",
        "opening-task-start",
    ];
    assert_eq!(
        public(&anyone, &everything).await,
        ["hidden", "sealed", "shown"]
    );
    // What is shown is the global one, whoever asks.
    let shown = skill_md(&root, "shown").await;
    for client in [&anyone, &maria, &agent] {
        let read = client
            .get("/.well-known/agent-skills/shown/SKILL.md")
            .await
            .expect(200);
        assert_eq!(read.bytes, shown.bytes);
    }
    // And back.
    for (name, verb) in [("disabled", "enable"), ("quarantined", "release")] {
        root.verb("global", name, verb).await.expect(200);
    }
    root.put(
        "/v1/roles/global/support/attachments",
        json!({"skills": [], "reason": "a test"}),
    )
    .await
    .expect(200);
    assert_eq!(
        public(&anyone, &everything).await,
        [
            "attached",
            "disabled",
            "hidden",
            "quarantined",
            "sealed",
            "shown"
        ]
    );
}

/// As soon as a withdrawal is acknowledged, no path has the skill, whatever was read before.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_withdrawn_is_gone_at_once() {
    let (server, people) = published().await;
    let (root, anyone) = (&people.root, server.client());
    let paths = [
        "/.well-known/agent-skills/tools.zip",
        "/.well-known/agent-skills/tools/SKILL.md",
        "/.well-known/agent-skills/tools/scripts/run.sh",
        "/.well-known/skills/tools/scripts/run.sh",
    ];
    let mut tags = Vec::new();
    for path in paths {
        tags.push(anyone.get(path).await.expect(200).etag());
    }
    for (away, back) in [
        ("quarantine", Some("release")),
        ("disable", Some("enable")),
        ("revoke", None),
    ] {
        assert_eq!(names(&anyone, INDEX).await, ["plain", "tools"]);
        root.verb("global", "tools", away).await.expect(200);
        for (path, tag) in paths.iter().zip(&tags) {
            let tag = format!("\"{tag}\"");
            let have = [("if-none-match", tag.as_str())];
            anyone.get(path).await.expect_problem(404, "not-found");
            let held = anyone.send(Method::GET, path, &have, None).await;
            held.expect_problem(404, "not-found");
        }
        assert_eq!(names(&anyone, INDEX).await, ["plain"]);
        assert_eq!(names(&anyone, LEGACY).await, ["plain"]);
        if let Some(back) = back {
            root.verb("global", "tools", back).await.expect(200);
        }
    }
    // A new revision of it is another matter.
    publish(root, "global", "tools", bundle("tools, mended", json!([])))
        .await
        .expect(200);
    assert_eq!(names(&anyone, INDEX).await, ["plain", "tools"]);
    anyone.get(paths[0]).await.expect_problem(404, "not-found");
    anyone.get(paths[1]).await.expect(200);
}

/// A folder that the operator mounts at `global` is global, and so public; what is gone from it is gone here.
#[tokio::test(flavor = "multi_thread")]
async fn skills_of_sources_are_read_from_their_folder() {
    let folder = Directory::new();
    let put = |path: &str, bytes: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    let source = "---\nname: mounted\ndescription: Use when mounted.\n---\n# Mounted\n\nDo it.\n";
    put("mounted/SKILL.md", source);
    put("mounted/scripts/run.sh", "true\n");
    let builder = Builder {
        sources: vec![SourceSpec {
            directory: folder.path().to_owned(),
            scope: Scope::Global,
            order: SourceOrder::After,
        }],
        ..Builder::default()
    };
    let server: TestServer = builder.start().await;
    let anyone = server.client();
    assert_eq!(public(&anyone, &["mounted"]).await, ["mounted"]);
    let index = anyone.get(INDEX).await.expect(200);
    let archive = anyone
        .get(index.body["skills"][0]["url"].as_str().unwrap())
        .await
        .expect(200);
    assert_eq!(index.body["skills"][0]["digest"], digest(&archive.bytes));
    let read = anyone
        .get("/.well-known/skills/mounted/scripts/run.sh")
        .await
        .expect(200);
    assert_eq!(&read.bytes[..], b"true\n");
    std::fs::remove_dir_all(folder.path().join("mounted")).unwrap();
    let mut gone = false;
    for _ in 0..200 {
        tokio::time::sleep(SOURCE_POLL).await;
        gone = names(&anyone, INDEX).await.is_empty();
        if gone {
            break;
        }
    }
    assert!(gone, "the index still lists it");
    assert_eq!(public(&anyone, &["mounted"]).await, Vec::<String>::new());
}
