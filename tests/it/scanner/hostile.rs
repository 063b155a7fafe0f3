//! Every hostile skill is flagged or refused, whichever way it comes.

use hyper::Method;
use serde_json::{Value, json};

use super::corpus::{Case, hostile};
use crate::harness::{Client, People, Response, TestServer};

/// How content gets to a registry. A further way is a further variant: the table of expectations is the same for all.
#[derive(Debug, Clone, Copy)]
enum Way {
    Check,
    Propose,
    Put,
}

const WAYS: [Way; 3] = [Way::Check, Way::Propose, Way::Put];

impl Way {
    /// Sends a case. The answer has `findings` where it is taken.
    async fn send(self, client: &Client, case: &Case) -> Response {
        let path = format!("/v1/skills/tenant:acme/{}", case.name);
        match self {
            Self::Check => client.post(&format!("{path}/check"), case.request()).await,
            Self::Propose => propose(client, case).await,
            Self::Put => {
                let headers = [("if-none-match", "*")];
                let body = Some(case.request());
                client.send(Method::PUT, &path, &headers, body).await
            }
        }
    }
}

/// Proposes a case; its page shows the reviewer the same findings. It is withdrawn, because open ones are counted.
async fn propose(client: &Client, case: &Case) -> Response {
    let mut body = case.request();
    body["scope"] = "tenant:acme".into();
    body["name"] = case.name.as_str().into();
    body["rationale"] = "It may be useful.".into();
    let answer = client.post("/v1/proposals", body).await;
    if answer.status.is_success() {
        let path = format!("/v1/proposals/{}", answer.text("id"));
        let page = client.get(&path).await.expect(200);
        assert_eq!(
            page.body["review"]["findings"], answer.body["findings"],
            "{}",
            case.name
        );
        let reason = json!({"reason": "a test"});
        client
            .post(&format!("{path}/withdraw"), reason)
            .await
            .expect(200);
    }
    answer
}

/// What is wrong with how a case was met; none when it was met as the table says.
fn complaint(case: &Case, answer: &Response) -> Option<String> {
    let Some(rule) = &case.rule else {
        return (answer.status != 422).then(|| format!("{} was taken", case.name));
    };
    if !answer.status.is_success() {
        return Some(format!("{}: {}", case.name, answer.body));
    }
    let findings = answer.body["findings"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let is_flagged = findings.iter().any(|finding| {
        finding["rule"] == rule.as_str()
            && matches!(
                finding["severity"].as_str(),
                Some("medium" | "high" | "critical")
            )
    });
    (!is_flagged).then(|| {
        let rules: Vec<&Value> = findings.iter().map(|finding| &finding["rule"]).collect();
        format!("{} is not flagged by {rule}, but by {rules:?}", case.name)
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hostile_corpus_is_flagged_or_refused_on_every_way_in() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let cases = hostile();
    assert!(cases.len() >= 110, "{}", cases.len());
    let mut complaints = Vec::new();
    for case in &cases {
        let mut before = None;
        for way in WAYS {
            let answer = way.send(&maria, case).await;
            complaints.extend(complaint(case, &answer).map(|text| format!("{way:?}: {text}")));
            // All ways say the same.
            let findings = answer.body["findings"].clone();
            assert_eq!(
                *before.get_or_insert(findings.clone()),
                findings,
                "{}",
                case.name
            );
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    println!("{} hostile skills were flagged or refused", cases.len());
}
