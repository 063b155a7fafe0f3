//! The tools, for hosts that know no skills.

use serde_json::{Value, json};

use super::speaker::text;
use super::{begin, with_files};

#[tokio::test(flavor = "multi_thread")]
async fn tools_say_what_they_take_and_do() {
    let (_server, _people, _maria, tom) = begin().await;
    let listed = tom.get("tools/list", json!({})).await;
    let tools = listed["tools"].as_array().unwrap();
    let told: Vec<(&str, bool)> = tools
        .iter()
        .map(|tool| {
            let schema = &tool["inputSchema"];
            assert_eq!(schema["type"], "object", "{tool}");
            assert_eq!(schema["additionalProperties"], false, "{tool}");
            assert!(!tool["description"].as_str().unwrap().is_empty());
            for property in schema["properties"].as_object().unwrap().values() {
                assert!(property["description"].is_string(), "{tool}");
            }
            assert_eq!(tool["annotations"]["openWorldHint"], false);
            let reads = tool["annotations"]["readOnlyHint"].as_bool().unwrap();
            (tool["name"].as_str().unwrap(), reads)
        })
        .collect();
    assert_eq!(
        told,
        [
            ("skill_catalog", true),
            ("skill", true),
            ("skill_file", true),
            ("write_own_skill", false),
            ("propose_skill", false),
            ("my_proposals", true),
        ]
    );
    // The name is any text: what is offered changes with every turn, and hosts keep schemas.
    let name = &tools[1]["inputSchema"]["properties"]["name"];
    assert_eq!(name["type"], "string");
    assert!(
        name.get("enum").is_none() && name.get("pattern").is_none(),
        "{name}"
    );
    let error = tom
        .error("tools/call", json!({"name": "nothing", "arguments": {}}))
        .await;
    assert_eq!(error["code"], -32602);
    for (tool, arguments) in [
        ("skill", json!({})),
        ("skill", json!({"name": 1})),
        ("skill", json!({"name": "a", "more": 1})),
        ("skill_catalog", json!({"more": 1})),
        ("my_proposals", json!({"state": "unheard-of"})),
        ("write_own_skill", json!({"name": "a"})),
    ] {
        let failed = tom.failed(tool, arguments.clone()).await;
        let problem = &failed["_meta"]["dev.vestry/problem"];
        assert_eq!(problem["status"], 400, "{tool} {arguments}: {failed}");
        assert!(!text(&failed).contains(" line "), "{failed}");
        let detail = problem["detail"].as_str().unwrap();
        assert!(text(&failed).ends_with(detail), "{failed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_without_skills_loads_by_tools() {
    let (_server, _people, maria, tom) = begin().await;
    let nothing = tom.done("skill_catalog", json!({})).await;
    assert_eq!(text(&nothing), "No skills are available to you now.");
    let failed = tom.failed("skill", json!({"name": "x"})).await;
    assert_eq!(
        text(&failed),
        "No skill named \"x\" is available to you, and no others are either."
    );
    let files = json!([{"path": "a.md", "text": "# A\n"}, {"path": "b.bin", "base64": "AAEC/w=="}]);
    with_files(&maria, "tenant:acme", "bundled", files).await;
    let catalog = tom.done("skill_catalog", json!({})).await;
    let over_http = tom
        .client()
        .post("/v1/catalog", json!({}))
        .await
        .expect(200);
    assert_eq!(text(&catalog), over_http.text("block"));
    assert_eq!(catalog["_meta"]["dev.vestry/etag"], over_http.text("etag"));
    let loaded = tom.done("skill", json!({"name": "bundled"})).await;
    let over_http = tom
        .client()
        .load(&over_http.text("offer"), "bundled")
        .await
        .expect(200);
    assert_eq!(text(&loaded), over_http.text("block"));
    let files = loaded["content"][1]["text"].as_str().unwrap();
    assert_eq!(
        files,
        "Files of this skill, read one with `skill_file`: a.md, b.bin"
    );
    assert_eq!(
        loaded["_meta"]["dev.vestry/digest"],
        over_http.text("digest")
    );
    let mut node = over_http.body["context_node"].clone();
    assert_eq!(loaded["_meta"]["dev.vestry/context_node"], node);
    // The protocol has no id of the model's tool call: a host may say it.
    let said = |id: Value| json!({"name": "skill", "arguments": {"name": "bundled"}, "_meta": {"dev.vestry/tool_call": id}});
    let loaded = tom.get("tools/call", said(json!("c-7"))).await;
    node["loaded_by_tool_call_id"] = json!("c-7");
    assert_eq!(loaded["_meta"]["dev.vestry/context_node"], node);
    for wrong in [json!(7), json!("x".repeat(257))] {
        let failed = tom.get("tools/call", said(wrong)).await;
        assert_eq!(failed["isError"], true, "{failed}");
    }
    let file = tom
        .done("skill_file", json!({"name": "bundled", "path": "a.md"}))
        .await;
    assert_eq!(text(&file), "# A\n");
    let file = tom
        .done("skill_file", json!({"name": "bundled", "path": "b.bin"}))
        .await;
    let resource = &file["content"][0]["resource"];
    assert_eq!(resource["blob"], "AAEC/w==");
    assert_eq!(resource["uri"], "skill://tenant/bundled/b.bin");
    let failed = tom
        .failed("skill_file", json!({"name": "bundled", "path": "../a.md"}))
        .await;
    assert!(text(&failed).contains("a.md"), "{failed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_writes_its_own_scope_and_proposes_wider() {
    let (_server, people, maria, tom) = begin().await;
    let written = tom
        .done(
            "write_own_skill",
            json!({"name": "lesson", "description": "Use it.", "body": "First.",
            "files": [{"path": "a.md", "text": "a"}]}),
        )
        .await;
    let change = &written["structuredContent"];
    assert_eq!(change["scope"], "actor:tom");
    assert_eq!(
        serde_json::from_str::<Value>(text(&written)).unwrap(),
        *change
    );
    // Not over what is there, unless it is said what that is.
    let again = json!({"name": "lesson", "description": "Use it.", "body": "Second."});
    let failed = tom.failed("write_own_skill", again.clone()).await;
    assert!(text(&failed).contains("`replaces`"), "{failed}");
    let mut replacing = again;
    replacing["replaces"] =
        json!("sha256:0000000000000000000000000000000000000000000000000000000000000000");
    tom.failed("write_own_skill", replacing.clone()).await;
    replacing["replaces"] = change["digest"].clone();
    let written = tom.done("write_own_skill", replacing).await;
    assert_eq!(written["structuredContent"]["revision"], 2);
    let bad = json!({"name": "Bad Name", "description": "x", "body": "x"});
    let failed = tom.failed("write_own_skill", bad).await;
    assert_eq!(
        failed["_meta"]["dev.vestry/problem"]["code"],
        "invalid-name"
    );
    let role = json!({"name": "role:support", "description": "x", "body": "x"});
    tom.failed("write_own_skill", role).await;

    let proposal = json!({"scope": "tenant:acme", "name": "lesson", "description": "Use it.", "body": "Second.",
        "rationale": "It helped."});
    // What is kept has no NUL, on either database.
    let own = json!({"name": "nul", "description": "Use it.", "body": "First."});
    for (tool, given, field) in [
        ("propose_skill", &proposal, "rationale"),
        ("propose_skill", &proposal, "evidence"),
        ("propose_skill", &proposal, "body"),
        ("write_own_skill", &own, "message"),
        ("write_own_skill", &own, "description"),
    ] {
        let mut given = given.clone();
        given[field] = "It\0helped.".into();
        let failed = tom.failed(tool, given).await;
        let code = &failed["_meta"]["dev.vestry/problem"]["code"];
        assert_eq!(code, "malformed", "{tool} {field}: {failed}");
    }
    let proposed = tom.done("propose_skill", proposal.clone()).await;
    let id = proposed["structuredContent"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let again = tom.done("propose_skill", proposal.clone()).await;
    assert_eq!(again["structuredContent"]["id"], id);
    assert_eq!(again["structuredContent"]["unchanged"], true);
    let mut abroad = proposal;
    abroad["scope"] = json!("tenant:globex");
    let failed = tom.failed("propose_skill", abroad).await;
    assert_eq!(
        failed["_meta"]["dev.vestry/problem"]["rule"],
        "not-in-scope"
    );

    // Own proposals, and nobody else's.
    let mia = people.human("mia").await;
    let body = json!({"scope": "tenant:acme", "name": "other", "description": "x", "body": "x", "rationale": "x"});
    mia.post("/v1/proposals", body).await.expect(201);
    let mine = tom.done("my_proposals", json!({})).await;
    let items = mine["structuredContent"]["items"]
        .as_array()
        .unwrap()
        .clone();
    assert_eq!(items.len(), 1);
    assert_eq!(items[0]["id"], id);
    assert_eq!(items[0]["state"], "open");
    // The human whom it acts for sees them as its own too; a publisher sees both, and has none.
    let human = people.human("tom").await;
    let own = human.get("/v1/proposals?mine=true").await.expect(200);
    assert_eq!(own.body["items"].as_array().unwrap().len(), 1);
    let all = maria.get("/v1/proposals").await.expect(200);
    assert_eq!(all.body["items"].as_array().unwrap().len(), 2);
    let none = maria.get("/v1/proposals?mine=true").await.expect(200);
    assert!(none.body["items"].as_array().unwrap().is_empty());
    let decision = json!({"decision": "reject", "digest": items[0]["digest"], "reason": "no"});
    maria
        .post(&format!("/v1/proposals/{id}/decision"), decision)
        .await
        .expect(200);
    let open = tom.done("my_proposals", json!({"state": "open"})).await;
    assert!(
        open["structuredContent"]["items"]
            .as_array()
            .unwrap()
            .is_empty()
    );
    let rejected = tom.done("my_proposals", json!({"state": "rejected"})).await;
    assert_eq!(rejected["structuredContent"]["items"][0]["id"], id);
}

/// Where a tenant has it reviewed, what an agent writes is the proposal that it became.
#[tokio::test(flavor = "multi_thread")]
async fn a_tenants_settings_hold_here_too() {
    let (_server, _people, maria, tom) = begin().await;
    let settings = maria.get("/v1/tenants/acme/settings").await.expect(200);
    let mut body = settings.body.clone();
    body["agent_own_scope"] = json!("review");
    let etag = format!("\"{}\"", settings.etag());
    maria
        .send(
            hyper::Method::PUT,
            "/v1/tenants/acme/settings",
            &[("if-match", &etag)],
            Some(body),
        )
        .await
        .expect(200);
    let skill = json!({"name": "lesson", "description": "Use it.", "body": "First."});
    let written = tom.done("write_own_skill", skill).await;
    assert_eq!(written["structuredContent"]["state"], "open", "{written}");
    assert!(tom.skills().await.is_empty());
}
