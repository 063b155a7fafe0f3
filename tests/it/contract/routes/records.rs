//! The records that changes, failures and refusals leave.

use std::collections::BTreeSet;

use hyper::Method;
use serde_json::{Value, json};
use vestry::http::route::Access;
use vestry_policies::Action;

use super::bench::Bench;
use super::rows;
use crate::api::samples::Cast;
use crate::contract::walk::walk;
use crate::harness::{Client, PASSWORD, Response, content};

/// The routes that change something and do not leave one record each. The list can only shrink.
const EXEMPT: &[(&str, &str, &str)] = &[
    (
        "POST",
        "/v1/catalog",
        "turns and offers are journalled, one record a batch",
    ),
    (
        "POST",
        "/v1/load",
        "loads are journalled, one record a batch",
    ),
    (
        "POST",
        "/v1/load/file",
        "loads are journalled, one record a batch",
    ),
    (
        "POST",
        "/v1/token",
        "mints are journalled, one record a batch",
    ),
    (
        "POST",
        "/v1/openings",
        "openings are journalled, one record a batch; that of a named turn leaves a record of its own",
    ),
    (
        "POST",
        "/v1/prompts/resolve",
        "prompts are journalled, one record a batch",
    ),
    ("POST", "/v1/skills/{scope}/{name}/check", "changes nothing"),
    ("POST", "/v1/context-schema/check", "changes nothing"),
    ("POST", "/v1/templates/check", "changes nothing"),
    ("POST", "/v1/templates/render", "changes nothing"),
];
const MOST_EXEMPT: usize = 10;

async fn send(
    client: &Client,
    method: &str,
    path: &str,
    headers: &[(&'static str, &'static str)],
    body: Option<Value>,
) -> Response {
    let method = Method::from_bytes(method.as_bytes()).unwrap();
    client.send(method, path, headers, body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_change_leaves_one_record_and_every_failure_none() {
    println!("seed 0");
    let mut bench = Bench::new().await;
    let mut exempt: Vec<(&str, &str)> = EXEMPT
        .iter()
        .map(|(method, path, _)| (*method, *path))
        .collect();
    assert!(exempt.len() <= MOST_EXEMPT, "this list only shrinks");
    let mut checked = 0;
    for (number, (method, path, access)) in rows().into_iter().enumerate() {
        if method == "GET" {
            continue;
        }
        let at = format!("{method} {path}");
        let Some(recipe) = bench.recipe(&method, path).await else {
            let index = exempt
                .iter()
                .position(|row| *row == (method.as_str(), path));
            exempt.remove(index.unwrap_or_else(|| panic!("{at} has no recipe")));
            continue;
        };
        assert!(
            !exempt.contains(&(method.as_str(), path)),
            "{at} needs no exemption any more"
        );

        let (client, failing, headers, body, status) = &recipe.failing;
        let before = bench.records().await;
        let answer = send(client, &method, failing, headers, body.clone()).await;
        assert_eq!(answer.status.as_u16(), *status, "{at} {}", answer.body);
        assert_eq!(bench.since(&before).await, [], "{at} failed");

        // A refusal is recorded once a minute, with its rule, in the chain of the refused one.
        if let Access::Does(action) = access {
            // An agent has a scope of its own to upload for, and may propose and comment; a service may do nothing of that.
            let for_agents = matches!(
                path,
                "/v1/blobs/{sha256}" | "/v1/proposals" | "/v1/proposals/{id}/comments"
            );
            // That there are proposals at all is nothing for a service: it is refused before one is looked for.
            let action = if path == "/v1/proposals/{id}/comments" {
                Action::ReadProposal
            } else {
                action
            };
            let refused_one = if for_agents {
                bench.people.service("acme").await
            } else {
                bench
                    .people
                    .agent("acme", "tom", &format!("bot-{number}"))
                    .await
            };
            let before = bench.records().await;
            let mut refused = None;
            for _ in 0..2 {
                let answer = send(
                    &refused_one,
                    &method,
                    &recipe.path,
                    &recipe.headers,
                    recipe.body.clone(),
                )
                .await;
                refused = Some(answer.expect(403));
            }
            let new = bench.since(&before).await;
            let [(chain, record)] = new.as_slice() else {
                panic!("{at} refused, and recorded as {new:?}");
            };
            assert_eq!(*chain, "acme", "{at}");
            assert_eq!(record["verdict"], "deny", "{at}");
            assert_eq!(record["rule"], refused.unwrap().rule(), "{at}");
            assert_eq!(record["action"], action.as_str(), "{at}");
            let acts_for = if for_agents {
                Value::Null
            } else {
                json!("tom")
            };
            assert_eq!(record["acts_for"], acts_for, "{at}");
        }

        let before = bench.records().await;
        let answer = send(
            &recipe.client,
            &method,
            &recipe.path,
            &recipe.headers,
            recipe.body.clone(),
        )
        .await;
        assert!(answer.status.is_success(), "{at} {}", answer.body);
        let new = bench.since(&before).await;
        let [(chain, record)] = new.as_slice() else {
            panic!("{at} succeeded, and is recorded as {new:?}");
        };
        assert_eq!(*chain, recipe.chain, "{at}");
        assert_eq!(record["verdict"], "allow", "{at}");
        let id = answer.headers["x-request-id"].to_str().unwrap();
        assert_eq!(record["request_id"], id, "{at}");
        if let Access::Does(action) = access {
            let recorded = match action {
                // What was decided is said.
                Action::DecideProposal => "approve-proposal",
                action => action.as_str(),
            };
            assert_eq!(record["action"], recorded, "{at}");
            assert!(record["rule"].is_string(), "{at} has no rule");
        }
        checked += 1;
    }
    assert!(
        exempt.is_empty(),
        "exemptions of routes that do not exist: {exempt:?}"
    );
    println!("{checked} changing routes");
}

/// What the exempt routes leave instead.
#[tokio::test(flavor = "multi_thread")]
async fn turns_loads_and_mints_enter_the_chain_by_the_batch() {
    let mut bench = Bench::new().await;
    bench
        .people
        .root
        .create("global", "offered", "offered")
        .await
        .expect(201);
    let agent = bench.people.agent("acme", "tom", "bot").await;
    let actions = |new: Vec<(&'static str, Value)>| -> Vec<(&'static str, String)> {
        new.into_iter()
            .map(|(chain, record)| (chain, record["action"].as_str().unwrap().to_owned()))
            .collect()
    };

    let before = bench.records().await;
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    let new = actions(bench.since(&before).await);
    assert_eq!(
        new,
        [
            ("acme", "take-catalog".to_owned()),
            ("acme", "journal".to_owned())
        ]
    );

    let before = bench.records().await;
    agent.load(&offer, "offered").await.expect(200);
    assert_eq!(
        actions(bench.since(&before).await),
        [("acme", "journal".to_owned())]
    );

    let before = bench.records().await;
    bench.people.agent("acme", "tom", "bot").await;
    assert_eq!(
        actions(bench.since(&before).await),
        [("acme", "journal".to_owned())]
    );

    let before = bench.records().await;
    agent.load(&offer, "absent").await.expect(404);
    // What the offer refuses is recorded like what a rule refuses.
    assert_eq!(
        actions(bench.since(&before).await),
        [("acme", "load-skill".to_owned())]
    );

    let before = bench.records().await;
    agent
        .post("/v1/skills/tenant:acme/x/check", content("x"))
        .await
        .expect(200);
    assert_eq!(bench.since(&before).await, []);
}

/// The one failure that changes something: a stolen refresh token ends its session, and that is recorded.
#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_token_used_twice_is_recorded_although_it_fails() {
    let bench = Bench::new().await;
    let anyone = bench.server.client();
    let body = json!({"username": "tom", "password": PASSWORD});
    let token = anyone
        .post("/v1/login", body)
        .await
        .expect(200)
        .text("refresh_token");
    let body = json!({"refresh_token": token});
    anyone.post("/v1/refresh", body.clone()).await.expect(200);
    let before = bench.records().await;
    anyone
        .post("/v1/refresh", body)
        .await
        .expect_problem(401, "unauthenticated");
    let new = bench.since(&before).await;
    let [("acme", record)] = new.as_slice() else {
        panic!("{new:?}");
    };
    assert_eq!(record["action"], "refresh-reuse");
}

/// What a record of each action carries, over all operations: who, for whom, what, on what, by which rule, in which request,
/// the digests where content changed; and nothing of bodies and secrets.
#[tokio::test(flavor = "multi_thread")]
async fn records_carry_what_an_auditor_needs_and_nothing_else() {
    let mut bench = Bench::new().await;
    let cast = Cast::of(&bench.server, &mut bench.people).await;
    // A load that is refused names the offer that it was refused under.
    let agent = bench.people.agent("acme", "tom", "refused-bot").await;
    let offer = agent.turn("t-refused").await.expect(200).text("offer");
    agent.load(&offer, "nothing-of-it").await.expect(404);
    let walked = walk(&cast).await;
    let mut seen = BTreeSet::new();
    let secrets: Vec<String> = walked
        .iter()
        .flat_map(|(_, answer)| {
            ["access_token", "refresh_token", "key", "offer"]
                .iter()
                .filter_map(|field| answer.body[*field].as_str().map(ToOwned::to_owned))
                .collect::<Vec<_>>()
        })
        .filter(|secret| secret.len() > 40)
        .collect();
    assert!(secrets.len() >= 5, "{}", secrets.len());
    let mut refused_load = false;
    for record in bench.records().await.into_iter().flatten() {
        let text = |field: &str| record[field].as_str().unwrap_or_default().to_owned();
        let action = text("action");
        let by_itself = matches!(action.as_str(), "journal")
            || (action == "take-catalog" && text("principal") == "system");
        assert!(
            by_itself || Action::parse(&action).is_some() || EXTRA.contains(&&*action),
            "{record}"
        );
        let kind = text("principal").split(':').next().unwrap().to_owned();
        assert!(
            matches!(
                kind.as_str(),
                "human" | "agent" | "service" | "system" | "operator"
            ),
            "{record}"
        );
        assert_eq!(record["acts_for"].is_string(), kind == "agent", "{record}");
        assert!(
            !text("target").is_empty() && !text("at").is_empty(),
            "{record}"
        );
        assert!(
            matches!(text("verdict").as_str(), "allow" | "deny"),
            "{record}"
        );
        let governed = Action::parse(&action).is_some() && kind != "system" && kind != "operator";
        if governed {
            assert!(record["rule"].is_string(), "{record}");
            assert_eq!(
                record["request_id"].is_string(),
                text("verdict") == "allow",
                "{record}"
            );
        }
        let is_content = action.ends_with("-skill")
            && text("verdict") == "allow"
            && !matches!(action.as_str(), "hide-skill" | "show-skill");
        if is_content {
            assert!(text("after").starts_with("sha256:"), "{record}");
        }
        if is_content && !matches!(action.as_str(), "publish-skill" | "propose-skill") {
            assert!(text("before").starts_with("sha256:"), "{record}");
        }
        if action == "load-skill" && text("verdict") == "deny" {
            assert!(
                !text("offer").is_empty() && text("rule") == "needs-offer",
                "{record}"
            );
            assert!(!record.to_string().contains("nothing-of-it"), "{record}");
            refused_load = true;
        }
        let whole = record.to_string();
        for secret in secrets.iter().map(String::as_str).chain([
            PASSWORD,
            "eyJ",
            "vst_svc_",
            "vst_usr_",
            "vrt_",
            // Of the bodies and the files of the samples.
            "Do refunds",
            "true\\n",
        ]) {
            assert!(
                !whole.contains(secret),
                "{action} has a secret or a body: {whole}"
            );
        }
        seen.insert(action);
    }
    assert!(refused_load);
    // Every action that changes something is among them.
    for (method, path, access) in rows() {
        if let Access::Does(action) = access
            && method != "GET"
            // Checking changes nothing, mints go by the batch, and the sample of a rebase has nothing to do.
            && !matches!(
                action,
                Action::CheckSkill
                    | Action::CheckSchema
                    | Action::UseTemplates
                    | Action::MintToken
                    | Action::RebaseProposal
            )
        {
            let name = match action {
                Action::DecideProposal => "approve-proposal",
                action => action.as_str(),
            };
            assert!(seen.contains(name), "{method} {path}: {action:?}");
        }
    }
}

/// Records of what is no action of the rules.
const EXTRA: &[&str] = &[
    "login",
    "refresh",
    "create-user",
    "approve-proposal",
    "reject-proposal",
    "expire-proposal",
];
