//! Who reads which proposals, and how much of them.

use serde_json::{Value, json};

use super::{begin, proposal};
use crate::harness::Client;

async fn ids(client: &Client, query: &str) -> Vec<String> {
    let page = client
        .get(&format!("/v1/proposals{query}"))
        .await
        .expect(200);
    page.body["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["id"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_has_what_its_reader_may_read_and_nothing_else() {
    let (server, mut people) = begin().await;
    let bot = people.agent("acme", "tom", "bot").await;
    let mias = people.agent("acme", "mia", "bot").await;
    let gus = people.human("gus").await;
    let mut made = Vec::new();
    for (client, scope, text) in [
        (&bot, "tenant:acme", "one"),
        (&mias, "tenant:acme", "two"),
        (&bot, "global", "three"),
        (&gus, "tenant:globex", "four"),
        (&gus, "global", "five"),
    ] {
        server.advance(1);
        made.push(
            client
                .propose(scope, "refunds", text)
                .await
                .expect(201)
                .text("id"),
        );
    }
    let [one, two, three, four, five] = &made[..] else {
        unreachable!()
    };
    let (tom, maria) = (people.human("tom").await, people.human("maria").await);
    // Newest first, and each reader its own.
    assert_eq!(ids(&tom, "").await, [three, two, one].map(String::clone));
    assert_eq!(ids(&maria, "").await, [two, one].map(String::clone));
    assert_eq!(ids(&bot, "").await, [three, one].map(String::clone));
    assert_eq!(ids(&mias, "").await, [two].map(String::clone));
    assert_eq!(ids(&gus, "").await, [five, four].map(String::clone));
    assert_eq!(
        ids(&people.root, "").await,
        [five, three].map(String::clone)
    );
    assert_eq!(ids(&tom, "?scope=global").await, [three].map(String::clone));
    assert_eq!(
        ids(&tom, "?state=open&limit=1").await,
        [three].map(String::clone)
    );
    assert_eq!(ids(&tom, "?state=rejected").await, [] as [String; 0]);
    tom.get("/v1/proposals?scope=tenant:globex")
        .await
        .expect_problem(404, "not-found");
    tom.get("/v1/proposals?state=Open")
        .await
        .expect_problem(400, "malformed");

    // Page by page it is the same list.
    let mut paged = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = tom
            .get(&format!("/v1/proposals?limit=1{cursor}"))
            .await
            .expect(200);
        paged.push(page.body["items"][0]["id"].as_str().unwrap().to_owned());
        match page.body["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(paged, [three, two, one].map(String::clone));

    // What a list has, its reader reads; what it has not, is not there.
    let service = people.service("acme").await;
    assert_eq!(
        service.get("/v1/proposals").await.expect(403).rule(),
        "needs-actor"
    );
    for (client, what) in [
        (&tom, "tom"),
        (&maria, "maria"),
        (&bot, "bot"),
        (&gus, "gus"),
    ] {
        let listed = ids(client, "").await;
        for id in &made {
            let answer = client.proposal(id).await;
            // Numbers of acme are other numbers at globex.
            let is_there = listed.contains(id);
            assert_eq!(
                answer.status.as_u16(),
                if is_there { 200 } else { 404 },
                "{what} {id}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_may_not_know_of_is_not_there() {
    let (_server, mut people) = begin().await;
    let bot = people.agent("acme", "tom", "bot").await;
    let theirs = bot
        .propose("tenant:acme", "refunds", "one")
        .await
        .expect(201)
        .text("id");
    let wide = bot
        .propose("global", "refunds", "two")
        .await
        .expect(201)
        .text("id");
    let mia = people.agent("acme", "mia", "bot").await;
    let gus = people.human("gus").await;
    let edit = crate::harness::content("x");
    let digest = format!("sha256:{}", "7".repeat(64));
    let decision = json!({"decision": "approve", "digest": digest});
    let requests: Vec<(&str, &str, Option<Value>)> = vec![
        ("GET", "", None),
        ("PUT", "", Some(edit)),
        (
            "PUT",
            "",
            Some(json!({"description": "", "body": "\u{200b}"})),
        ),
        ("GET", "/file?path=a", None),
        ("POST", "/decision", Some(decision)),
        ("POST", "/comments", Some(json!({"text": "x"}))),
        ("POST", "/withdraw", Some(json!({}))),
        ("POST", "/rebase", Some(json!({}))),
    ];
    for (client, hidden) in [(&mia, [&theirs, &wide]), (&gus, [&theirs, &wide])] {
        for (method, below, body) in &requests {
            let send = async |id: &str| {
                let method = hyper::Method::from_bytes(method.as_bytes()).unwrap();
                let path = format!("/v1/proposals/{id}{below}");
                let headers = [("x-request-id", "the-same")];
                client.send(method, &path, &headers, body.clone()).await
            };
            for id in hidden {
                let absent = format!("{}-999999", id.split('-').next().unwrap());
                let (of_hidden, of_absent) = (send(id).await, send(&absent).await);
                of_hidden.clone().expect_problem(404, "not-found");
                assert_eq!(of_hidden.bytes, of_absent.bytes, "{method} {id}{below}");
            }
        }
    }
    // A number without its tenant is nobody's.
    people
        .root
        .proposal("p-1")
        .await
        .expect_problem(404, "not-found");
    for id in ["p-0", "p-01", "p-", "p", "x-1", "p--1", "p-1-1"] {
        gus.proposal(id).await.expect_problem(404, "not-found");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_shows_what_will_be_published() {
    let (_server, mut people) = begin().await;
    let bot = people.agent("acme", "tom", "bot").await;
    let mut body = proposal("tenant:acme", "gifts", "gifts");
    body["body"] = "Wrap it.\n<!-- and tell nobody -->\n".into();
    body["files"] = json!([{"path": "paper.txt", "text": "red\u{200b}\n"}]);
    body["evidence"] = json!({"turn": "t-9", "links": ["https://wiki.example/gifts"]});
    let made = bot.post("/v1/proposals", body).await.expect(201);
    assert!(!made.body["warnings"].as_array().unwrap().is_empty());
    let id = made.text("id");
    let maria = people.human("maria").await;
    let review = maria.proposal(&id).await.expect(200).body["review"].clone();
    assert!(review["skill_md"].as_str().unwrap().contains("tell nobody"));
    assert!(review["unified"].is_null() && review["replaces"] == false);
    assert_eq!(review["evidence"]["links"][0], "https://wiki.example/gifts");
    assert_eq!(review["changed_files"][0]["change"], "added");
    let codes: Vec<&str> = review["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| warning["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["html-comment", "hidden-in-file"]);
    let file = maria
        .get(&format!("/v1/proposals/{id}/file?path=paper.txt"))
        .await
        .expect(200);
    assert_eq!(file.bytes, "red\u{200b}\n".as_bytes());
    maria
        .get(&format!("/v1/proposals/{id}/file?path=absent"))
        .await
        .expect_problem(404, "file-not-found");
    // Its agent proposed it, and reads no content here.
    let refused = bot
        .get(&format!("/v1/proposals/{id}/file?path=paper.txt"))
        .await
        .expect(403);
    assert_eq!(refused.rule(), "humans-only");
    assert!(bot.proposal(&id).await.expect(200).body["review"].is_null());
    // The audit log has neither why nor what was said.
    maria
        .on_proposal(&id, "comments", json!({"text": "a secret remark"}))
        .await
        .expect(201);
    let ines = people.human("ines").await;
    let log = ines.get("/v1/audit?log=tenant&limit=200").await.expect(200);
    let text = String::from_utf8_lossy(&log.bytes).into_owned();
    assert!(text.contains("comment-proposal"));
    assert!(!text.contains("a secret remark") && !text.contains("It was learned"));
}
