//! Whoever can write the database file cannot do so unseen (threats 5 and 13).
//!
//! That the end of a chain was cut off with its head, or all of it computed anew, only checkpoints show: see
//! [`checkpoints`](super::checkpoints).

use serde_json::json;

use super::database::File;
use crate::api::files::{bundle, publish};
use crate::harness::{Client, People, TestServer};

/// A stopped server with chains of some length in every tenant, and its database.
async fn chains() -> (TestServer, File) {
    let mut server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    for name in ["refunds", "returns"] {
        maria.create("tenant:acme", name, name).await.expect(201);
    }
    maria
        .verb("tenant:acme", "refunds", "quarantine")
        .await
        .expect(200);
    let agent = people.agent("acme", "tom", "bot").await;
    agent
        .create("tenant:acme", "payroll", "payroll")
        .await
        .expect(403);
    agent.turn("t-1").await.expect(200);
    server.stop().await;
    let file = File::of(&server.directory).await;
    file.wait_for_no_disk().await;
    file.suspend_triggers().await;
    file.run("CREATE TABLE kept_audit AS SELECT * FROM audit; CREATE TABLE kept_heads AS SELECT * FROM audit_heads;")
        .await;
    (server, file)
}

/// Whether some chain shows a fault.
async fn is_detected(server: &TestServer) -> bool {
    let reports = server.verify_audit().await;
    reports.iter().any(|report| !report.faults.is_empty())
}

async fn restore(file: &File) {
    file.run(
        "DELETE FROM audit; INSERT INTO audit SELECT * FROM kept_audit; \
         DELETE FROM audit_heads; INSERT INTO audit_heads SELECT * FROM kept_heads;",
    )
    .await;
}

#[tokio::test]
async fn every_change_at_every_position_of_an_audit_chain_is_detected() {
    let (server, file) = chains().await;
    assert!(!is_detected(&server).await);
    let mut tried = 0;
    for row in file
        .rows("SELECT tenant, seq, CAST(length(record) AS BIGINT) FROM kept_audit")
        .await
    {
        let tenant: String = row.try_get_by_index(0).unwrap();
        let seq: i64 = row.try_get_by_index(1).unwrap();
        let length: i64 = row.try_get_by_index(2).unwrap();
        let last = file
            .number(&format!(
                "SELECT max(seq) FROM kept_audit WHERE tenant = '{tenant}'"
            ))
            .await;
        let this = format!("tenant = '{tenant}' AND seq = {seq}");
        let next = format!("tenant = '{tenant}' AND seq = {}", seq + 1);
        let mut changes: Vec<String> = [
            "at = at + 1",
            "principal = principal || 'x'",
            "action = action || 'x'",
            "target = 'x'",
        ]
        .iter()
        .map(|set| format!("UPDATE audit SET {set} WHERE {this}"))
        .collect();
        changes.push(format!(
            "UPDATE audit SET rule = CASE WHEN rule IS NULL THEN 'x' END WHERE {this}"
        ));
        changes.push(format!("UPDATE audit SET tenant = 'nobody' WHERE {this}"));
        changes.push(format!("UPDATE audit SET seq = 1000 WHERE {this}"));
        changes.push(format!(
            "UPDATE audit SET hash = CASE substr(hash, 1, 1) WHEN '0' THEN '1' ELSE '0' END || substr(hash, 2) WHERE {this}"
        ));
        changes.push(format!("DELETE FROM audit WHERE {this}"));
        changes.push(format!(
            "DELETE FROM audit WHERE tenant = '{tenant}' AND seq >= {seq}"
        ));
        // One more after it, and everything behind it one further on; with and without a head that fits the count.
        let insert = format!(
            "UPDATE audit SET seq = seq + 10000 WHERE tenant = '{tenant}' AND seq > {seq}; \
             INSERT INTO audit SELECT tenant, seq + 1, at, principal, action, target, rule, record, hash FROM kept_audit WHERE {this}; \
             UPDATE audit SET seq = seq - 9999 WHERE tenant = '{tenant}' AND seq > 10000;"
        );
        changes.push(insert.clone());
        changes.push(format!(
            "{insert} UPDATE audit_heads SET seq = seq + 1 WHERE tenant = '{tenant}'"
        ));
        if seq < last {
            changes.push(format!(
                "DELETE FROM audit WHERE {this} OR {next}; \
                 INSERT INTO audit SELECT tenant, seq + 1, at, principal, action, target, rule, record, hash FROM kept_audit WHERE {this}; \
                 INSERT INTO audit SELECT tenant, seq - 1, at, principal, action, target, rule, record, hash FROM kept_audit WHERE {next};"
            ));
            // Cut off here, with a head that says so but has the old hash.
            changes.push(format!(
                "DELETE FROM audit WHERE tenant = '{tenant}' AND seq > {seq}; \
                 UPDATE audit_heads SET seq = {seq} WHERE tenant = '{tenant}';"
            ));
        }
        for at in [1, length / 3, length / 2, length] {
            changes.push(flip(&file, at, &this));
        }
        for sql in changes {
            file.run(&sql).await;
            let changed = file
                .number("SELECT count(*) FROM (SELECT * FROM audit EXCEPT SELECT * FROM kept_audit) AS changed")
                .await
                + file
                    .number("SELECT count(*) FROM (SELECT * FROM kept_audit EXCEPT SELECT * FROM audit) AS changed")
                    .await;
            if changed > 0 {
                tried += 1;
                assert!(is_detected(&server).await, "{sql}");
            }
            restore(&file).await;
        }
    }
    // And every byte of one record.
    let length = file
        .number("SELECT length(record) FROM kept_audit WHERE tenant = 'acme' AND seq = 2")
        .await;
    for at in 1..=length {
        file.run(&flip(&file, at, "tenant = 'acme' AND seq = 2"))
            .await;
        tried += 1;
        assert!(is_detected(&server).await, "byte {at}");
        restore(&file).await;
    }
    for sql in [
        "UPDATE audit_heads SET seq = seq + 1",
        "UPDATE audit_heads SET seq = seq - 1",
        "UPDATE audit_heads SET hash = 'x'",
        "DELETE FROM audit_heads WHERE tenant = 'acme'",
        "DELETE FROM audit WHERE tenant = 'acme'",
        "UPDATE audit SET tenant = 'other' WHERE tenant = 'acme'; UPDATE audit_heads SET tenant = 'other' WHERE tenant = 'acme'",
    ] {
        file.run(sql).await;
        tried += 1;
        assert!(is_detected(&server).await, "{sql}");
        restore(&file).await;
    }
    assert!(!is_detected(&server).await);
    println!("{tried} changes, all detected");
    assert!(tried > 400, "{tried}");
    file.close().await;
}

/// Changes one byte of a record, counted from 1.
fn flip(file: &File, at: i64, this: &str) -> String {
    let other = format!("CASE substr(record, {at}, 1) WHEN x'20' THEN x'21' ELSE x'20' END");
    let changed = file.with_byte("record", at, &other);
    format!("UPDATE audit SET record = {changed} WHERE {this}")
}

/// A server on which `refunds` was offered to the agent, and stopped before it was loaded.
async fn offered() -> (TestServer, String, String, String) {
    let mut server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let files = json!([{"path": "a", "text": "the file of refunds"}]);
    publish(&people.root, "global", "refunds", bundle("refunds", files))
        .await
        .expect(201);
    people
        .root
        .create("global", "other", "something else")
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let human = people.human("tom").await;
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    server.stop().await;
    (
        server,
        offer,
        agent.token().to_owned(),
        human.token().to_owned(),
    )
}

async fn refuses_the_body(server: &TestServer, offer: &str, agent: &str, human: &str) {
    let agent = server.client().with_token(agent);
    let answer = agent
        .load(offer, "refunds")
        .await
        .expect_problem(500, "body-unreadable");
    assert_eq!(
        answer.detail(),
        "Skill \"refunds\" is listed but its body could not be read."
    );
    // What was hashed and did not fit is not remembered as read.
    agent
        .load(offer, "refunds")
        .await
        .expect_problem(500, "body-unreadable");
    agent.load(offer, "other").await.expect(200);
    let human = server.client().with_token(human);
    for path in [
        "/v1/skills/global/refunds",
        "/v1/skills/global/refunds/revisions/1",
    ] {
        let answer = human.get(path).await;
        assert_eq!(answer.status, 500, "{path}");
        assert!(answer.body.get("body").is_none(), "{path}: {}", answer.body);
    }
}

#[tokio::test]
async fn a_body_with_a_changed_byte_is_never_handed_out() {
    let (mut server, offer, agent, human) = offered().await;
    let file = File::of(&server.directory).await;
    let length = file
        .number("SELECT size FROM revisions WHERE name = 'refunds'")
        .await;
    file.close().await;
    for at in [1, length / 2, length - 1, length] {
        let change = |file: &File, from: &str, to: &str| {
            let changed = file.with_byte("bytes", at, to);
            format!(
                "UPDATE contents SET bytes = {changed} \
                 WHERE sha256 = (SELECT content FROM revisions WHERE name = 'refunds') AND substr(bytes, {at}, 1) = {from}"
            )
        };
        let file = File::of(&server.directory).await;
        let byte: Vec<u8> = file
            .rows(&format!(
                "SELECT substr(bytes, {at}, 1) FROM contents WHERE sha256 = (SELECT content FROM revisions WHERE name = 'refunds')"
            ))
            .await[0]
            .try_get_by_index(0)
            .unwrap();
        let (before, after) = (
            format!("x'{:02x}'", byte[0]),
            format!("x'{:02x}'", byte[0] ^ 1),
        );
        file.run(&change(&file, &before, &after)).await;
        file.close().await;
        server.restart().await;
        refuses_the_body(&server, &offer, &agent, &human).await;
        server.stop().await;
        let file = File::of(&server.directory).await;
        file.run(&change(&file, &after, &before)).await;
        file.close().await;
    }
    server.restart().await;
    server
        .client()
        .with_token(agent)
        .load(&offer, "refunds")
        .await
        .expect(200);
}

/// Whoever rewrites body, digests and pointers so that they fit each other still cannot change what was offered.
#[tokio::test]
async fn a_body_that_was_swapped_consistently_is_not_what_was_pinned() {
    let (mut server, offer, agent, _) = offered().await;
    let file = File::of(&server.directory).await;
    file.suspend_triggers().await;
    file.run(
        "UPDATE revisions SET (digest, content, size, body_offset) = \
         (SELECT digest, content, size, body_offset FROM revisions WHERE name = 'other') WHERE name = 'refunds';",
    )
    .await;
    file.close().await;
    server.restart().await;
    let client: Client = server.client().with_token(agent);
    client
        .load(&offer, "refunds")
        .await
        .expect_problem(500, "body-unreadable");
}

#[tokio::test]
async fn a_body_that_is_gone_is_unreadable() {
    let (mut server, offer, agent, human) = offered().await;
    let file = File::of(&server.directory).await;
    file.run("DELETE FROM contents WHERE sha256 = (SELECT content FROM revisions WHERE name = 'refunds')")
        .await;
    file.close().await;
    server.restart().await;
    refuses_the_body(&server, &offer, &agent, &human).await;
}

/// The bytes of a file, its path, its size and its digest are what the revision's digest pins.
#[tokio::test]
async fn a_file_that_was_changed_is_never_handed_out() {
    let (mut server, offer, agent, human) = offered().await;
    let admin = |server: &TestServer| server.client().with_token(agent.clone());
    let load = json!({"offer": offer, "name": "refunds", "path": "a"});
    let file = File::of(&server.directory).await;
    let words = ["file", "fire"];
    let [burnt, whole] = [words, [words[1], words[0]]].map(|[word, by]| {
        let changed = file.with_word("bytes", word, by);
        format!("UPDATE blobs SET bytes = {changed}")
    });
    file.close().await;
    for (change, undo, body_too) in [
        (burnt.as_str(), whole.as_str(), false),
        (
            "CREATE TABLE kept_blobs AS SELECT * FROM blobs; DELETE FROM blobs",
            "INSERT INTO blobs SELECT * FROM kept_blobs; DROP TABLE kept_blobs",
            false,
        ),
        (
            "UPDATE revision_files SET path = 'b'",
            "UPDATE revision_files SET path = 'a'",
            true,
        ),
        (
            "UPDATE revision_files SET size = size + 1",
            "UPDATE revision_files SET size = size - 1",
            true,
        ),
        (
            "CREATE TABLE kept_files AS SELECT * FROM revision_files; DELETE FROM revision_files",
            "INSERT INTO revision_files SELECT * FROM kept_files; DROP TABLE kept_files",
            true,
        ),
        (
            "UPDATE revisions SET files = 0",
            "UPDATE revisions SET files = 1 WHERE name = 'refunds'",
            true,
        ),
    ] {
        let file = File::of(&server.directory).await;
        file.let_content_change().await;
        file.run(change).await;
        file.close().await;
        assert!(!is_detected(&server).await, "audit holds other things");
        server.restart().await;
        let client = admin(&server);
        for _ in 0..2 {
            let answer = client
                .post("/v1/load/file", load.clone())
                .await
                .expect_problem(500, "body-unreadable");
            assert_eq!(
                answer.detail(),
                "Skill \"refunds\" is listed but its body could not be read."
            );
        }
        let loaded = client.load(&offer, "refunds").await;
        assert_eq!(loaded.status, if body_too { 500 } else { 200 }, "{change}");
        let human = server.client().with_token(human.clone());
        let path = "/v1/skills/global/refunds/revisions/1/file?path=a";
        human.get(path).await.expect_problem(500, "internal");
        server.stop().await;
        let file = File::of(&server.directory).await;
        file.let_content_change().await;
        file.run(undo).await;
        file.close().await;
    }
    server.restart().await;
    let answer = admin(&server).post("/v1/load/file", load).await.expect(200);
    assert_eq!(answer.body["text"], "the file of refunds");
}

/// A snapshot that was changed is not what the turn was offered.
#[tokio::test]
async fn a_changed_snapshot_gives_no_turn() {
    let (mut server, _, agent, _) = offered().await;
    let file = File::of(&server.directory).await;
    file.suspend_triggers().await;
    let changed = file.with_word("content", "refunds", "payroll");
    file.run(&format!("UPDATE snapshots SET content = {changed}"))
        .await;
    file.close().await;
    server.restart().await;
    let client = server.client().with_token(agent);
    // Today's catalog is another one, so that the turn's own has to be read.
    client.create("actor:tom", "own", "own").await.expect(201);
    client.turn("t-1").await.expect_problem(500, "internal");
}
