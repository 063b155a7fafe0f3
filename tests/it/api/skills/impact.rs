//! What a change would do, said before it is done.

use serde_json::{Value, json};

use super::lifecycle::offered;
use crate::harness::{Client, People, Response, TestServer, content};

/// The impact of a switch.
async fn switch(client: &Client, scope: &str, name: &str, action: &str) -> Response {
    let path = format!("/v1/skills/{scope}/{name}/impact?action={action}");
    client.get(&path).await.expect(200)
}

/// The impact of a publication.
async fn check(client: &Client, scope: &str, name: &str, text: &str) -> Response {
    let path = format!("/v1/skills/{scope}/{name}/check");
    client.post(&path, content(text)).await.expect(200)
}

fn named(impact: &Value, group: &str) -> Vec<String> {
    impact[group]["named"]
        .as_array()
        .unwrap_or_else(|| panic!("no names of {group}: {impact}"))
        .iter()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

/// Invariants 7 and 9 are what it foretells: what the check says, the catalogs then are.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_foretold_happens() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let tom = people.agent("acme", "tom", "bot").await;
    let outside = people.agent("acme", "cust-1", "bot").await;
    tom.create("actor:tom", "refunds", "tom's")
        .await
        .expect(201);
    // An actor that is no member is known once it took a named turn.
    outside.turn("t-1").await.expect(200);
    let everyone = ["cust-1", "ines", "maria", "mia", "pavel", "tom"];

    let answer = check(&maria, "tenant:acme", "refunds", "ours").await;
    let impact = &answer.body["impact"];
    assert_eq!(impact["over"], "tenant");
    assert_eq!(impact["actors"], 6);
    assert_eq!(impact["at_least"], false);
    assert_eq!(named(impact, "affected"), everyone);
    assert_eq!(
        named(impact, "gains"),
        ["cust-1", "ines", "maria", "mia", "pavel"]
    );
    assert_eq!(named(impact, "shadowed"), ["tom"]);
    assert_eq!(impact["gains"]["actors"], 5);
    assert!(named(impact, "loses").is_empty() && named(impact, "blocked").is_empty());
    maria
        .create("tenant:acme", "refunds", "ours")
        .await
        .expect(201);
    assert_eq!(offered(&tom).await, ["refunds@actor:tom"]);
    assert_eq!(offered(&outside).await, ["refunds@tenant:acme"]);

    let same = check(&maria, "tenant:acme", "refunds", "ours").await;
    assert_eq!(same.body["unchanged"], true);
    assert_eq!(same.body["impact"]["affected"]["actors"], 0);
    let other = check(&maria, "tenant:acme", "refunds", "better").await;
    assert_eq!(other.body["impact"]["changes"]["actors"], 5);

    let seal = switch(&maria, "tenant:acme", "refunds", "seal").await;
    assert_eq!(seal.body["allowed"], true);
    assert_eq!(seal.body["rule"], "elevated-human");
    assert_eq!(seal.body["unchanged"], false);
    let impact = &seal.body["impact"];
    assert_eq!(named(impact, "blocked"), ["tom"]);
    assert_eq!(named(impact, "gains"), ["tom"]);
    assert_eq!(impact["affected"]["actors"], 1);
    assert_eq!(
        offered(&tom).await,
        ["refunds@actor:tom"],
        "nothing was done"
    );
    maria
        .verb("tenant:acme", "refunds", "seal")
        .await
        .expect(200);
    assert_eq!(offered(&tom).await, ["refunds@tenant:acme"]);
    let again = switch(&maria, "tenant:acme", "refunds", "seal").await;
    assert_eq!(again.body["unchanged"], true);
    assert_eq!(again.body["impact"]["affected"]["actors"], 0);

    for action in ["disable", "quarantine", "revoke", "archive"] {
        let impact = switch(&maria, "tenant:acme", "refunds", action).await.body["impact"].clone();
        assert_eq!(named(&impact, "loses"), everyone, "{action}");
    }
    maria
        .verb("tenant:acme", "refunds", "disable")
        .await
        .expect(200);
    let enable = switch(&maria, "tenant:acme", "refunds", "enable")
        .await
        .body["impact"]
        .clone();
    assert_eq!(named(&enable, "gains"), everyone);
    assert_eq!(named(&enable, "blocked"), ["tom"]);
    // A removed member is no actor any more.
    maria
        .delete("/v1/tenants/acme/members/mia")
        .await
        .expect(200);
    let enable = switch(&maria, "tenant:acme", "refunds", "enable")
        .await
        .body["impact"]
        .clone();
    assert_eq!(enable["actors"], 5);
    maria
        .get("/v1/skills/tenant:acme/nothing/impact?action=seal")
        .await
        .expect_problem(404, "not-found");
    for query in [
        "",
        "?action=",
        "?action=publish",
        "?action=seal&dry_run=true",
    ] {
        maria
            .get(&format!("/v1/skills/tenant:acme/refunds/impact{query}"))
            .await
            .expect_problem(400, "malformed");
    }
}

/// Who may not read the audit log learns what happens to its own actor, and nothing of what others keep.
#[tokio::test(flavor = "multi_thread")]
async fn an_impact_tells_nobody_what_it_may_not_know() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let tom = people.agent("acme", "tom", "bot").await;
    let mia = people.human("mia").await;
    let ines = people.human("ines").await;
    let mias_agent = people.agent("acme", "mia", "bot").await;
    tom.create("actor:tom", "secret", "tom's").await.expect(201);
    for client in [&mia, &mias_agent] {
        let answer = check(client, "tenant:acme", "secret", "mine").await;
        assert_eq!(answer.body["allowed"], false);
        let impact = &answer.body["impact"];
        assert_eq!(impact["over"], "actor");
        assert_eq!(impact["actors"], 1);
        assert_eq!(named(impact, "gains"), ["mia"]);
        assert_eq!(impact["shadowed"]["actors"], 0);
        let twin = check(client, "tenant:acme", "nobodys", "mine").await;
        assert_eq!(twin.body["impact"], answer.body["impact"]);
    }
    let audit = check(&ines, "tenant:acme", "secret", "mine").await;
    assert_eq!(audit.body["impact"]["over"], "tenant");
    assert_eq!(named(&audit.body["impact"], "shadowed"), ["tom"]);
    // A service has no actor.
    let service = people.service("acme").await;
    let answer = check(&service, "tenant:acme", "secret", "mine").await;
    assert!(answer.body.get("impact").is_none(), "{}", answer.body);
}

/// Of a global change a global admin sees counts, a member of a tenant its own catalog.
#[tokio::test(flavor = "multi_thread")]
async fn a_global_change_is_counted_over_all_tenants_and_names_nobody() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let gus = people.agent("globex", "gus", "bot").await;
    let greta = people.elevated("greta", "tenant:globex").await;
    gus.create("actor:gus", "tone", "gus's").await.expect(201);
    let answer = check(&people.root, "global", "tone", "everyone's").await;
    let impact = &answer.body["impact"];
    assert_eq!(impact["over"], "installation");
    assert_eq!(impact["actors"], 7);
    assert_eq!(impact["gains"], json!({"actors": 6, "tenants": 2}));
    assert_eq!(impact["shadowed"], json!({"actors": 1, "tenants": 1}));
    assert_eq!(impact["affected"], json!({"actors": 7, "tenants": 2}));
    people
        .root
        .create("global", "tone", "everyone's")
        .await
        .expect(201);
    // The publisher of a tenant sees for itself what a global switch does to it; hiding is its tenant's own.
    let disable = switch(&greta, "global", "tone", "disable").await;
    assert_eq!(disable.body["allowed"], false);
    assert_eq!(disable.body["impact"]["over"], "actor");
    assert_eq!(named(&disable.body["impact"], "loses"), ["greta"]);
    let hide = switch(&greta, "global", "tone", "hide").await;
    assert_eq!(hide.body["allowed"], true);
    assert_eq!(hide.body["impact"]["over"], "tenant");
    assert_eq!(named(&hide.body["impact"], "loses"), ["greta"]);
    assert_eq!(
        hide.body["impact"]["affected"]["actors"], 1,
        "gus has its own"
    );
    let body = json!({"tenant": "globex", "reason": "not for us"});
    greta
        .post("/v1/skills/global/tone/hide", body)
        .await
        .expect(200);
    let show = switch(&greta, "global", "tone", "show").await;
    assert_eq!(named(&show.body["impact"], "gains"), ["greta"]);
    assert_eq!(named(&show.body["impact"], "shadowed"), ["gus"]);
    // What is sealed cannot be hidden, also not as a trial; and a tenant's skill is nobody's to hide.
    people.root.verb("global", "tone", "seal").await.expect(200);
    greta
        .get("/v1/skills/global/tone/impact?action=hide")
        .await
        .expect_problem(409, "conflict");
    people
        .root
        .get("/v1/skills/global/tone/impact?action=hide")
        .await
        .expect_problem(404, "not-found");
}

/// A full catalog: what is new pushes the last ones out, and it is said whose and which.
#[tokio::test(flavor = "multi_thread")]
async fn what_falls_past_the_default_cap_is_named() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let tom = people.agent("acme", "tom", "bot").await;
    for number in 0..20 {
        let name = format!("part-{number:02}");
        let made = people.root.create("global", &name, "it").await.expect(201);
        assert!(made.body.get("warnings").is_none(), "{}", made.body);
    }
    let answer = check(&maria, "tenant:acme", "ours", "ours").await;
    let impact = &answer.body["impact"];
    assert_eq!(impact["past_cap"]["actors"], 5);
    assert_eq!(
        impact["fallen"],
        json!([{"name": "part-19", "scope": "global"}])
    );
    let warning = json!([{
        "code": "past-cap",
        "detail": "It pushes `part-19` of global past the default cap of 20 in the catalogs of actors without skills of their own.",
    }]);
    assert_eq!(answer.body["warnings"], warning);
    let made = maria
        .create("tenant:acme", "ours", "ours")
        .await
        .expect(201);
    assert_eq!(made.body["warnings"], warning);
    // The same again pushes nothing.
    let same = maria
        .update("tenant:acme", "ours", "ours, better")
        .await
        .expect(200);
    assert!(same.body.get("warnings").is_none());
    // An agent is told of its own catalog.
    let made = tom.create("actor:tom", "mine", "mine").await.expect(201);
    assert_eq!(
        made.body["warnings"][0]["detail"],
        "It pushes `part-18` of global past the default cap of 20 in the catalog."
    );
    // What comes last is not offered at the default cap at all.
    let made = people
        .root
        .create("global", "zebra", "it")
        .await
        .expect(201);
    assert_eq!(made.body["warnings"][0]["code"], "omitted");
    // A seal takes a place as well: tom's own entry stays, and the last wide one falls.
    let seal = switch(&people.root, "global", "zebra", "seal").await.body["impact"].clone();
    assert_eq!(seal["gains"]["actors"], 7);
    assert_eq!(seal["past_cap"]["actors"], 7);
    let fallen: Vec<&str> = seal["fallen"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    // globex has no skills of its own, acme one, and tom one more.
    assert_eq!(fallen, ["part-17", "part-18", "part-19"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn near_names_are_warned_about_and_nothing_is_refused() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    people
        .root
        .create("global", "refunds", "refunds")
        .await
        .expect(201);
    let checked = check(&maria, "tenant:acme", "refund5", "x").await;
    let expected = json!([{
        "code": "near-name",
        "detail": "`refund5` may be taken for `refunds` of global: they look alike.",
    }]);
    assert_eq!(checked.body["warnings"], expected);
    let made = maria
        .create("tenant:acme", "refund5", "x")
        .await
        .expect(201);
    assert_eq!(made.body["warnings"], expected);
    // A name that is there already is not new.
    let again = maria
        .update("tenant:acme", "refund5", "y")
        .await
        .expect(200);
    assert!(again.body.get("warnings").is_none());
    // The narrower scopes are not everyone's: global is compared with global only.
    let wide = check(&people.root, "global", "refund5s", "x").await;
    let details = wide.body["warnings"].as_array().unwrap();
    assert_eq!(details.len(), 1, "{details:?}");
    let same = check(&maria, "tenant:acme", "refunds", "x").await;
    let warnings = same.body["warnings"].as_array().unwrap();
    assert!(
        warnings[0]["detail"]
            .as_str()
            .unwrap()
            .contains("`refund5` of tenant:acme"),
        "{warnings:?}"
    );
}
