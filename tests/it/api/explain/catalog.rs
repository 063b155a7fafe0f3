//! Why a skill is in a catalog: the explanation, the catalog and the listing agree (invariant 9).

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::harness::{Client, People, TestServer};

/// A random number from a seed and a count.
fn scatter(count: &mut u64, below: u64) -> u64 {
    *count += 1;
    let mut state = 11 ^ count.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    state ^= state >> 33;
    state = state.wrapping_mul(0xff51_afd7_ed55_8ccd);
    (state ^ (state >> 33)) % below
}

/// Every item of a list.
async fn pages(client: &Client, path: &str) -> Vec<Value> {
    let glue = if path.contains('?') { '&' } else { '?' };
    let mut all = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = client
            .get(&format!("{path}{glue}limit=7{cursor}"))
            .await
            .expect(200);
        all.extend(page.body["items"].as_array().unwrap().iter().cloned());
        match page.body["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
}

fn key(item: &Value) -> (String, String) {
    let text = |field: &str| item[field].as_str().unwrap().to_owned();
    (text("name"), text("scope"))
}

/// In random worlds, over all scopes and states.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_explained_is_what_is_offered_and_listed() {
    println!("seed 11");
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let root = people.root.clone();
    let maria = people.elevated("maria", "tenant:acme").await;
    let tom = people.human("tom").await;
    let agent = people.agent("acme", "tom", "bot").await;
    let scopes = [
        (&tom, "actor:tom"),
        (&maria, "tenant:acme"),
        (&root, "global"),
    ];
    let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    let mut count = 0;
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for world in 0..12 {
        // A few changes more than in the world before.
        for _ in 0..24 {
            let (client, scope) = scopes[usize::try_from(scatter(&mut count, 3)).unwrap()];
            let name = names[usize::try_from(scatter(&mut count, 12)).unwrap()];
            match scatter(&mut count, 14) {
                0 => drop(client.verb(scope, name, "disable").await),
                1 => drop(client.verb(scope, name, "quarantine").await),
                2 => drop(client.verb(scope, name, "release").await),
                3 if scope != "actor:tom" => drop(client.verb(scope, name, "seal").await),
                4 => drop(client.delete(&format!("/v1/skills/{scope}/{name}")).await),
                5 | 12 => {
                    let body = json!({"tenant": "acme", "reason": "a test"});
                    let path = format!("/v1/skills/global/{name}/hide");
                    drop(maria.post(&path, body).await);
                }
                6 if scope != "actor:tom" => drop(client.verb(scope, name, "unseal").await),
                7 => drop(client.verb(scope, name, "enable").await),
                _ => drop(
                    client
                        .create(scope, name, &format!("{name} of {world}"))
                        .await,
                ),
            }
        }
        let cap = 1 + scatter(&mut count, 9);
        let catalog = agent
            .post("/v1/catalog", json!({"cap": cap}))
            .await
            .expect(200)
            .body;
        let listing = pages(&agent, "/v1/skills").await;
        let explained = pages(&agent, &format!("/v1/explain/catalog?cap={cap}")).await;
        // Whoever may ask about Tom is told the same.
        let path = format!("/v1/explain/catalog?actor=tom&cap={cap}");
        assert_eq!(pages(&maria, &path).await, explained);
        assert_eq!(pages(&tom, &path).await, explained);

        let mut in_order: Vec<&Value> = explained
            .iter()
            .filter(|one| one["position"].is_u64())
            .collect();
        in_order.sort_by_key(|one| one["position"].as_u64());
        let offered: Vec<_> = in_order
            .iter()
            .filter(|one| one["place"] == "offered")
            .collect();
        let entries = catalog["entries"].as_array().unwrap();
        assert_eq!(
            offered.iter().map(|one| key(one)).collect::<Vec<_>>(),
            entries.iter().map(key).collect::<Vec<_>>(),
            "world {world}"
        );
        for (one, entry) in offered.iter().zip(entries) {
            for field in ["revision", "digest", "sealed"] {
                assert_eq!(one[field], entry[field], "world {world}");
            }
        }
        // What is offered and omitted is the listing, in its order.
        assert_eq!(
            in_order.iter().map(|one| key(one)).collect::<Vec<_>>(),
            listing.iter().map(key).collect::<Vec<_>>(),
            "world {world}"
        );
        let omitted = explained
            .iter()
            .filter(|one| one["place"] == "omitted")
            .count();
        assert_eq!(json!(omitted), catalog["omitted"], "world {world}");
        let mut blocked: Vec<Value> = explained
            .iter()
            .filter(|one| one["place"] == "blocked")
            .map(|one| json!({"name": one["name"], "scope": one["scope"], "by": one["by"]}))
            .collect();
        let mut of_catalog = catalog["blocked"].as_array().unwrap().clone();
        let by_key = |one: &Value| key(one);
        blocked.sort_by_key(by_key);
        of_catalog.sort_by_key(by_key);
        assert_eq!(blocked, of_catalog, "world {world}");
        for entry in &listing {
            let shadows = entry["shadows"].as_array().cloned().unwrap_or_default();
            for scope in shadows {
                let found = explained
                    .iter()
                    .find(|one| one["name"] == entry["name"] && one["scope"] == scope);
                let found = found.unwrap_or_else(|| panic!("world {world}: {entry}"));
                assert_eq!(
                    (&found["place"], &found["by"]),
                    (&json!("shadowed"), &entry["scope"])
                );
            }
        }
        // And everything that is at the scopes is there, in the state that its scope says.
        let mut all = Vec::new();
        for (client, scope) in scopes {
            for query in ["", "&status=archived"] {
                all.extend(pages(client, &format!("/v1/skills?scope={scope}{query}")).await);
            }
        }
        assert_eq!(explained.len(), all.len(), "world {world}");
        for one in &explained {
            let row = all.iter().find(|row| key(row) == key(one)).unwrap();
            if row["status"] != "active" {
                assert_eq!(one["place"], row["status"], "world {world}");
            }
            assert!(one.get("description").is_none() && one.get("body").is_none());
            *places
                .entry(one["place"].as_str().unwrap().to_owned())
                .or_default() += 1;
        }
    }
    println!("{places:?}");
    for place in [
        "offered",
        "omitted",
        "shadowed",
        "blocked",
        "hidden",
        "disabled",
        "quarantined",
        "archived",
    ] {
        assert!(places.contains_key(place), "no world had anything {place}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_ask_about_whose_catalog() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let tom = people.human("tom").await;
    tom.create("actor:tom", "mine", "x").await.expect(201);
    let path = "/v1/explain/catalog";
    for client in [&tom, &people.agent("acme", "tom", "bot").await] {
        let own = client.get(path).await.expect(200);
        assert_eq!(own.body["items"][0]["name"], "mine");
        client.get(&format!("{path}?actor=tom")).await.expect(200);
        client
            .get(&format!("{path}?actor=mia"))
            .await
            .expect_problem(403, "refused");
    }
    // An actor of that name in another tenant is another one, and one that nobody heard of has what all have.
    let greta = people.human("greta").await;
    let theirs = greta.get(&format!("{path}?actor=tom")).await.expect(200);
    assert_eq!(theirs.body["items"], json!([]));
    let ines = people.human("ines").await;
    let found = ines.get(&format!("{path}?actor=tom")).await.expect(200);
    assert_eq!(found.body["items"][0]["place"], "offered");
    people.service("acme").await.get(path).await.expect(200);
    let root = people.human("root").await;
    root.get(path).await.expect(200);
    root.get(&format!("{path}?actor=tom"))
        .await
        .expect_problem(404, "not-found");
    for (query, status, code) in [
        ("cap=0", 422, "invalid-cap"),
        ("cap=201", 422, "invalid-cap"),
        ("cap=x", 422, "invalid-cap"),
        ("actor=a%20b", 422, "invalid-id"),
        ("role=", 422, "invalid-content"),
        ("limit=0", 400, "malformed"),
    ] {
        ines.get(&format!("{path}?{query}"))
            .await
            .expect_problem(status, code);
    }
}
