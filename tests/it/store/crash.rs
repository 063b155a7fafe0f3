//! What was acknowledged survives `kill -9` (invariant 18, threat 14), with the real program on a real disk.
//!
//! `VESTRY_CRASH_CYCLES` is how often it is killed; 20 when it is not set.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Client, Directory, Spawned, elevate, knob, login, on_postgres, run_at};

/// A file that every revision has: its bytes are kept once.
const LARGE: &str = "AAECAwQFBgcICQoLDA0ODw==";
const PUBLISHERS: usize = 4;
const TURNERS: usize = 4;

/// What the server has acknowledged.
#[derive(Default)]
struct Acknowledged {
    /// By publisher: revision n is at n − 1, none where no answer came.
    revisions: [Vec<Option<(String, String)>>; PUBLISHERS],
    /// By agent and turn: what of its answer must stay.
    turns: BTreeMap<(usize, String), Value>,
}

/// A random number from a seed and a count, good enough to choose when to kill.
fn scatter(seed: u64, count: u64) -> u64 {
    let mut state = seed ^ count.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    state ^= state >> 33;
    state = state.wrapping_mul(0xff51_afd7_ed55_8ccd);
    state ^ (state >> 33)
}

fn stable(answer: &Value) -> Value {
    json!([
        answer["entries"],
        answer["etag"],
        answer["block"],
        answer["omitted"]
    ])
}

/// Publishes one text after the other under a name of its own until the server is gone.
async fn publish(
    client: Client,
    publisher: usize,
    cycle: u64,
    acknowledged: Arc<Mutex<Acknowledged>>,
) {
    let path = format!("/v1/skills/global/skill-{publisher}");
    for number in 0.. {
        let body = format!("Text {number} of cycle {cycle}, {}\n", "x".repeat(2_000));
        let files = json!([{"path": "same", "text": body}, {"path": "large", "base64": LARGE}]);
        let content = json!({"description": format!("Use when {cycle} {number}."), "body": body, "files": files});
        // A server that was killed early may not have created it yet.
        let is_new = number == 0 && acknowledged.lock().unwrap().revisions[publisher].is_empty();
        let precondition = if is_new {
            ("if-none-match", "*")
        } else {
            ("if-match", "*")
        };
        let headers = [precondition, ("content-type", "application/json")];
        let Ok(answer) = client
            .try_raw(
                Method::PUT,
                &path,
                &headers,
                content.to_string().into_bytes(),
            )
            .await
        else {
            return;
        };
        assert!(answer.status.is_success(), "{}", answer.body);
        let revision = usize::try_from(answer.body["revision"].as_u64().unwrap()).unwrap();
        let mut acknowledged = acknowledged.lock().unwrap();
        let revisions = &mut acknowledged.revisions[publisher];
        if revisions.len() < revision {
            revisions.resize(revision, None);
        }
        revisions[revision - 1] = Some((answer.text("digest"), body));
    }
}

/// Takes one named turn after the other until the server is gone; every third is taken twice.
async fn turn(client: Client, agent: usize, cycle: u64, acknowledged: Arc<Mutex<Acknowledged>>) {
    for number in 0.. {
        let name = format!("t-{cycle}-{}", number / 3 * 3 + (number % 3).min(1));
        let request = json!({"turn": name}).to_string().into_bytes();
        let headers = [("content-type", "application/json")];
        let Ok(answer) = client
            .try_raw(Method::POST, "/v1/catalog", &headers, request)
            .await
        else {
            return;
        };
        assert_eq!(answer.status, 200, "{}", answer.body);
        let answer = stable(&answer.body);
        let mut acknowledged = acknowledged.lock().unwrap();
        let before = acknowledged
            .turns
            .entry((agent, name))
            .or_insert(answer.clone());
        assert_eq!(*before, answer);
    }
}

/// Every revision of a publisher, oldest first, as the server has it.
async fn revisions(root: &Client, publisher: usize) -> Vec<Value> {
    let mut rows = Vec::new();
    let mut cursor = String::new();
    loop {
        let path = format!("/v1/skills/global/skill-{publisher}/revisions?limit=200{cursor}");
        let page = root.get(&path).await;
        if page.status == 404 {
            return rows;
        }
        let page = page.expect(200);
        rows.extend(page.body["items"].as_array().unwrap().clone());
        match page.body["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    rows.reverse();
    rows
}

/// Compares what the server has with what it acknowledged; gives the digests of every revision.
async fn verify(
    root: &Client,
    agents: &[Client],
    acknowledged: &mut Acknowledged,
    from: &[usize; PUBLISHERS],
) {
    let Acknowledged {
        revisions: every,
        turns,
    } = acknowledged;
    for (publisher, (known, from)) in every.iter_mut().zip(from).enumerate() {
        let rows = revisions(root, publisher).await;
        assert!(
            rows.len() >= known.len(),
            "{} of {} revisions are left",
            rows.len(),
            known.len()
        );
        assert!(rows.len() <= known.len() + 1, "one was under way at most");
        for (index, row) in rows.iter().enumerate() {
            assert_eq!(row["revision"], index + 1, "numbers go on without a gap");
            if let Some(Some((digest, _))) = known.get(index) {
                assert_eq!(row["digest"], *digest.as_str());
            }
        }
        for index in *from..rows.len() {
            let path = format!(
                "/v1/skills/global/skill-{publisher}/revisions/{}",
                index + 1
            );
            let read = root.get(&path).await.expect(200);
            if let Some(Some((_, body))) = known.get(index) {
                assert_eq!(read.body["body"], *body.as_str());
                let file = root
                    .get(&format!("{path}/file?path=same"))
                    .await
                    .expect(200);
                assert_eq!(file.bytes.as_ref(), body.as_bytes());
            }
        }
        if let Some(last) = rows.last() {
            // The skill points at its last revision: no half of a publication is there.
            let skill = root
                .get(&format!("/v1/skills/global/skill-{publisher}"))
                .await
                .expect(200);
            assert_eq!(skill.body["revision"], last["revision"]);
            assert_eq!(skill.body["digest"], last["digest"]);
            assert_eq!(skill.body["description"], last["description"]);
        }
        known.resize(rows.len(), None);
    }
    for ((agent, turn), answer) in &*turns {
        let again = agents[*agent].turn(turn).await.expect(200);
        assert_eq!(stable(&again.body), *answer, "turn {turn} of agent {agent}");
    }
}

async fn audit_holds(directory: &Directory) {
    let verified = run_at(directory, &["audit", "verify"], "").await;
    let said = String::from_utf8_lossy(&verified.stdout);
    assert!(
        verified.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&verified.stderr)
    );
    assert!(said.contains("ok     global"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_survives_kill_9() {
    let cycles: u64 = knob("VESTRY_CRASH_CYCLES", 20);
    let seed: u64 = knob("VESTRY_SEED", 18);
    println!("{cycles} cycles, seed {seed}");
    let directory = Directory::on_disk();
    let admin = ["admin", "create", "--username", "root", "--password-stdin"];
    let made = run_at(&directory, &admin, "correct horse battery\n").await;
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );

    let server = Spawned::start(&directory).await;
    let client = Client::new(server.address);
    let root = elevate(&login(&client, "root", None).await, "global").await;
    root.post("/v1/tenants", json!({"id": "acme", "name": "Acme"}))
        .await
        .expect(201);
    let service = root
        .post(
            "/v1/services",
            json!({"tenant": "acme", "name": "platform"}),
        )
        .await
        .expect(201);
    let service = client.with_token(service.text("key"));
    let mut tokens = Vec::new();
    for agent in 0..TURNERS {
        let mint = json!({"actor": {"id": format!("actor-{agent}")}, "agent": "bot", "ttl_seconds": 3_600});
        tokens.push(
            service
                .post("/v1/token", mint)
                .await
                .expect(200)
                .text("access_token"),
        );
    }
    let mut root = root.token().to_owned();
    let mut elevated_at = std::time::Instant::now();
    let acknowledged = Arc::new(Mutex::new(Acknowledged::default()));
    let mut server = Some(server);

    for cycle in 0..cycles {
        let running = server.take().unwrap();
        let client = Client::new(running.address);
        let mut clients = JoinSet::new();
        for publisher in 0..PUBLISHERS {
            clients.spawn(publish(
                client.with_token(&root),
                publisher,
                cycle,
                acknowledged.clone(),
            ));
        }
        for (agent, token) in tokens.iter().enumerate() {
            clients.spawn(turn(
                client.with_token(token),
                agent,
                cycle,
                acknowledged.clone(),
            ));
        }
        let from: [usize; PUBLISHERS] = std::array::from_fn(|publisher| {
            acknowledged.lock().unwrap().revisions[publisher].len()
        });
        // A server that begins has connections to open where its database is elsewhere.
        let times = if on_postgres() { 3 } else { 1 };
        let lives = times * (60 + scatter(seed, cycle) % 250);
        tokio::time::sleep(Duration::from_millis(lives)).await;
        running.kill().await;
        while let Some(ended) = clients.join_next().await {
            ended.unwrap();
        }
        audit_holds(&directory).await;

        let running = Spawned::start(&directory).await;
        let client = Client::new(running.address);
        if elevated_at.elapsed() > Duration::from_secs(600) {
            root = elevate(&login(&client, "root", None).await, "global")
                .await
                .token()
                .to_owned();
            elevated_at = std::time::Instant::now();
        }
        let agents: Vec<Client> = tokens
            .iter()
            .map(|token| client.with_token(token))
            .collect();
        let mut state = std::mem::take(&mut *acknowledged.lock().unwrap());
        verify(&client.with_token(&root), &agents, &mut state, &from).await;
        // Turns of cycles before the last have been looked at often enough.
        let kept = format!("t-{cycle}-");
        state
            .turns
            .retain(|(_, turn), _| turn.starts_with(&kept) || turn.ends_with("-0"));
        *acknowledged.lock().unwrap() = state;
        server = Some(running);
    }

    // One record for every revision, and none for what is not there (invariant 16).
    let running = server.take().unwrap();
    let client = Client::new(running.address).with_token(&root);
    let mut recorded: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut cursor = String::new();
    loop {
        let path = format!("/v1/audit?log=global&action=publish-skill&limit=200{cursor}");
        let page = client.get(&path).await.expect(200);
        for record in page.body["items"].as_array().unwrap() {
            recorded
                .entry(record["target"].as_str().unwrap().to_owned())
                .or_default()
                .push(record["after"].clone());
        }
        match page.body["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    let mut total = 0;
    for publisher in 0..PUBLISHERS {
        let digests: Vec<Value> = revisions(&client, publisher)
            .await
            .iter()
            .map(|row| row["digest"].clone())
            .collect();
        total += digests.len();
        let of_this = recorded.remove(&format!("global/skill-{publisher}"));
        assert_eq!(of_this.unwrap_or_default(), digests);
    }
    assert!(recorded.is_empty(), "{recorded:?}");
    println!("{total} revisions");
    // How much is a matter of the disk, which others may be using.
    assert!(total as u64 > cycles, "too little was published: {total}");
    assert_eq!(running.terminate().await, Some(0), "SIGTERM drains");
    audit_holds(&directory).await;
}
