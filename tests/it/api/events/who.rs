//! Who is told what.

use serde_json::json;

use super::said;
use crate::harness::{People, TestServer};

/// The scopes of the caller, and nothing of anybody else's.
#[tokio::test(flavor = "multi_thread")]
async fn everybody_is_told_of_its_own_scopes() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let root = people.root.clone();
    let maria = people.elevated("maria", "tenant:acme").await;
    let greta = people.elevated("greta", "tenant:globex").await;
    let tom = people.human("tom").await;
    let agent = people.agent("acme", "tom", "bot").await;

    root.create("global", "shared", "a secret body")
        .await
        .expect(201);
    // Between two logs it is the time that tells what came first.
    server.advance(1);
    maria
        .create("tenant:acme", "ours", "a secret body")
        .await
        .expect(201);
    maria
        .verb("tenant:acme", "ours", "quarantine")
        .await
        .expect(200);
    let body = json!({"tenant": "acme", "reason": "a test"});
    maria
        .post("/v1/skills/global/shared/hide", body)
        .await
        .expect(200);
    tom.create("actor:tom", "mine", "a secret body")
        .await
        .expect(201);
    agent
        .update("actor:tom", "mine", "another secret body")
        .await
        .expect(200);
    greta
        .create("tenant:globex", "theirs", "a secret body")
        .await
        .expect(201);
    // What is refused, or changes nothing, is no event.
    agent
        .create("tenant:acme", "refused", "x")
        .await
        .expect(403);
    maria
        .verb("tenant:acme", "ours", "quarantine")
        .await
        .expect(200);

    let shared = "publish-skill global/shared";
    let ours = [
        "publish-skill tenant:acme/ours",
        "quarantine-skill tenant:acme/ours",
        "hide-skill tenant:acme/shared",
    ];
    let mine = "publish-skill actor:tom/mine";
    let of_acme: Vec<&str> = [shared].into_iter().chain(ours).collect();
    let of_tom: Vec<&str> = of_acme.iter().copied().chain([mine, mine]).collect();
    let mia = people.human("mia").await;
    let ines = people.human("ines").await;
    let external = people.agent("acme", "cust-1", "bot").await;
    for (client, expected) in [
        (&tom, &of_tom),
        (&agent, &of_tom),
        (&mia, &of_acme),
        (&ines, &of_acme),
        (&maria, &of_acme),
        (&external, &of_acme),
        (&greta, &vec![shared, "publish-skill tenant:globex/theirs"]),
        (&root, &vec![shared]),
    ] {
        let mut tap = client.tap("?since=start&wait=0", None).await;
        let told = tap.rest().await;
        assert_eq!(said(&told), *expected);
        // Metadata only.
        for word in ["secret", "a test", "reason", "Use when"] {
            assert!(!tap.heard.contains(word), "{word} in {}", tap.heard);
        }
        assert!(told.iter().all(|one| one.event == "skill"));
    }
    let service = people.service("acme").await;
    let refused = service.get("/v1/events?wait=0").await.expect(403);
    assert_eq!(refused.rule(), "needs-actor");

    // Authors are in every listing; who recalled and hid is for those who read the log.
    let told = mia.told("?since=start&wait=0").await;
    let principals: Vec<_> = told
        .iter()
        .map(|one| one.data["principal"].clone())
        .collect();
    assert_eq!(
        principals,
        [
            json!("human:root"),
            json!("human:maria"),
            json!(null),
            json!(null)
        ]
    );
    let told = ines.told("?since=start&wait=0").await;
    assert_eq!(told[2].data["principal"], "human:maria");
    let told = tom.told("?since=start&wait=0").await;
    assert_eq!(told[5].data["principal"], "agent:bot");
    assert_eq!(told[5].data["acts_for"], "tom");
    // And what changed is named by revision and digest.
    let read = tom.get("/v1/skills/actor:tom/mine").await.expect(200);
    assert_eq!(told[5].data["revision"], 2);
    assert_eq!(told[5].data["digest"], read.body["digest"]);
    assert_eq!(
        told[5].data["at"].as_str().unwrap().len(),
        "2027-01-15T08:00:00Z".len()
    );
}

/// Everything that changes a skill is told, as it happens, with the revision that is current then.
#[tokio::test(flavor = "multi_thread")]
async fn every_change_of_a_skill_is_told_as_it_happens() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let mia = people.human("mia").await;
    let mut tap = mia.tap("", None).await;
    let scope = "tenant:acme";
    maria.create(scope, "s", "one").await.expect(201);
    maria.update(scope, "s", "two").await.expect(200);
    let path = "/v1/skills/tenant:acme/s";
    maria
        .post(&format!("{path}/rollback"), json!({"to": 1}))
        .await
        .expect(200);
    for verb in [
        "disable",
        "enable",
        "quarantine",
        "release",
        "seal",
        "unseal",
        "revoke",
    ] {
        maria.verb(scope, "s", verb).await.expect(200);
    }
    maria.delete(path).await.expect(200);
    let mut told = Vec::new();
    for (action, revision) in [
        ("publish", 1),
        ("publish", 2),
        ("rollback", 3),
        ("disable", 3),
        ("enable", 3),
        ("quarantine", 3),
        ("release", 3),
        ("seal", 3),
        ("unseal", 3),
        ("revoke", 3),
        ("archive", 3),
    ] {
        let one = tap.next().await.unwrap();
        assert_eq!(one.said(), format!("{action}-skill tenant:acme/s"));
        assert_eq!(one.data["revision"], revision, "{one:?}");
        assert!(one.data["digest"].as_str().unwrap().starts_with("sha256:"));
        told.push(one);
    }
    // The same again for whoever comes later.
    assert_eq!(mia.told("?since=start&wait=0").await, told);
}
