//! Backups that are made while everything writes.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio::task::JoinSet;

use super::{FILE, Place, Shell, text};
use crate::api::files::{bundle, publish};
use crate::harness::{Client, People, TestServer, knob, sqlite_only};
use crate::store::database::File;

const PUBLISHERS: usize = 3;
const TURNERS: usize = 2;

/// What was acknowledged.
#[derive(Debug, Clone, Default)]
struct Acknowledged {
    /// By skill: the digest of each revision.
    revisions: BTreeMap<String, Vec<String>>,
    /// Named turns, by actor.
    turns: Vec<(String, String)>,
}

impl Acknowledged {
    fn number(&self) -> usize {
        self.revisions.values().map(Vec::len).sum::<usize>() + self.turns.len()
    }
}

#[derive(Default)]
struct Load {
    acknowledged: Mutex<Acknowledged>,
    ends: AtomicBool,
}

impl Load {
    fn so_far(&self) -> Acknowledged {
        self.acknowledged.lock().unwrap().clone()
    }

    async fn publish(self: Arc<Self>, client: Client, publisher: usize) {
        let name = format!("skill-{publisher}");
        for number in 0.. {
            if self.ends.load(Ordering::SeqCst) {
                return;
            }
            let text = format!("{publisher} {number} {}", "x".repeat(1_500));
            let files = json!([{"path": "same", "text": "same"}, {"path": "own", "text": text}]);
            let mut body = bundle(&format!("number {number}"), files);
            body["body"] = text.into();
            let answer = publish(&client, "global", &name, body).await;
            assert!(answer.status.is_success(), "{}", answer.body);
            let mut acknowledged = self.acknowledged.lock().unwrap();
            let revisions = acknowledged.revisions.entry(name.clone()).or_default();
            revisions.push(answer.text("digest"));
            assert_eq!(answer.body["revision"], revisions.len());
        }
    }

    async fn turn(self: Arc<Self>, client: Client, actor: String) {
        for number in 0.. {
            if self.ends.load(Ordering::SeqCst) {
                return;
            }
            let turn = format!("t-{number}");
            client.turn(&turn).await.expect(200);
            let mut acknowledged = self.acknowledged.lock().unwrap();
            acknowledged.turns.push((actor.clone(), turn));
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_has_what_was_acknowledged_before_it_began_and_nothing_by_halves() {
    if sqlite_only(FILE) {
        return;
    }
    let backups: u64 = knob("VESTRY_BACKUPS", 5);
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let load = Arc::new(Load::default());
    let mut clients = JoinSet::new();
    for publisher in 0..PUBLISHERS {
        clients.spawn(Arc::clone(&load).publish(people.root.clone(), publisher));
    }
    for actor in 0..TURNERS {
        let actor = format!("actor-{actor}");
        let agent = people.agent("acme", &actor, "bot").await;
        clients.spawn(Arc::clone(&load).turn(agent, actor));
    }
    let (shell, place) = (Shell::alone(), Place::new());
    let mut meanwhile = 0;
    let mut made = Vec::new();
    for number in 0..backups {
        let before = load.so_far();
        let file = place.text(&format!("backup-{number}"));
        shell.backup(server.directory.path(), &file).await;
        let after = load.so_far();
        meanwhile += after.number() - before.number();
        made.push((file, before, after));
    }
    load.ends.store(true, Ordering::SeqCst);
    while let Some(ended) = clients.join_next().await {
        ended.unwrap();
    }
    println!("{meanwhile} writes were acknowledged while {backups} backups were made");
    assert!(meanwhile > 0, "the writer does not wait for a backup");

    for (number, (file, before, after)) in made.into_iter().enumerate() {
        let into = place.path(&format!("restored-{number}"));
        // Restoring verifies: whatever is there, is there whole.
        shell.ok(&["restore", &file, "--data", &text(&into)]).await;
        let database = File::open(&into).await;
        for publisher in 0..PUBLISHERS {
            let name = format!("skill-{publisher}");
            let found: Vec<String> = database
                .rows(&format!(
                    "SELECT digest FROM revisions WHERE name = '{name}' ORDER BY number"
                ))
                .await
                .iter()
                .map(|row| row.try_get_by_index(0).unwrap())
                .collect();
            let known = before.revisions.get(&name).map_or(&[][..], Vec::as_slice);
            assert_eq!(found.get(..known.len()), Some(known), "{name} is whole");
            let later = after.revisions.get(&name).map_or(0, Vec::len);
            assert!(found.len() <= later + 1, "one was under way at most");
            let recorded = database
                .number(&format!(
                    "SELECT count(*) FROM audit WHERE target = 'global/{name}' AND action = 'publish-skill'"
                ))
                .await;
            assert_eq!(usize::try_from(recorded), Ok(found.len()));
        }
        for (actor, turn) in &before.turns {
            let kept = database
                .number(&format!(
                    "SELECT count(*) FROM turns WHERE actor = '{actor}' AND turn = '{turn}'"
                ))
                .await;
            assert_eq!(kept, 1, "turn {turn} of {actor}");
        }
        database.close().await;
    }
}
