//! The original's behaviour, item by item (issue 2, "Exactly as the original, and better"), and what we do where it had a
//! fault. `docs/api-design.md` lists the same.

use serde_json::{Value, json};

use crate::harness::{Client, People, Response, TestServer};

pub(super) async fn start() -> (TestServer, People) {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    (server, people)
}

/// `name@scope` of each entry.
pub(super) fn entries(catalog: &Response) -> Vec<String> {
    catalog.body["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| {
            format!(
                "{}@{}",
                entry["name"].as_str().unwrap(),
                entry["scope"].as_str().unwrap()
            )
        })
        .collect()
}

async fn cap(client: &Client, cap: Value) -> Response {
    client.post("/v1/catalog", json!({"cap": cap})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn default_scopes() {
    let (server, mut people) = start().await;
    let agent = people.agent("acme", "u1", "bot").await;
    let service = people.service("acme").await;
    for (client, scopes) in [
        (&agent, json!(["actor:u1", "tenant:acme", "global"])),
        (
            &people.human("tom").await,
            json!(["actor:tom", "tenant:acme", "global"]),
        ),
        (&people.root, json!(["global"])),
        (&service, json!(["tenant:acme", "global"])),
    ] {
        let me = client.get("/v1/me").await.expect(200);
        assert_eq!(me.body["scopes"], scopes);
        if me.body["kind"] != "service" {
            assert_eq!(
                client.post("/v1/catalog", json!({})).await.expect(200).body["scopes"],
                scopes
            );
        }
    }
    // Nobody names scopes of their own choosing, so that none can be listed twice either.
    for field in ["scopes", "scope", "tenant", "actor"] {
        let asked = agent
            .post("/v1/catalog", json!({field: ["global", "global"]}))
            .await;
        asked.expect_problem(400, "malformed");
    }
    drop(server);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_most_specific_wins_and_shadows_are_listed_narrow_to_wide() {
    let (_server, mut people) = start().await;
    let agent = people.agent("acme", "tom", "bot").await;
    let maria = people.elevated("maria", "tenant:acme").await;
    for (client, scope, names) in [
        (
            &people.root,
            "global",
            vec!["three", "two", "zeta", "alpha"],
        ),
        (&maria, "tenant:acme", vec!["three", "two", "middle"]),
        (&agent, "actor:tom", vec!["three", "last"]),
    ] {
        for name in names {
            client
                .create(scope, name, &format!("{name} at {scope}"))
                .await
                .expect(201);
        }
    }
    let catalog = agent.turn("t-1").await.expect(200);
    // By rank, then by name.
    assert_eq!(
        entries(&catalog),
        [
            "last@actor:tom",
            "three@actor:tom",
            "middle@tenant:acme",
            "two@tenant:acme",
            "alpha@global",
            "zeta@global"
        ]
    );
    let shadows: Vec<Option<&Value>> = catalog.body["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry.get("shadows"))
        .collect();
    let (wide, global) = (json!(["tenant:acme", "global"]), json!(["global"]));
    assert_eq!(
        shadows,
        [None, Some(&wide), None, Some(&global), None, None]
    );
    assert_eq!(
        (&catalog.body["omitted"], &catalog.body["omitted_names"]),
        (&json!(0), &json!([]))
    );
    // What is loaded is what was shown, with the shadows it was shown with.
    let loaded = agent
        .load(&catalog.text("offer"), "three")
        .await
        .expect(200);
    assert_eq!(loaded.body["shadows"], wide);
    assert_eq!(loaded.body["body"], "Do three at actor:tom.\n");
    let loaded = agent.load(&catalog.text("offer"), "zeta").await.expect(200);
    assert!(loaded.body.get("shadows").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cap_is_20_and_the_rest_is_counted() {
    let (_server, mut people) = start().await;
    let agent = people.agent("acme", "tom", "bot").await;
    for number in (0..23).rev() {
        agent
            .create("actor:tom", &format!("skill-{number:02}"), "it")
            .await
            .expect(201);
    }
    let catalog = agent.turn("t-1").await.expect(200);
    assert_eq!(entries(&catalog).len(), 20);
    assert_eq!(entries(&catalog)[0], "skill-00@actor:tom");
    assert_eq!(catalog.body["omitted"], 3);
    assert_eq!(
        catalog.body["omitted_names"],
        json!(["skill-20", "skill-21", "skill-22"])
    );
    // What is omitted is not offered.
    let refused = agent.load(&catalog.text("offer"), "skill-20").await;
    refused.expect_problem(404, "skill-not-offered");
    for (asked, offered) in [
        (json!(1), 1),
        (json!(22), 22),
        (json!(23), 23),
        (json!(200), 23),
        (Value::Null, 20),
    ] {
        assert_eq!(
            entries(&cap(&agent, asked).await.expect(200)).len(),
            offered
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn caps_that_are_none() {
    let (_server, mut people) = start().await;
    let agent = people.agent("acme", "tom", "bot").await;
    let mut details = Vec::new();
    for bad in [
        json!(-1),
        json!(0),
        json!(1.5),
        json!("1"),
        json!("NaN"),
        json!(201),
        json!(1.0),
        json!(true),
        json!([1]),
        json!({}),
        json!(""),
        json!(u64::MAX),
        json!(i64::MIN),
    ] {
        let refused = cap(&agent, bad).await.expect_problem(422, "invalid-cap");
        assert_eq!(refused.body["field"], "cap");
        details.push(refused.detail().to_owned());
    }
    details.dedup();
    assert_eq!(
        details,
        ["Send a whole number from 1 to 200, or leave it out."]
    );
    let headers = [("content-type", "application/json")];
    for text in ["NaN", "Infinity", "01", "+1", "0x1", ".5", "-"] {
        let body = format!("{{\"cap\":{text}}}").into_bytes();
        let answer = agent
            .raw(hyper::Method::POST, "/v1/catalog", &headers, body)
            .await;
        answer.expect_problem(400, "malformed");
    }
    // A cap beyond the tenant's own bound is refused as well, and the default keeps within it.
    let maria = people.elevated("maria", "tenant:acme").await;
    for number in 0..4 {
        maria
            .create("tenant:acme", &format!("s{number}"), "it")
            .await
            .expect(201);
    }
    let settings = json!({"max_cap": 2, "agent_own_scope": "allow", "skills_per_actor": 9, "skills_per_tenant": 9,
        "revisions_per_skill": 9});
    maria
        .put("/v1/tenants/acme/settings", settings)
        .await
        .expect(200);
    cap(&agent, json!(3))
        .await
        .expect_problem(422, "invalid-cap");
    assert_eq!(
        entries(&cap(&agent, json!(2)).await.expect(200)),
        ["s0@tenant:acme", "s1@tenant:acme"]
    );
    let catalog = agent.post("/v1/catalog", json!({})).await.expect(200);
    assert_eq!(
        (entries(&catalog).len(), &catalog.body["omitted"]),
        (2, &json!(2))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn order_by_bytes_by_utf_16_and_by_characters_is_one_order() {
    let (_server, mut people) = start().await;
    let agent = people.agent("acme", "tom", "bot").await;
    let mut names = vec![
        "a", "a-b", "a0", "aa", "ab", "b", "0", "9", "10", "a-0", "z-z", "z",
    ];
    for name in &names {
        agent.create("actor:tom", name, "it").await.expect(201);
    }
    let catalog = agent.turn("t-1").await.expect(200);
    let offered: Vec<String> = entries(&catalog)
        .iter()
        .map(|entry| entry.replace("@actor:tom", ""))
        .collect();
    names.sort_unstable();
    assert_eq!(offered, names);
    let mut by_units = names.clone();
    by_units.sort_by_key(|name| name.encode_utf16().collect::<Vec<_>>());
    assert_eq!(by_units, names);
}
