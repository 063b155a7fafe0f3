//! Prompt templates of the registry: publishing them, and resolving the one that a role of a workflow gets (issue 8, A).

use hyper::Method;
use serde_json::{Value, json};

use super::files::hex;
use crate::harness::{Client, People, Response, TestServer};

/// A prompt template as its author writes it.
fn template(name: &str, selectors: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: The prompt {name}.\n{selectors}---\n{body}")
}

async fn put(client: &Client, scope: &str, name: &str, selectors: &str, body: &str) -> Response {
    let path = format!("/v1/skills/{scope}/prompt:{name}");
    let content = json!({"skill_md": template(name, selectors, body)});
    client
        .send(Method::PUT, &path, &[("if-none-match", "*")], Some(content))
        .await
}

async fn resolve(client: &Client, mut asked: Value) -> Response {
    if asked.get("workflow").is_none() {
        asked["workflow"] = "bugfix".into();
    }
    client.post("/v1/prompts/resolve", asked).await
}

fn source(answer: &Response) -> &str {
    answer.body["selected"]["source"]
        .as_str()
        .unwrap_or("nothing")
}

async fn begin() -> (TestServer, People, Client, Client) {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let agent = people.agent("acme", "tom", "bot").await;
    (server, people, maria, agent)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_unique_most_specific_template_is_handed_out() {
    let (_server, _people, maria, agent) = begin().await;
    let app = "repos: [https://github.com/Acme/App.git]\n";
    put(&maria, "tenant:acme", "plain", "", "Plain.\n")
        .await
        .expect(201);
    put(
        &maria,
        "tenant:acme",
        "roles",
        "fields: [review, fix]\n",
        "Roles {{a}}.\n",
    )
    .await
    .expect(201);
    put(&maria, "tenant:acme", "app", app, "App.\n")
        .await
        .expect(201);
    put(
        &maria,
        "tenant:acme",
        "both",
        &format!("{app}field: review\nworkflows: [bugfix]\n"),
        "Both.\n",
    )
    .await
    .expect(201);

    let of = async |asked: Value| source(&resolve(&agent, asked).await.expect(200)).to_owned();
    let ssh = "git@github.com:acme/app";
    assert_eq!(
        of(json!({"role": "review", "repository": ssh})).await,
        "registry:tenant:acme/both@1"
    );
    assert_eq!(
        of(json!({"role": "review", "repository": ssh, "workflow": "other"})).await,
        "registry:tenant:acme/app@1"
    );
    assert_eq!(
        of(json!({"role": "review"})).await,
        "registry:tenant:acme/roles@1"
    );
    assert_eq!(
        of(json!({"role": "plan"})).await,
        "registry:tenant:acme/plain@1"
    );
    // What has no fields is for the primary role.
    assert_eq!(
        of(json!({"role": "plan", "primary_role": "code"})).await,
        "nothing"
    );
    assert_eq!(
        of(json!({"role": "plan", "primary_role": "planPromptTemplate"})).await,
        "registry:tenant:acme/plain@1"
    );

    let answer = resolve(&agent, json!({"role": "reviewPromptTemplate"}))
        .await
        .expect(200);
    let selected = &answer.body["selected"];
    assert_eq!(selected["template"], "Roles {{a}}.\n");
    assert_eq!(selected["template_sha256"], hex(b"Roles {{a}}.\n"));
    assert_eq!(
        selected["specificity"],
        json!({"repository": false, "fields": true})
    );
    assert_eq!(answer.body["input"], "reviewPromptTemplate");
    assert_eq!(answer.body["source_input"], "reviewPromptTemplateSource");
    let bundled = &answer.body["bundled"];
    assert_eq!(bundled["source"], "bundled:review");
    let text = bundled["template"].as_str().unwrap();
    assert!(text.contains("{{subtask}}"));
    assert_eq!(bundled["template_sha256"], hex(text.as_bytes()));
    let other = resolve(&agent, json!({"role": "review", "key": "../fix.md"}))
        .await
        .expect(200);
    assert_eq!(other.body["bundled"]["key"], "fix");
    let none = resolve(&agent, json!({"role": "deploy"})).await.expect(200);
    assert!(none.body.get("bundled").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn equally_specific_templates_block_and_are_named() {
    let (_server, _people, maria, agent) = begin().await;
    put(&maria, "tenant:acme", "one", "field: review\n", "One.\n")
        .await
        .expect(201);
    put(
        &maria,
        "tenant:acme",
        "two",
        "field: review\nworkflows: bugfix\n",
        "Two.\n",
    )
    .await
    .expect(201);
    let blocked = resolve(&agent, json!({"role": "review"}))
        .await
        .expect_problem(409, "conflict");
    for name in [
        "registry:tenant:acme/one@1",
        "registry:tenant:acme/two@1",
        "`review`",
        "`bugfix`",
    ] {
        assert!(blocked.detail().contains(name), "{}", blocked.body);
    }
    // A library's files are among them, by name.
    let library =
        json!([{"file": "mine.md", "frontmatter": "field: review\n"}, {"file": "other.md"}]);
    let asked = json!({"role": "review", "workflow": "other", "library": library});
    let blocked = resolve(&agent, asked.clone())
        .await
        .expect_problem(409, "conflict");
    assert!(
        blocked
            .detail()
            .contains("registry:tenant:acme/one@1, user:mine.md"),
        "{}",
        blocked.body
    );
    // More specific than all of the registry's.
    let mut more = asked.clone();
    more["repository"] = "github.com/acme/app".into();
    more["library"][0]["frontmatter"] = "repos:\n- git@github.com:Acme/app.git\n".into();
    let answer = resolve(&agent, more).await.expect(200);
    assert_eq!(source(&answer), "user:mine.md");
    assert_eq!(answer.body["selected"]["file"], "mine.md");
    assert!(answer.body["selected"].get("template").is_none());
}

/// Scopes as for skills: of one name the narrowest, unless a wider one is sealed; what is disabled or recalled takes no part.
#[tokio::test(flavor = "multi_thread")]
async fn scopes_are_as_for_skills() {
    let (_server, people, maria, agent) = begin().await;
    let root = people.root.clone();
    put(&root, "global", "review", "field: review\n", "Global.\n")
        .await
        .expect(201);
    let of =
        async || source(&resolve(&agent, json!({"role": "review"})).await.expect(200)).to_owned();
    assert_eq!(of().await, "registry:global/review@1");
    put(
        &maria,
        "tenant:acme",
        "review",
        "field: review\n",
        "Acme.\n",
    )
    .await
    .expect(201);
    assert_eq!(of().await, "registry:tenant:acme/review@1");
    put(&agent, "actor:tom", "review", "field: review\n", "Own.\n")
        .await
        .expect(201);
    let answer = resolve(&agent, json!({"role": "review"})).await.expect(200);
    assert_eq!(source(&answer), "registry:actor:tom/review@1");
    assert_eq!(
        answer.body["selected"]["shadows"],
        json!(["tenant:acme", "global"])
    );
    let item = "/v1/skills/tenant:acme/prompt:review";
    let act = async |verb: &str| {
        maria
            .post(&format!("{item}/{verb}"), json!({"reason": "a test"}))
            .await
            .expect(200);
    };
    act("seal").await;
    assert_eq!(of().await, "registry:tenant:acme/review@1");
    act("disable").await;
    assert_eq!(of().await, "registry:actor:tom/review@1");
    act("enable").await;
    act("quarantine").await;
    assert_eq!(of().await, "registry:actor:tom/review@1");
    act("release").await;
    assert_eq!(of().await, "registry:tenant:acme/review@1");
    // Another tenant sees none of it.
    let greta = people.human("greta").await;
    let there = resolve(&greta, json!({"role": "review"})).await.expect(200);
    assert_eq!(source(&there), "registry:global/review@1");
    // A prompt is no skill, and in no catalog.
    let catalog = agent.post("/v1/catalog", json!({})).await.expect(200);
    assert_eq!(catalog.body["entries"], json!([]));
    let listed = maria
        .get("/v1/skills?scope=tenant:acme&kind=prompt")
        .await
        .expect(200);
    assert_eq!(listed.body["items"][0]["kind"], "prompt");
    // An agent gets the body only by resolving (design §2.4).
    let seen = agent.get(item).await.expect(200);
    assert!(seen.body["body"].is_null(), "{}", seen.body);
}

/// A seal holds against every name: what is narrower than a sealed template that matches neither goes before it, however specific
/// it is, nor makes it ambiguous.
#[tokio::test(flavor = "multi_thread")]
async fn another_name_is_no_way_around_a_seal() {
    let (_server, _people, maria, agent) = begin().await;
    put(
        &maria,
        "tenant:acme",
        "guarded",
        "fields: [review]\n",
        "Guarded.\n",
    )
    .await
    .expect(201);
    let own = "repos: [github.com/acme/app]\nfields: [review]\n";
    put(&agent, "actor:tom", "mine", own, "Mine.\n")
        .await
        .expect(201);
    put(&agent, "actor:tom", "same", "fields: [review]\n", "Same.\n")
        .await
        .expect(201);
    let library = json!([
        {"file": "specific.md", "frontmatter": own},
        {"file": "equal.md", "frontmatter": "fields: [review]\n"},
    ]);
    let asked = |repository: Option<&str>, library: &Value| {
        let mut asked = json!({"role": "review", "library": library});
        if let Some(repository) = repository {
            asked["repository"] = repository.into();
        }
        asked
    };
    let app = Some("github.com/acme/app");
    // Without a seal they go before it, or block.
    let answer = resolve(&agent, asked(app, &json!([]))).await.expect(200);
    assert_eq!(source(&answer), "registry:actor:tom/mine@1");
    resolve(&agent, asked(None, &library))
        .await
        .expect_problem(409, "conflict");
    maria
        .post(
            "/v1/skills/tenant:acme/prompt:guarded/seal",
            json!({"reason": "a test"}),
        )
        .await
        .expect(200);
    for repository in [None, app] {
        for library in [&json!([]), &library] {
            let answer = resolve(&agent, asked(repository, library))
                .await
                .expect(200);
            assert_eq!(source(&answer), "registry:tenant:acme/guarded@1");
        }
    }
    // Who writes at the scope of the seal is no way around it.
    put(&maria, "tenant:acme", "of-app", own, "App.\n")
        .await
        .expect(201);
    let answer = resolve(&agent, asked(app, &library)).await.expect(200);
    assert_eq!(source(&answer), "registry:tenant:acme/of-app@1");
    // For what it is not for it holds nobody.
    put(&agent, "actor:tom", "plan", "fields: [plan]\n", "Plan.\n")
        .await
        .expect(201);
    let answer = resolve(&agent, json!({"role": "plan"})).await.expect(200);
    assert_eq!(source(&answer), "registry:actor:tom/plan@1");
}

/// Invariants 2 and 3: who writes one.
#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_template_is_governed_like_a_skill() {
    let (_server, mut people, maria, agent) = begin().await;
    let refused = put(&agent, "tenant:acme", "review", "", "x\n").await;
    assert_eq!(refused.expect(403).rule(), "humans-only");
    let tom = people.human("tom").await;
    let refused = put(&tom, "tenant:acme", "review", "", "x\n").await;
    assert_eq!(refused.expect(403).rule(), "needs-elevation");
    put(&maria, "tenant:acme", "review", "", "x\n")
        .await
        .expect(201);
    // What a recall reaches is in its report.
    let launch = json!({"role": "review", "turn": "launch-7", "session": "s-1"});
    resolve(&agent, launch).await.expect(200);
    let report = maria
        .get("/v1/recall/turns?scope=tenant:acme&name=prompt:review&revision=1")
        .await
        .expect(200);
    let event = &report.body["items"][0];
    assert_eq!(
        (&event["event"], &event["turn"]),
        (&json!("opened"), &json!("launch-7")),
        "{}",
        report.body
    );
    // A service mints tokens, and runs nothing.
    people
        .service("acme")
        .await
        .post(
            "/v1/prompts/resolve",
            json!({"workflow": "bugfix", "role": "review"}),
        )
        .await
        .expect(403);
}

/// Anything unreadable fails closed, with its line: by every way to write one.
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_refused_when_it_is_written() {
    let (_server, _people, maria, agent) = begin().await;
    for (selectors, line, words) in [
        ("repo: github.com/a/b\n", 4, "did you mean `repos`?"),
        ("repos: 7\n", 4, "neither a text nor a list"),
        ("repos: [a/b]\n", 4, "with its host"),
        ("workflows: [x]\nfields: []\n", 5, "empty list"),
        ("metadata:\n  templated: \"true\"\n", 5, "placeholders"),
    ] {
        let refused = put(&maria, "tenant:acme", "bad", selectors, "x\n").await;
        let refused = refused.expect_problem(422, "invalid-content");
        let said = refused.detail();
        assert!(
            said.contains(&format!("line {line}")) && said.contains(words),
            "{said}"
        );
        let proposal = json!({"scope": "tenant:acme", "name": "prompt:bad", "skill_md": template("bad", selectors, "x\n"), "rationale": "a test"});
        let refused = agent.post("/v1/proposals", proposal).await;
        let refused = refused.expect_problem(422, "invalid-content");
        assert!(refused.detail().contains(words), "{}", refused.body);
    }
    let parts =
        json!({"description": "d", "body": "x\n", "frontmatter": {"repo": "github.com/a/b"}});
    let path = "/v1/skills/tenant:acme/prompt:bad";
    let refused = maria
        .send(Method::PUT, path, &[("if-none-match", "*")], Some(parts))
        .await;
    let refused = refused.expect_problem(422, "invalid-content");
    assert!(
        refused.detail().contains("did you mean `repos`?"),
        "{}",
        refused.body
    );
    let parts = json!({"description": "d", "body": "x\n", "frontmatter": {"repos": ["github.com/a/b"], "fields": ["fix"]}});
    let made = maria
        .send(Method::PUT, path, &[("if-none-match", "*")], Some(parts))
        .await;
    assert!(made.expect(201).body.get("warnings").is_none());
    // A skill may have such keys: they say nothing there, and whoever forgot that it is a prompt is told.
    let skill = json!({"description": "d", "body": "x\n", "frontmatter": {"fields": ["fix"]}});
    let path = "/v1/skills/tenant:acme/forgotten";
    let made = maria
        .send(Method::PUT, path, &[("if-none-match", "*")], Some(skill))
        .await
        .expect(201);
    let warning = made.body["warnings"][0]["detail"].as_str().unwrap();
    assert!(warning.contains("prompt template"), "{warning}");
    let skill = json!({"description": "d", "body": "x\n", "frontmatter": {"repo": 7}});
    maria
        .send(
            Method::PUT,
            "/v1/skills/tenant:acme/any",
            &[("if-none-match", "*")],
            Some(skill),
        )
        .await
        .expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_cannot_be_read_is_refused() {
    let (_server, _people, _maria, agent) = begin().await;
    for (asked, field) in [
        (json!({"role": "a b"}), "role"),
        (json!({"role": "a", "workflow": ""}), "workflow"),
        (json!({"role": "a", "workflow": "a, b"}), "workflow"),
        (json!({"role": "a", "primary_role": ""}), "primary_role"),
        (json!({"role": "a", "repository": "acme/app"}), "repository"),
        (json!({"role": "a", "key": ".."}), "key"),
        (json!({"role": "a", "library": [{"file": ""}]}), "library"),
        (
            json!({"role": "a", "library": [{"file": "a"}, {"file": "a"}]}),
            "library",
        ),
        (
            json!({"role": "a", "library": [{"file": "a.md", "frontmatter": "repo: x\n"}]}),
            "library",
        ),
        // What ends a line for some readers would make a comment of a selector.
        (
            json!({"role": "a", "library": [{"file": "a.md", "frontmatter": "# a\rrepos: github.com/a/b\n"}]}),
            "library",
        ),
        (
            json!({"role": "a", "library": [{"file": "a.md", "frontmatter": "# a\u{2028}repos: github.com/a/b\n"}]}),
            "library",
        ),
        (
            json!({"role": "a", "library": [{"file": "a.md", "frontmatter": "# a\u{85}repos: github.com/a/b\n"}]}),
            "library",
        ),
        (
            json!({"role": "a", "library": [{"file": "a.md", "frontmatter": "\u{a0}\n"}]}),
            "library",
        ),
        (
            json!({"role": "a", "library": [{"file": "a.md", "frontmatter": "\u{c}\n"}]}),
            "library",
        ),
        (
            json!({"role": "a", "library": vec![json!({"file": "a"}); 201]}),
            "library",
        ),
    ] {
        let refused = resolve(&agent, asked.clone())
            .await
            .expect_problem(422, "invalid-content");
        assert_eq!(refused.body["field"], field, "{asked}: {}", refused.body);
    }
    let bad =
        json!({"role": "a", "library": [{"file": "a.md", "frontmatter": "field: x\nrepo: x\n"}]});
    let refused = resolve(&agent, bad).await.expect(422);
    assert!(
        refused
            .detail()
            .contains("`a.md` is refused, line 3: the key `repo`"),
        "{}",
        refused.body
    );
}
