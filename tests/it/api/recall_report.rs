//! Which turns a revision reached, exactly: named turns and unnamed ones, bodies and files.

use serde_json::{Value, json};

use super::files::{bundle, publish};
use crate::harness::{Client, People, TestServer};

/// All events of a report, page by page.
async fn events(client: &Client, what: &str, limit: usize) -> Vec<Value> {
    let mut events = Vec::new();
    let mut cursor = String::new();
    loop {
        let path = format!("/v1/recall/turns?{what}&limit={limit}{cursor}");
        let page = client.get(&path).await.expect(200);
        let items = page.body["items"].as_array().unwrap();
        assert!(items.len() <= limit);
        events.extend(items.iter().cloned());
        match page.body["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return events,
        }
    }
}

/// What happened, in one line each, without order.
fn told(events: &[Value]) -> Vec<String> {
    let mut told: Vec<String> = events
        .iter()
        .map(|event| {
            let text = |field: &str| event[field].as_str().unwrap_or("-").to_owned();
            let turn = match text("turn") {
                turn if turn.len() > 10 => "unnamed".to_owned(),
                turn => turn,
            };
            let skills: Vec<String> = event["skills"]
                .as_array()
                .unwrap()
                .iter()
                .map(|skill| format!("{} {}", skill["name"].as_str().unwrap(), skill["revision"]))
                .collect();
            format!(
                "{} {} {} {turn} [{}] {}",
                text("event"),
                text("principal"),
                text("acts_for"),
                skills.join(", "),
                text("path"),
            )
        })
        .collect();
    told.sort();
    told
}

#[tokio::test(flavor = "multi_thread")]
async fn a_report_names_every_turn_and_no_other() {
    let mut server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let files = json!([{"path": "a.txt", "text": "a"}]);
    let first = publish(&maria, "tenant:acme", "refunds", bundle("one", files))
        .await
        .expect(201);
    let digest = first.text("digest");
    let (bot, other) = (
        people.agent("acme", "tom", "bot").await,
        people.agent("acme", "mia", "other").await,
    );
    let human = people.human("tom").await;

    // Revision 1: a named turn that loads, one that does not, an unnamed one, and a human's.
    let offer = bot.turn("t-1").await.expect(200).text("offer");
    bot.load(&offer, "refunds").await.expect(200);
    bot.load(&offer, "refunds").await.expect(200);
    let file = json!({"offer": offer, "name": "refunds", "path": "a.txt"});
    bot.post("/v1/load/file", file).await.expect(200);
    other.turn("t-2").await.expect(200);
    let unnamed = human.post("/v1/catalog", json!({})).await.expect(200);
    human
        .load(&unnamed.text("offer"), "refunds")
        .await
        .expect(200);
    // Revision 2: another turn, and the first one again, which keeps what it had.
    maria
        .update("tenant:acme", "refunds", "two")
        .await
        .expect(200);
    other.turn("t-3").await.expect(200);
    bot.turn("t-1").await.expect(200);
    // The same content under another name.
    let files = json!([{"path": "a.txt", "text": "a"}]);
    publish(&maria, "tenant:acme", "unused", bundle("other", files))
        .await
        .expect(201);

    let ines = people.human("ines").await;
    let expected = vec![
        "loaded agent:bot tom t-1 [refunds 1] -",
        "loaded agent:bot tom t-1 [refunds 1] -",
        "loaded human:tom - unnamed [refunds 1] -",
        "loaded-file agent:bot tom t-1 [refunds 1] a.txt",
        "offered agent:bot tom t-1 [refunds 1] -",
        "offered agent:bot tom t-1 [refunds 1] -",
        "offered agent:other mia t-2 [refunds 1] -",
        "offered human:tom - unnamed [refunds 1] -",
        "taken agent:bot tom t-1 [refunds 1] -",
        "taken agent:other mia t-2 [refunds 1] -",
    ];
    let one = "scope=tenant:acme&name=refunds&revision=1";
    for limit in [1, 3, 200] {
        assert_eq!(told(&events(&ines, one, limit).await), expected, "{limit}");
    }
    let by_digest = format!("scope=tenant:acme&digest={digest}");
    assert_eq!(told(&events(&maria, &by_digest, 2).await), expected);
    let two = "scope=tenant:acme&name=refunds&revision=2";
    assert_eq!(
        told(&events(&ines, two, 2).await),
        [
            "offered agent:other mia t-3 [refunds 2] -",
            "taken agent:other mia t-3 [refunds 2] -"
        ]
    );
    // The times and the offers are those of the journal; a turn's own row has no offer.
    for event in events(&ines, one, 200).await {
        assert_eq!(event["at"], "2027-01-15T07:53:20Z");
        assert_eq!(event["offer"].is_string(), event["event"] != "taken");
    }
    // All of it survives a restart, and what is asked of a cursor is bound to it.
    let page = ines
        .get(&format!("/v1/recall/turns?{one}&limit=1"))
        .await
        .expect(200);
    let cursor = page.text("next_cursor");
    ines.get(&format!("/v1/recall/turns?{two}&limit=1&cursor={cursor}"))
        .await
        .expect_problem(400, "invalid-cursor");
    server.restart().await;
    let ines = server.client().with_token(ines.token());
    assert_eq!(told(&events(&ines, one, 200).await), expected);
    for (query, status, code) in [
        (
            "scope=tenant:acme&name=refunds&revision=3",
            404,
            "not-found",
        ),
        (
            "scope=tenant:acme&name=nothing&revision=1",
            404,
            "not-found",
        ),
        ("scope=tenant:acme&name=refunds", 400, "malformed"),
        ("scope=tenant:acme", 400, "malformed"),
        (
            "scope=tenant:acme&name=refunds&revision=1&digest=x",
            400,
            "malformed",
        ),
        ("scope=tenant:acme&digest=x", 422, "invalid-content"),
        (
            "scope=tenant:acme&name=Refunds&revision=1",
            422,
            "invalid-name",
        ),
    ] {
        ines.get(&format!("/v1/recall/turns?{query}"))
            .await
            .expect_problem(status, code);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_sees_what_of_a_report() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    people
        .root
        .create("global", "handbook", "the handbook")
        .await
        .expect(201);
    let tom = people.human("tom").await;
    tom.create("actor:tom", "notes", "notes").await.expect(201);
    let bot = people.agent("acme", "tom", "bot").await;
    let offer = bot.turn("t-acme").await.expect(200).text("offer");
    bot.load(&offer, "handbook").await.expect(200);
    bot.load(&offer, "notes").await.expect(200);
    let stranger = people.agent("globex", "gus", "bot").await;
    stranger.turn("t-globex").await.expect(200);
    stranger.post("/v1/catalog", json!({})).await.expect(200);

    // Each tenant's auditors and publishers see its own turns of a global skill.
    let handbook = "scope=global&name=handbook&revision=1";
    let (ines, greta) = (people.human("ines").await, people.human("greta").await);
    assert_eq!(
        told(&events(&ines, handbook, 200).await),
        [
            "loaded agent:bot tom t-acme [handbook 1] -",
            "offered agent:bot tom t-acme [handbook 1] -",
            "taken agent:bot tom t-acme [handbook 1] -",
        ]
    );
    let of_globex = told(&events(&greta, handbook, 200).await);
    assert_eq!(of_globex.len(), 3);
    assert!(of_globex.iter().all(|line| line.contains(" gus ")));
    // The administrator sees numbers, and no turn of a tenant.
    assert_eq!(events(&people.root, handbook, 200).await, [json!(null); 0]);
    let counts = people
        .root
        .get("/v1/recall/tenants?name=handbook&revision=1")
        .await
        .expect(200);
    assert_eq!(
        counts.body,
        json!({"items": [
            {"tenant": "acme", "turns": 1, "offers": 1, "loads": 1, "openings": 0},
            {"tenant": "globex", "turns": 1, "offers": 2, "loads": 0, "openings": 0},
        ], "next_cursor": null})
    );
    let first = people
        .root
        .get("/v1/recall/tenants?name=handbook&revision=1&limit=1")
        .await
        .expect(200);
    let path = format!(
        "/v1/recall/tenants?name=handbook&revision=1&limit=1&cursor={}",
        first.text("next_cursor")
    );
    let second = people.root.get(&path).await.expect(200);
    assert_eq!(first.body["items"][0]["tenant"], "acme");
    assert_eq!(second.body["items"][0]["tenant"], "globex");
    // An actor sees its own, and nobody else does.
    let notes = "scope=actor:tom&name=notes&revision=1";
    assert_eq!(
        told(&events(&tom, notes, 200).await),
        [
            "loaded agent:bot tom t-acme [notes 1] -",
            "offered agent:bot tom t-acme [notes 1] -",
            "taken agent:bot tom t-acme [notes 1] -",
        ]
    );
    for (client, query, status, code) in [
        (&tom, handbook, 403, "refused"),
        (&ines, notes, 404, "not-found"),
        (&bot, notes, 403, "refused"),
        (
            &greta,
            "scope=tenant:acme&name=refunds&revision=1",
            404,
            "not-found",
        ),
    ] {
        client
            .get(&format!("/v1/recall/turns?{query}"))
            .await
            .expect_problem(status, code);
    }
    for client in [&ines, &greta, &tom, &bot] {
        client
            .get("/v1/recall/tenants?name=handbook&revision=1")
            .await
            .expect_problem(403, "refused");
    }
}

/// More lines than a page looks at: nothing is lost and nothing comes twice.
#[tokio::test(flavor = "multi_thread")]
async fn long_journals_come_in_pages() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    people
        .root
        .create("global", "handbook", "the handbook")
        .await
        .expect(201);
    let bot = people.agent("acme", "tom", "bot").await;
    let ines = people.human("ines").await;
    let turns: u64 = 60;
    for turn in 0..turns {
        let offer = bot.post("/v1/catalog", json!({})).await.expect(200);
        bot.load(&offer.text("offer"), "handbook").await.expect(200);
        if turn % 7 == 0 {
            // A row of the journal ends here.
            ines.get("/v1/audit?limit=1").await.expect(200);
        }
    }
    let handbook = "scope=global&name=handbook&revision=1";
    let all = events(&ines, handbook, 200).await;
    assert_eq!(all.len() as u64, 2 * turns);
    for limit in [1, 7, 13] {
        assert_eq!(events(&ines, handbook, limit).await, all, "{limit}");
    }
}
