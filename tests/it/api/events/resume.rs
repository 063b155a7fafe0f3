//! Each event comes exactly once, whatever happens to the connection and to the server.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;

use crate::harness::{
    Client, Directory, People, Spawned, TestServer, Told, elevate, login, run_at,
};

/// A random number from a seed and a count.
fn scatter(seed: u64, count: u64) -> u64 {
    let mut state = seed ^ count.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    state ^= state >> 33;
    state = state.wrapping_mul(0xff51_afd7_ed55_8ccd);
    state ^ (state >> 33)
}

/// The revisions that were told of, each of which may be told once.
#[track_caller]
fn take_in(seen: &mut BTreeSet<(String, u64)>, told: Vec<Told>) {
    for one in told {
        if one.event == "end" {
            continue;
        }
        assert_eq!(one.event, "skill", "{one:?}");
        let revision = one.data["revision"].as_u64().unwrap();
        let key = (one.said(), revision);
        assert!(seen.insert(key.clone()), "{key:?} came twice");
    }
}

/// Changes one skill after another, at every scope of acme.
async fn change(clients: [(Client, &'static str); 3], rounds: usize) -> BTreeSet<(String, u64)> {
    let mut done = BTreeSet::new();
    for round in 1..=rounds {
        for (client, scope) in &clients {
            let answer = if round == 1 {
                client.create(scope, "busy", "round 1").await.expect(201)
            } else {
                let text = format!("round {round}");
                client.update(scope, "busy", &text).await.expect(200)
            };
            let revision = answer.body["revision"].as_u64().unwrap();
            done.insert((format!("publish-skill {scope}/busy"), revision));
        }
    }
    done
}

/// The line is cut at random bytes while skills change, and the server is started again in between.
#[tokio::test(flavor = "multi_thread")]
async fn each_event_comes_once_wherever_the_line_is_cut() {
    const SEED: u64 = 7;
    println!("seed {SEED}");
    let mut server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let tom = people.human("tom").await;
    let mut watcher = tom.clone();
    // From here on: an id comes before the first event.
    let (told, mut last) = watcher.tap("", None).await.cut_after(200).await;
    assert_eq!(told, []);
    assert!(last.is_some(), "a stream says where it begins");

    let mut seen = BTreeSet::new();
    let mut done = BTreeSet::new();
    let mut cuts = 0_u64;
    for era in 0..2 {
        let at = |client: &Client| server.client().with_token(client.token());
        let clients = [
            (at(&maria), "tenant:acme"),
            (at(&people.root), "global"),
            (at(&tom), "actor:tom"),
        ];
        let rounds = 12;
        let first = 1 + era * rounds;
        let changes = tokio::spawn(async move {
            if first == 1 {
                return change(clients, rounds).await;
            }
            let mut done = BTreeSet::new();
            for round in first..first + rounds {
                for (client, scope) in &clients {
                    let text = format!("round {round}");
                    let answer = client.update(scope, "busy", &text).await.expect(200);
                    let revision = answer.body["revision"].as_u64().unwrap();
                    done.insert((format!("publish-skill {scope}/busy"), revision));
                }
            }
            done
        });
        watcher = at(&watcher);
        while !changes.is_finished() {
            cuts += 1;
            let bytes = usize::try_from(scatter(SEED, cuts) % 1_500).unwrap();
            let tap = watcher.tap("", last.as_deref()).await;
            let (told, id) = tap.cut_after(bytes).await;
            last = id;
            take_in(&mut seen, told);
        }
        done.extend(changes.await.unwrap());
        server.restart().await;
    }
    let watcher = server.client().with_token(watcher.token());
    let rest = watcher.tap("?wait=0", last.as_deref()).await.rest().await;
    take_in(&mut seen, rest);
    assert_eq!(seen, done, "after {cuts} cuts");
    // Nothing is left, and a stream from the start tells the same.
    let mut all = BTreeSet::new();
    take_in(&mut all, watcher.told("?since=start&wait=0").await);
    assert_eq!(all, done);
    println!("{} events, {cuts} cuts", done.len());
}

/// `kill -9` in the middle: what was acknowledged is told once, before or after.
#[tokio::test(flavor = "multi_thread")]
async fn each_event_comes_once_although_the_server_is_killed() {
    let directory = Directory::on_disk();
    let password = "correct horse battery";
    let arguments = ["admin", "create", "--username", "root", "--password-stdin"];
    assert!(
        run_at(&directory, &arguments, password)
            .await
            .status
            .success()
    );

    let mut server = Spawned::start(&directory).await;
    let mut client = Client::new(server.address);
    let root = elevate(&login(&client, "root", None).await, "global").await;
    let mut seen = BTreeSet::new();
    let mut acknowledged = BTreeSet::new();
    let mut last = None;
    for cycle in 0..4 {
        let publisher = client.with_token(root.token());
        let changes = tokio::spawn(async move {
            let mut done = BTreeSet::new();
            for round in 0.. {
                let path = format!("/v1/skills/global/cycle-{cycle}-{round}");
                let body = json!({"description": "Use when killed.", "body": "Go on.\n"});
                let sent = publisher
                    .try_raw(
                        hyper::Method::PUT,
                        &path,
                        &[("if-none-match", "*"), ("content-type", "application/json")],
                        body.to_string().into_bytes(),
                    )
                    .await;
                match sent {
                    Ok(answer) if answer.status == 201 => {
                        let name = format!("publish-skill global/cycle-{cycle}-{round}");
                        done.insert((name, 1));
                    }
                    Ok(answer) => panic!("{} {}", answer.status, answer.body),
                    Err(_) => break,
                }
            }
            done
        });
        let watcher = client.with_token(root.token());
        let tap = watcher.tap("?since=start", last.as_deref()).await;
        let reading = tokio::spawn(tap.cut_after(usize::MAX));
        tokio::time::sleep(Duration::from_millis(150 + 50 * cycle)).await;
        server.kill().await;
        acknowledged.extend(changes.await.unwrap());
        let (told, id) = reading.await.unwrap();
        last = id;
        take_in(&mut seen, told);
        server = Spawned::start(&directory).await;
        client = Client::new(server.address);
    }
    let watcher = client.with_token(root.token());
    let mut rest = watcher.tap("?since=start&wait=0", last.as_deref()).await;
    take_in(&mut seen, rest.rest().await);
    let lost: Vec<_> = acknowledged.difference(&seen).collect();
    assert!(lost.is_empty(), "acknowledged, and never told: {lost:?}");
    // What was committed and not acknowledged any more is told as well: it is there.
    for (said, _) in seen.difference(&acknowledged) {
        let name = said.rsplit('/').next().unwrap();
        watcher
            .get(&format!("/v1/skills/global/{name}"))
            .await
            .expect(200);
    }
    println!("{} events", seen.len());
    assert_eq!(server.terminate().await, Some(0));
}

/// A position that the log never had is said to be one, and the stream goes on from what there is.
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_told_is_said() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let mut tap = tom.tap("", Some("900000.900000")).await;
    for log in ["global", "tenant"] {
        let told = tap.next().await.unwrap();
        assert_eq!(
            (told.event.as_str(), &told.data["log"]),
            ("gap", &json!(log))
        );
        assert_eq!(told.data["after"], 900_000);
        assert!(told.data["next"].as_i64().unwrap() < 1_000);
    }
    let resumed = tap.last.clone().unwrap();
    tom.create("actor:tom", "after", "it").await.expect(201);
    assert_eq!(
        tap.next().await.unwrap().said(),
        "publish-skill actor:tom/after"
    );
    // The id of the gap goes on right after it.
    let told = tom.tap("?wait=0", Some(&resumed)).await.rest().await;
    assert_eq!(super::said(&told), ["publish-skill actor:tom/after"]);

    // The same by the query, for those who cannot send the header; which counts where both come.
    let told = tom.told(&format!("?wait=0&last_event_id={resumed}")).await;
    assert_eq!(super::said(&told), ["publish-skill actor:tom/after"]);
    let last = tap.last.clone().unwrap();
    let query = format!("?wait=0&last_event_id={resumed}");
    assert_eq!(tom.tap(&query, Some(&last)).await.rest().await, []);

    for id in ["x", "1", "1.2.3.4", "1.2.0", "-1.0", "01.0"] {
        let sent = [("last-event-id", id)];
        let answer = tom
            .send(hyper::Method::GET, "/v1/events?wait=0", &sent, None)
            .await;
        answer.expect_problem(400, "malformed");
    }
}
