//! The authorization matrix over MCP: whoever it is, with whatever elevation, gets the verdict that HTTP gives (invariants 1 to 4).

use serde_json::{Value, json};

use super::speaker::Speaker;
use crate::access::cast::{ABSENT, Cast, HOME, OTHER, Player};
use crate::harness::Response;

/// What came of something: done, or the code and the rule of the refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    Done,
    Refused(String, String),
}

fn of_http(response: &Response) -> Verdict {
    if response.status.is_success() {
        Verdict::Done
    } else {
        Verdict::Refused(response.code().to_owned(), response.rule().to_owned())
    }
}

fn of_problem(problem: &Value) -> Verdict {
    let text = |field: &str| problem[field].as_str().unwrap_or_default().to_owned();
    Verdict::Refused(text("code"), text("rule"))
}

fn of_mcp(response: &Response) -> Verdict {
    if response.status == 401 {
        return of_problem(&response.body);
    }
    assert_eq!(response.status, 200, "{}", response.body);
    let (error, result) = (&response.body["error"], &response.body["result"]);
    if error.is_object() {
        of_problem(&error["data"])
    } else if result["isError"] == true {
        of_problem(&result["_meta"]["dev.vestry/problem"])
    } else {
        Verdict::Done
    }
}

async fn tool(speaker: &Speaker, name: &str, arguments: Value) -> Response {
    let params = json!({"name": name, "arguments": arguments});
    speaker.ask("tools/call", params).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_principal_gets_the_verdicts_of_http() {
    let cast = Cast::new().await;
    let mut counted = [0, 0];
    for (number, player) in cast.players.iter().enumerate() {
        for (what, http, mcp) in asked(number, player).await {
            assert_eq!(mcp, http, "{} {what}", player.label);
            counted[usize::from(http == Verdict::Done)] += 1;
        }
    }
    // Both happen, often.
    assert!(counted.iter().all(|count| *count > 50), "{counted:?}");
}

/// What one principal may do: over HTTP, and over MCP.
async fn asked(number: usize, player: &Player) -> Vec<(String, Verdict, Verdict)> {
    let client = &player.client;
    let speaker = Speaker::new(client);
    let mut found = Vec::new();
    let http = of_http(&client.post("/v1/catalog", json!({})).await);
    let listed = speaker.ask("skills/list", json!({})).await;
    let called = tool(&speaker, "skill_catalog", json!({})).await;
    found.push(("skills/list".to_owned(), http.clone(), of_mcp(&listed)));
    found.push(("skill_catalog".to_owned(), http, of_mcp(&called)));

    let http = of_http(&client.get("/v1/proposals?mine=true").await);
    let mcp = of_mcp(&tool(&speaker, "my_proposals", json!({})).await);
    found.push(("my_proposals".to_owned(), http, mcp));

    for scope in [
        format!("tenant:{HOME}"),
        format!("tenant:{OTHER}"),
        format!("tenant:{ABSENT}"),
        "global".to_owned(),
        format!("actor:{}", player.actor),
        "actor:somebody-else".to_owned(),
    ] {
        let body = |way: &str| json!({"scope": scope, "name": format!("{way}-{number}"), "description": "x", "body": "x", "rationale": "x"});
        let http = of_http(&client.post("/v1/proposals", body("http")).await);
        let mcp = of_mcp(&tool(&speaker, "propose_skill", body("mcp")).await);
        found.push((format!("propose_skill {scope}"), http, mcp));
    }

    // There is no scope to say: it is the caller's own, or none.
    let content = json!({"description": "x", "body": "x"});
    let path = format!("/v1/skills/actor:{}/own-http-{number}", player.actor);
    let headers = [("if-none-match", "*")];
    let http = client
        .send(hyper::Method::PUT, &path, &headers, Some(content.clone()))
        .await;
    let mut arguments = content;
    arguments["name"] = json!(format!("own-mcp-{number}"));
    let mcp = of_mcp(&tool(&speaker, "write_own_skill", arguments).await);
    found.push(("write_own_skill".to_owned(), of_http(&http), mcp));
    found
}
