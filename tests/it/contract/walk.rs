//! Every operation once, as it should be used: its answer has the shape that the document promises.

use serde_json::json;

use super::document::Api;
use crate::api::samples::{Cast, Sample, Who};
use crate::harness::{People, Response, TestServer};

/// What ends something comes last.
fn turn(method: &str, template: &str) -> u8 {
    match (method, template) {
        ("POST", "/v1/logout") => 9,
        ("DELETE", "/v1/elevate") => 8,
        ("DELETE", "/v1/skills/{scope}/{name}" | "/v1/roles/{scope}/{role}") => 6,
        ("DELETE", _) => 7,
        ("POST", "/v1/recall") => 5,
        (_, path) if path.ends_with("/revoke") => 4,
        (_, path) if path.ends_with("/release") => 3,
        (_, path) if path.ends_with("/quarantine") => 2,
        _ => 1,
    }
}

/// Sends a sample of every operation, in an order in which all succeed.
pub(super) async fn walk(cast: &Cast) -> Vec<(Sample, Response)> {
    let mut samples = cast.samples();
    samples.sort_by_key(|sample| turn(sample.method.as_str(), sample.template));
    let mut walked = Vec::new();
    for mut sample in samples {
        if sample.template == "/v1/recall" {
            let read = cast
                .client(Who::Maria)
                .get("/v1/skills/tenant:acme/refunds")
                .await
                .expect(200);
            sample.body.as_mut().unwrap()["digest"] = read.body["digest"].clone();
        }
        let answer = sample.send(cast).await;
        walked.push((sample, answer));
    }
    walked
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_succeeds_as_documented() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let cast = Cast::of(&server, &mut people).await;
    let api = Api::new();
    let mut wrong = Vec::new();
    let walk = walk(&cast).await;
    let walked = walk.len();
    for (sample, answer) in walk {
        let judged = api.judge(&sample.method, sample.template, &answer);
        if !answer.status.is_success() || judged.is_err() {
            wrong.push(format!(
                "{} {}: {} {} {judged:?}",
                sample.method, sample.template, answer.status, answer.body
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{walked} operations");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_other_shapes_of_answers() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let cast = Cast::of(&server, &mut people).await;
    let api = Api::new();
    let (root, maria, agent) = (
        cast.client(Who::Root),
        cast.client(Who::Maria),
        cast.client(Who::Agent),
    );
    people
        .root
        .create("global", "second", "second")
        .await
        .expect(201);
    let mut answers = Vec::new();
    for path in [
        "/v1/skills?scope=global",
        "/v1/skills?limit=1",
        "/v1/skills?scope=tenant:acme&q=refunds",
        "/v1/skills?q=none",
    ] {
        answers.push(("/v1/skills", maria.get(path).await.expect(200)));
    }
    for client in [&root, &maria, &agent, &cast.client(Who::Service)] {
        answers.push(("/v1/me", client.get("/v1/me").await.expect(200)));
    }
    for path in [
        "/v1/audit",
        "/v1/audit?limit=1",
        "/v1/audit?action=publish-skill&principal=human:maria",
    ] {
        answers.push(("/v1/audit", maria.get(path).await.expect(200)));
    }
    answers.push((
        "/v1/audit",
        root.get("/v1/audit?log=global").await.expect(200),
    ));
    for path in ["/v1/context-schema", "/v1/reference"] {
        answers.push((path, agent.get(path).await.expect(200)));
    }
    let skill = "/v1/skills/{scope}/{name}";
    for client in [&maria, &agent] {
        answers.push((
            skill,
            client
                .get("/v1/skills/tenant:acme/refunds")
                .await
                .expect(200),
        ));
        answers.push((
            "/v1/skills/{scope}/{name}/revisions",
            client
                .get("/v1/skills/tenant:acme/refunds/revisions")
                .await
                .expect(200),
        ));
        answers.push((
            "/v1/skills/{scope}/{name}/diff",
            client
                .get("/v1/skills/tenant:acme/refunds/diff?from=1&to=2")
                .await
                .expect(200),
        ));
        answers.push((
            "/v1/skills/{scope}/{name}/impact",
            client
                .get("/v1/skills/tenant:acme/refunds/impact?action=disable")
                .await
                .expect(200),
        ));
        answers.push((
            "/v1/skills/{scope}/{name}/blame",
            client.get("/v1/skills/tenant:acme/refunds/blame").await,
        ));
    }
    maria
        .post("/v1/skills/tenant:acme/refunds/rollback", json!({"to": 1}))
        .await
        .expect(200);
    maria
        .verb("tenant:acme", "refunds", "quarantine")
        .await
        .expect(200);
    answers.push((
        skill,
        maria
            .get("/v1/skills/tenant:acme/refunds")
            .await
            .expect(200),
    ));
    answers.push((
        "/v1/skills/{scope}/{name}/revisions",
        maria
            .get("/v1/skills/tenant:acme/refunds/revisions")
            .await
            .expect(200),
    ));
    for (template, answer) in &answers {
        let judged = api.judge(&hyper::Method::GET, template, answer);
        assert_eq!(judged, Ok(()), "{template}: {}", answer.body);
    }
    let created = maria.create("actor:maria", "new", "new").await.expect(201);
    assert_eq!(api.judge(&hyper::Method::PUT, skill, &created), Ok(()));
}

#[test]
fn the_judge_has_power() {
    let api = Api::new();
    let me = "/components/schemas";
    let schemas = api.document().pointer(me).unwrap().as_object().unwrap();
    assert!(schemas.len() > 20);
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer", "format": "uint32", "minimum": 1}},
        "required": ["a"]});
    assert_eq!(api.validate(&schema, &json!({"a": 1}), "$"), Ok(()));
    for bad in [
        json!({}),
        json!({"a": 0}),
        json!({"a": 1.5}),
        json!({"a": "1"}),
        json!({"a": 1, "b": 1}),
        json!([1]),
        json!({"a": 4_294_967_296_u64}),
        json!(null),
    ] {
        assert!(api.validate(&schema, &bad, "$").is_err(), "{bad}");
    }
}
