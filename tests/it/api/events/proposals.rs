//! What is told of proposals, and to whom.

use serde_json::{Value, json};

use super::said;
use crate::harness::{Client, People, TestServer, Told};

/// The event, the action and the proposal of each.
fn in_short(told: &[Told]) -> Vec<(String, String, Value)> {
    let action = |one: &Told| one.data["action"].as_str().unwrap_or_default().to_owned();
    told.iter()
        .map(|one| (one.event.clone(), action(one), one.data["proposal"].clone()))
        .collect()
}

fn short(event: &str, action: &str, proposal: Option<&str>) -> (String, String, Value) {
    (event.to_owned(), action.to_owned(), json!(proposal))
}

async fn all(client: &Client) -> Vec<Told> {
    client.told("?since=start&wait=0").await
}

/// A tenant's proposals: its humans see all of them, agents their actor's; that a skill changed is for everybody.
#[tokio::test(flavor = "multi_thread")]
async fn a_tenants_proposals_are_told_to_who_reads_them() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let mia = people.human("mia").await;
    let toms = people.agent("acme", "tom", "bot").await;
    let mias = people.agent("acme", "mia", "bot").await;
    let greta = people.human("greta").await;
    let mut live = mia.tap("", None).await;

    let made = toms.propose("tenant:acme", "lesson", "a lesson").await;
    let id = made.expect(201).text("id");
    let body = json!({"text": "a word that is not told"});
    mia.on_proposal(&id, "comments", body).await.expect(201);
    maria.approve(&id).await.expect(200);
    let other = toms
        .propose("tenant:acme", "lesson", "another lesson")
        .await;
    let other = other.expect(201).text("id");
    maria.reject(&other).await.expect(200);

    let of_readers = [
        short("proposal", "propose-skill", Some(&id)),
        short("proposal", "comment-proposal", Some(&id)),
        short("skill", "approve-proposal", Some(&id)),
        short("proposal", "propose-skill", Some(&other)),
        short("proposal", "reject-proposal", Some(&other)),
    ];
    for client in [&mia, &maria, &toms] {
        assert_eq!(in_short(&all(client).await), of_readers);
    }
    // Another actor's agent learns that there is a skill, and nothing else.
    let told = all(&mias).await;
    assert_eq!(in_short(&told), [short("skill", "publish-skill", None)]);
    assert_eq!(told[0].data["revision"], 1);
    assert_eq!(told[0].data["principal"], Value::Null);
    assert_eq!(all(&greta).await, []);
    // Who it was is for humans.
    assert_eq!(all(&mia).await[2].data["principal"], "human:maria");
    assert_eq!(all(&toms).await[2].data["principal"], Value::Null);

    // As it happens it is the same, and no words of it are told.
    let mut heard = Vec::new();
    for _ in 0..of_readers.len() {
        heard.push(live.next().await.unwrap());
    }
    assert_eq!(in_short(&heard), of_readers);
    for word in ["learned", "not told", "a test", "Use when"] {
        assert!(!live.heard.contains(word), "{word} in {}", live.heard);
    }
}

/// Proposals for global: nobody learns from its stream what other tenants put forward, not even how many.
#[tokio::test(flavor = "multi_thread")]
async fn a_proposal_for_global_changes_nothing_that_others_are_told() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let root = people.root.clone();
    let greta = people.human("greta").await;
    let tom = people.human("tom").await;
    let toms = people.agent("acme", "tom", "bot").await;
    root.create("global", "first", "x").await.expect(201);
    let whole = async |client: &Client, query: &str, last: Option<&str>| {
        let mut tap = client.tap(query, last).await;
        tap.rest().await;
        (tap.heard, tap.last.unwrap())
    };
    let before = whole(&greta, "?since=start&wait=0", None).await;
    let now = whole(&greta, "?wait=0", None).await;

    let mut ids = Vec::new();
    for number in 0..3 {
        let name = format!("lesson-{number}");
        let made = toms.propose("global", &name, "a lesson").await;
        ids.push(made.expect(201).text("id"));
    }
    root.reject(&ids[0]).await.expect(200);
    assert_eq!(whole(&greta, "?since=start&wait=0", None).await, before);
    assert_eq!(whole(&greta, "?wait=0", None).await, now);
    // The proposer, whom it acted for, and who decides: each from any event on, each event once.
    for client in [&tom, &toms, &root] {
        let told = all(client).await;
        let of_proposals: Vec<_> = in_short(&told).split_off(1);
        let made = ids
            .iter()
            .map(|id| short("proposal", "propose-skill", Some(id)));
        let ended = std::iter::once(short("proposal", "reject-proposal", Some(&ids[0])));
        assert_eq!(of_proposals, made.chain(ended).collect::<Vec<_>>());
        for (number, one) in told.iter().enumerate() {
            let rest = client.tap("?wait=0", one.id.as_deref()).await.rest().await;
            assert_eq!(rest, told[number + 1..], "after {:?}", one.id);
        }
        // Whoever comes now has missed nothing and is told nothing again.
        let (_, last) = whole(client, "?wait=0", None).await;
        // Of the tenant's log it is at the end, whatever that says.
        let of_global = |id: &str| id.split_once('.').unwrap().1.to_owned();
        let told_last = told.last().unwrap().id.clone().unwrap();
        assert_eq!(of_global(&last), of_global(&told_last));
        assert_eq!(client.tap("?wait=0", Some(&last)).await.rest().await, []);
    }
    // What is published is for everybody; that it was proposed is not.
    root.approve(&ids[1]).await.expect(200);
    let (_, last) = before;
    let told = greta.tap("?wait=0", Some(&last)).await.rest().await;
    assert_eq!(said(&told), ["publish-skill global/lesson-1"]);
    assert_eq!(told[0].data["proposal"], Value::Null);
    let told = all(&tom).await;
    assert_eq!(
        in_short(&told).last().unwrap(),
        &short("skill", "approve-proposal", Some(&ids[1]))
    );
}

/// What waits for an actor in its own scope is between the actor and its agents.
#[tokio::test(flavor = "multi_thread")]
async fn what_an_agent_writes_under_review_is_told_to_its_actor() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    crate::api::proposals::set(&people, "acme", json!({"agent_own_scope": "review"})).await;
    let toms = people.agent("acme", "tom", "bot").await;
    let tom = people.human("tom").await;
    let made = toms.create("actor:tom", "note", "a note").await.expect(202);
    let id = made.text("id");
    tom.approve(&id).await.expect(200);
    let expected = [
        short("proposal", "propose-skill", Some(&id)),
        short("skill", "approve-proposal", Some(&id)),
    ];
    for client in [&tom, &toms] {
        let told = all(client).await;
        assert_eq!(in_short(&told), expected);
        assert_eq!(told[1].said(), "approve-proposal actor:tom/note");
    }
    for client in [&people.human("maria").await, &people.human("ines").await] {
        assert_eq!(all(client).await, []);
    }
}
