//! Listings: their order, their search, and cursors that belong to one list of one caller.

use serde_json::json;

use super::names;
use crate::harness::{Client, People, Response, TestServer};

async fn listed() -> (TestServer, People, Client) {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    for name in ["cards", "bonds", "audits", "drafts", "exits"] {
        maria
            .create("tenant:acme", name, &format!("{name} at acme"))
            .await
            .expect(201);
        people
            .root
            .create("global", name, &format!("{name} in general"))
            .await
            .expect(201);
    }
    let agent = people.agent("acme", "maria", "bot").await;
    agent
        .create("actor:maria", "zebras", "ZEBRAS and caf\u{c9}s")
        .await
        .expect(201);
    (server, people, maria)
}

/// All pages of a list.
async fn pages(client: &Client, path: &str) -> Vec<Response> {
    let mut pages = vec![client.get(path).await.expect(200)];
    while let Some(cursor) = pages.last().unwrap().body["next_cursor"].as_str() {
        let next = format!("{path}&cursor={cursor}");
        pages.push(client.get(&next).await.expect(200));
        assert!(pages.len() < 50, "{path} never ends");
    }
    pages
}

#[tokio::test(flavor = "multi_thread")]
async fn the_listing_is_the_catalog_without_a_cap() {
    let (_server, _people, maria) = listed().await;
    maria.verb("tenant:acme", "exits", "seal").await.expect(200);
    let listing = maria.get("/v1/skills").await.expect(200);
    let catalog = maria
        .post("/v1/catalog", json!({"cap": 200}))
        .await
        .expect(200);
    // What of it was overtaken is the owner's to know, and no turn's.
    let mut items = listing.body["items"].clone();
    for item in items.as_array_mut().unwrap() {
        let item = item.as_object_mut().unwrap();
        assert_eq!(
            item.remove("upstream_changed").is_some(),
            item.remove("upstream").is_some()
        );
    }
    assert_eq!(items, catalog.body["entries"]);
    assert_eq!(
        names(&listing),
        ["exits", "zebras", "audits", "bonds", "cards", "drafts"]
    );
    // In pages of every size it is the same.
    for limit in 1..7 {
        let all: Vec<String> = pages(&maria, &format!("/v1/skills?limit={limit}"))
            .await
            .iter()
            .flat_map(names)
            .collect();
        assert_eq!(all, names(&listing), "limit {limit}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_is_by_rank_and_name_and_without_regard_to_case() {
    let (_server, _people, maria) = listed().await;
    maria.verb("tenant:acme", "exits", "seal").await.expect(200);
    for (q, found) in [
        ("zebras", vec!["zebras"]),
        ("ZeBrA", vec!["zebras"]),
        ("caf%C3%A9", vec!["zebras"]),
        (
            "at%20acme",
            vec!["audits", "bonds", "cards", "drafts", "exits"],
        ),
        ("in+general", vec![]),
        (
            "s",
            vec!["zebras", "audits", "bonds", "cards", "drafts", "exits"],
        ),
        ("%25", vec![]),
        ("_", vec![]),
        (".*", vec![]),
    ] {
        let listing = maria.get(&format!("/v1/skills?q={q}")).await.expect(200);
        assert_eq!(names(&listing), found, "{q}");
        let all: Vec<String> = pages(&maria, &format!("/v1/skills?q={q}&limit=2"))
            .await
            .iter()
            .flat_map(names)
            .collect();
        assert_eq!(all, found, "{q} in pages");
    }
    let listing = maria
        .get("/v1/skills?scope=global&q=GENERAL")
        .await
        .expect(200);
    assert_eq!(
        names(&listing),
        ["audits", "bonds", "cards", "drafts", "exits"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scope_is_listed_by_status() {
    let (_server, _people, maria) = listed().await;
    maria
        .verb("tenant:acme", "audits", "disable")
        .await
        .expect(200);
    maria
        .verb("tenant:acme", "bonds", "quarantine")
        .await
        .expect(200);
    maria
        .verb("tenant:acme", "cards", "revoke")
        .await
        .expect(200);
    super::archive(&maria, "tenant:acme", "drafts")
        .await
        .expect(200);
    for (status, found) in [
        ("", vec!["audits", "bonds", "cards", "exits"]),
        ("&status=active", vec!["exits"]),
        ("&status=disabled", vec!["audits"]),
        ("&status=quarantined", vec!["bonds"]),
        ("&status=revoked", vec!["cards"]),
        ("&status=archived", vec!["drafts"]),
    ] {
        let listing = maria
            .get(&format!("/v1/skills?scope=tenant:acme{status}"))
            .await
            .expect(200);
        assert_eq!(names(&listing), found, "{status}");
    }
    maria
        .get("/v1/skills?scope=tenant:globex")
        .await
        .expect_problem(404, "not-found");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_belongs_to_one_list_of_one_caller() {
    let (server, people, maria) = listed().await;
    let cursor = maria
        .get("/v1/skills?limit=2")
        .await
        .expect(200)
        .text("next_cursor");
    let same = format!("/v1/skills?limit=3&cursor={cursor}");
    assert_eq!(
        names(&maria.get(&same).await.expect(200)),
        ["bonds", "cards", "drafts"]
    );
    let (tom, greta) = (people.human("tom").await, people.human("greta").await);
    for (client, path) in [
        (&tom, "/v1/skills?"),
        (&greta, "/v1/skills?"),
        (&people.root, "/v1/skills?"),
        (&maria, "/v1/skills?q=a&"),
        (&maria, "/v1/skills?scope=tenant:acme&"),
        (&maria, "/v1/skills/tenant:acme/cards/revisions?"),
        (&maria, "/v1/tenants/acme/members?"),
        (&maria, "/v1/keys?"),
        (&maria, "/v1/audit?"),
    ] {
        let refused = client.get(&format!("{path}cursor={cursor}")).await;
        refused.expect_problem(400, "invalid-cursor");
    }
    for position in 0..cursor.len() {
        let mut bytes = cursor.clone().into_bytes();
        bytes[position] = if bytes[position] == b'A' { b'Q' } else { b'A' };
        let wrong = String::from_utf8(bytes).unwrap();
        for wrong in [wrong.as_str(), &cursor[..position]] {
            let refused = maria.get(&format!("/v1/skills?cursor={wrong}")).await;
            refused.expect_problem(400, "invalid-cursor");
        }
    }
    let again = people.human("maria").await;
    again.get(&same).await.expect(200);
    drop(server);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_list_comes_in_pages() {
    let (_server, people, maria) = listed().await;
    for text in ["one", "two", "three"] {
        maria.update("tenant:acme", "cards", text).await.expect(200);
    }
    for name in ["k1", "k2", "k3"] {
        maria
            .post("/v1/keys", json!({"name": name}))
            .await
            .expect(201);
        people
            .root
            .post("/v1/services", json!({"tenant": "acme", "name": name}))
            .await
            .expect(201);
    }
    for (client, path) in [
        (&maria, "/v1/skills?scope=tenant:acme&"),
        (&maria, "/v1/skills/tenant:acme/cards/revisions?"),
        (&maria, "/v1/keys?"),
        (&maria, "/v1/audit?"),
        (&people.root, "/v1/audit?log=global&"),
        (&people.root, "/v1/users?"),
        (&people.root, "/v1/tenants?"),
        (&people.root, "/v1/tenants/acme/members?"),
        (&people.root, "/v1/tenants/acme/services?"),
    ] {
        let whole = client.get(&format!("{path}limit=200")).await.expect(200);
        let items = whole.body["items"].as_array().unwrap();
        assert!(items.len() >= 2, "{path}");
        for limit in [1, 2, 3, items.len()] {
            let mut all = Vec::new();
            let pages = pages_within(client, &format!("{path}limit={limit}")).await;
            for page in &pages {
                let items = page.body["items"].as_array().unwrap();
                assert!(items.len() <= limit);
                all.extend(items.clone());
            }
            assert_eq!(&all, items, "{path} by {limit}");
        }
    }
}

/// As `pages`, for longer lists.
async fn pages_within(client: &Client, path: &str) -> Vec<Response> {
    let mut pages = vec![client.get(path).await.expect(200)];
    while let Some(cursor) = pages.last().unwrap().body["next_cursor"].as_str() {
        let next = format!("{path}&cursor={cursor}");
        pages.push(client.get(&next).await.expect(200));
        assert!(pages.len() < 300, "{path} never ends");
    }
    pages
}
