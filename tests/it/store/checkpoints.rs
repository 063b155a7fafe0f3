//! What only a checkpoint shows: a chain that was cut with its head, written anew with valid hashes, or taken away whole;
//! and a journal that is not what the chain says (threat 13).

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use vestry::checkpoint::{Checkpoint, Covers, VerifierKey};
use vestry::store::{ChainReport, KnownHead};

use super::database::File;
use crate::api::files::hex;
use crate::harness::{People, TestServer, login, on_postgres};

/// A stopped server with some records in each of three chains, and some rows in the journal.
async fn chains() -> TestServer {
    let mut server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    maria
        .create("tenant:acme", "refunds", "refunds")
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let offer = agent.turn("t-1").await.expect(200).text("offer");
    agent.load(&offer, "refunds").await.expect(200);
    maria.get("/v1/audit").await.expect(200);
    agent.turn("t-2").await.expect(200);
    server.stop().await;
    server
}

fn current(server: &TestServer) -> PathBuf {
    server.directory.path().join("checkpoints/checkpoint")
}

fn key(server: &TestServer) -> VerifierKey {
    let path = server.directory.path().join("checkpoint.key");
    vestry::checkpoint::CheckpointKey::load(&path)
        .unwrap()
        .verifier()
}

fn known(note: &[u8], key: &VerifierKey) -> Vec<KnownHead> {
    let checkpoint = Checkpoint::open(note, key).unwrap();
    assert_eq!(checkpoint.covers, Covers::AllChains);
    let heads = checkpoint.heads.into_iter();
    heads
        .map(|head| KnownHead {
            head,
            checkpoint: "the checkpoint".to_owned(),
        })
        .collect()
}

async fn faults(server: &TestServer, known: &[KnownHead]) -> Vec<String> {
    let reports: Vec<ChainReport> = server.verify_audit_against(known).await;
    reports
        .into_iter()
        .flat_map(|report| report.faults)
        .collect()
}

/// Opens the database so that everything can be done to it, with copies of what it was.
async fn open(server: &TestServer) -> File {
    let file = File::of(&server.directory).await;
    file.wait_for_no_disk().await;
    file.suspend_triggers().await;
    if !on_postgres() {
        file.run("DROP TRIGGER audit_head_follows").await;
    }
    file.run(
        "CREATE TABLE kept_audit AS SELECT * FROM audit; CREATE TABLE kept_heads AS SELECT * FROM audit_heads; \
         CREATE TABLE kept_journal AS SELECT * FROM journal;",
    )
    .await;
    file
}

async fn restore(file: &File) {
    file.run(
        "DELETE FROM audit; INSERT INTO audit SELECT * FROM kept_audit; \
         DELETE FROM audit_heads; INSERT INTO audit_heads SELECT * FROM kept_heads; \
         DELETE FROM journal; INSERT INTO journal SELECT * FROM kept_journal;",
    )
    .await;
}

/// The chains as they stand: tenant, number of records.
async fn lengths(file: &File) -> Vec<(String, i64)> {
    file.rows("SELECT tenant, seq FROM kept_heads ORDER BY tenant")
        .await
        .iter()
        .map(|row| {
            (
                row.try_get_by_index(0).unwrap(),
                row.try_get_by_index(1).unwrap(),
            )
        })
        .collect()
}

#[tokio::test]
async fn a_chain_that_was_cut_with_its_head_is_detected_at_every_position() {
    let server = chains().await;
    let known = known(&std::fs::read(current(&server)).unwrap(), &key(&server));
    assert_eq!(faults(&server, &known).await, [""; 0]);
    let file = open(&server).await;
    let mut tried = 0;
    for (tenant, length) in lengths(&file).await {
        for left in 0..length {
            // What it says of the journal goes with it, so that nothing else can show it.
            file.run(&format!(
                "DELETE FROM audit WHERE tenant = '{tenant}' AND seq > {left}; \
                 DELETE FROM audit_heads WHERE tenant = '{tenant}'; \
                 INSERT INTO audit_heads SELECT tenant, seq, hash FROM audit WHERE tenant = '{tenant}' AND seq = {left}; \
                 DELETE FROM journal WHERE tenant = '{tenant}';"
            ))
            .await;
            let found = faults(&server, &known).await;
            let expected = if left == 0 {
                "and it is missing"
            } else {
                "the end was cut off"
            };
            assert!(
                found.iter().any(|fault| fault.contains(expected)),
                "{tenant} {left}: {found:?}"
            );
            tried += 1;
            restore(&file).await;
        }
    }
    println!("{tried} cuts, all detected");
    assert!(tried > 20, "{tried}");
    // The whole database of a tenant that never was.
    file.run("DELETE FROM audit; DELETE FROM audit_heads; DELETE FROM journal;")
        .await;
    assert_eq!(faults(&server, &known).await.len(), 3);
    file.close().await;
}

/// A record of a chain: its bytes, and the columns beside them.
async fn records(file: &File, tenant: &str) -> Vec<Vec<u8>> {
    file.rows(&format!(
        "SELECT record FROM kept_audit WHERE tenant = '{tenant}' ORDER BY seq"
    ))
    .await
    .iter()
    .map(|row| row.try_get_by_index(0).unwrap())
    .collect()
}

/// Computes a chain anew from a record on, as whoever knows how it is made can do.
async fn rewrite(file: &File, tenant: &str, records: &[Vec<u8>], from: usize) {
    let mut hash = hex(format!("vestry audit chain of {tenant}").as_bytes());
    for (index, record) in records.iter().enumerate() {
        hash = hex(&[hash.as_bytes(), record].concat());
        if index >= from {
            let bytes: String = record.iter().map(|byte| format!("{byte:02x}")).collect();
            let said: Value = serde_json::from_slice(record).unwrap();
            let principal = said["principal"].as_str().unwrap();
            file.run(&format!(
                "UPDATE audit SET record = x'{bytes}', hash = '{hash}', principal = '{principal}' \
                 WHERE tenant = '{tenant}' AND seq = {};",
                index + 1
            ))
            .await;
        }
    }
    file.run(&format!(
        "UPDATE audit_heads SET hash = '{hash}' WHERE tenant = '{tenant}'"
    ))
    .await;
}

#[tokio::test]
async fn a_chain_that_was_written_anew_with_valid_hashes_is_detected_at_every_position() {
    let server = chains().await;
    let known = known(&std::fs::read(current(&server)).unwrap(), &key(&server));
    let file = open(&server).await;
    let mut tried = 0;
    for (tenant, length) in lengths(&file).await {
        let before = records(&file, &tenant).await;
        assert_eq!(before.len() as i64, length);
        for position in 0..before.len() {
            let mut changed = before.clone();
            let record: Value = serde_json::from_slice(&before[position]).unwrap();
            // The bytes as a server writes them, so that nothing but the chain differs.
            changed[position] = String::from_utf8(before[position].clone())
                .unwrap()
                .replacen(
                    &format!("\"principal\":{}", record["principal"]),
                    "\"principal\":\"human:nobody\"",
                    1,
                )
                .into_bytes();
            assert_ne!(changed[position], before[position]);
            rewrite(&file, &tenant, &changed, position).await;
            // The chain by itself holds: every hash, number and column.
            let by_itself = faults(&server, &[]).await;
            assert!(
                by_itself.iter().all(|fault| fault.contains("journal")),
                "{by_itself:?}"
            );
            let found = faults(&server, &known).await;
            assert!(
                found.iter().any(|fault| fault.contains("written anew")),
                "{tenant} {position}: {found:?}"
            );
            tried += 1;
            restore(&file).await;
        }
    }
    println!("{tried} rewritings, all detected");
    assert!(tried > 20, "{tried}");
    file.close().await;
}

/// What was written since is no fault: a checkpoint speaks of what was.
#[tokio::test]
async fn a_chain_that_went_on_holds_against_every_earlier_checkpoint() {
    let mut server = chains().await;
    let early = std::fs::read(current(&server)).unwrap();
    server.restart().await;
    let maria = login(&server.client(), "maria", None).await;
    maria
        .create("actor:maria", "notes", "notes")
        .await
        .expect(201);
    let one = maria.get("/v1/audit/checkpoint").await.expect(200);
    server.stop().await;
    let late = std::fs::read(current(&server)).unwrap();
    assert_ne!(early, late);
    let key = key(&server);
    let mut all = known(&early, &key);
    all.extend(known(&late, &key));
    let of_acme = Checkpoint::open(&one.bytes, &key).unwrap();
    assert_eq!(of_acme.covers, Covers::OneChain);
    assert_eq!(of_acme.heads[0].chain, "acme");
    all.extend(of_acme.heads.into_iter().map(|head| KnownHead {
        head,
        checkpoint: "served".to_owned(),
    }));
    assert_eq!(faults(&server, &all).await, [""; 0]);
    // Both are kept under their times.
    let dated = std::fs::read_dir(server.directory.path().join("checkpoints"))
        .unwrap()
        .filter(|entry| {
            let name = entry.as_ref().unwrap().file_name();
            name.to_string_lossy().starts_with("checkpoint-")
        })
        .count();
    assert!(dated >= 1, "{dated}");
    // Nothing has changed: nothing is written.
    let before = std::fs::metadata(current(&server))
        .unwrap()
        .modified()
        .unwrap();
    server.restart().await;
    server.stop().await;
    let after = std::fs::metadata(current(&server))
        .unwrap()
        .modified()
        .unwrap();
    assert_eq!(before, after);
}

/// A server that remembers what it signed signs nothing that contradicts it.
#[tokio::test]
async fn a_server_does_not_sign_a_chain_that_was_cut_since_it_signed_it() {
    let mut server = chains().await;
    let signed = std::fs::read(current(&server)).unwrap();
    let file = open(&server).await;
    file.run(
        "DELETE FROM audit WHERE tenant = 'acme' AND seq > 2; DELETE FROM audit_heads WHERE tenant = 'acme'; \
         INSERT INTO audit_heads SELECT tenant, seq, hash FROM audit WHERE tenant = 'acme' AND seq = 2; \
         DELETE FROM journal WHERE tenant = 'acme'; \
         DROP TABLE kept_audit; DROP TABLE kept_heads; DROP TABLE kept_journal;",
    )
    .await;
    if !on_postgres() {
        // As the server's own migration has it.
        file.run(
            "CREATE TRIGGER audit_head_follows AFTER INSERT ON audit \
             BEGIN INSERT INTO audit_heads (tenant, seq, hash) VALUES (NEW.tenant, NEW.seq, NEW.hash) \
             ON CONFLICT (tenant) DO UPDATE SET seq = excluded.seq, hash = excluded.hash; END",
        )
        .await;
    }
    file.close().await;
    server.restart().await;
    let maria = login(&server.client(), "maria", None).await;
    maria
        .get("/v1/audit/checkpoint")
        .await
        .expect_problem(500, "internal");
    let root = login(&server.client(), "root", None).await;
    root.get("/v1/audit/checkpoint").await.expect(200);
    server.stop().await;
    assert_eq!(std::fs::read(current(&server)).unwrap(), signed);
}

#[tokio::test]
async fn a_journal_that_is_not_what_the_chain_says_is_detected() {
    let server = chains().await;
    let file = open(&server).await;
    assert_eq!(faults(&server, &[]).await, [""; 0]);
    let rows = file
        .rows("SELECT tenant, number, CAST(length(content) AS BIGINT) FROM kept_journal")
        .await;
    assert!(rows.len() >= 2, "{}", rows.len());
    let mut tried = 0;
    for row in rows {
        let tenant: String = row.try_get_by_index(0).unwrap();
        let number: i64 = row.try_get_by_index(1).unwrap();
        let length: i64 = row.try_get_by_index(2).unwrap();
        let this = format!("tenant = '{tenant}' AND number = {number}");
        let mut changes = vec![
            (
                format!("DELETE FROM journal WHERE {this}"),
                "missing before its age",
            ),
            (
                format!("UPDATE journal SET number = 1000 WHERE {this}"),
                "in no audit record",
            ),
            (
                format!("UPDATE journal SET last_at = last_at - 1 WHERE {this}"),
                "another time",
            ),
            (
                format!(
                    "INSERT INTO journal SELECT tenant, number + 1000, first_at, last_at, records, content FROM kept_journal WHERE {this}"
                ),
                "in no audit record",
            ),
        ];
        for at in [1, length / 2, length] {
            let changed = file.with_byte("content", at, "x'07'");
            changes.push((
                format!("UPDATE journal SET content = {changed} WHERE {this}"),
                "it was changed",
            ));
        }
        for (sql, why) in changes {
            file.run(&sql).await;
            let found = faults(&server, &[]).await;
            assert!(
                found.iter().any(|fault| fault.contains(why)),
                "{sql}: {found:?}"
            );
            tried += 1;
            restore(&file).await;
        }
    }
    let longer = file.with_byte("content", "(length(content) + 1)", "x'20'");
    file.run(&format!("UPDATE snapshots SET content = {longer}"))
        .await;
    let found = faults(&server, &[]).await;
    assert!(
        found
            .iter()
            .any(|fault| fault.contains("the snapshot sha256:")),
        "{found:?}"
    );
    println!("{tried} changes of the journal");
    file.close().await;
}

/// The parts of a signed note, by the words of <https://c2sp.org/signed-note> alone.
struct Note {
    text: String,
    name: String,
    id: [u8; 4],
    signature: Vec<u8>,
}

fn read_note(note: &str) -> Note {
    let at = note.rfind("\n\n").unwrap();
    let signatures = &note[at + 2..];
    assert_eq!(signatures.lines().count(), 1);
    let words: Vec<&str> = signatures.trim_end().split(' ').collect();
    assert_eq!((words.len(), words[0]), (3, "\u{2014}"));
    let bytes = STANDARD.decode(words[2]).unwrap();
    Note {
        text: note[..=at].to_owned(),
        name: words[1].to_owned(),
        id: bytes[..4].try_into().unwrap(),
        signature: bytes[4..].to_vec(),
    }
}

/// Another implementation of the form and of Ed25519 agrees about every checkpoint that is written and served.
#[tokio::test]
async fn checkpoints_verify_without_this_program() {
    let mut server = chains().await;
    server.restart().await;
    let client = server.client();
    let maria = login(&client, "maria", None).await;
    let root = login(&client, "root", None).await;
    let public = client.get("/v1/audit/key").await.expect(200);
    assert_eq!(public.headers["content-type"], "text/plain; charset=utf-8");
    let served = maria.get("/v1/audit/checkpoint").await.expect(200);
    let global = root.get("/v1/audit/checkpoint").await.expect(200);
    server.stop().await;

    let public = String::from_utf8(public.bytes.to_vec()).unwrap();
    let fields: Vec<&str> = public.trim_end().splitn(3, '+').collect();
    let typed = STANDARD.decode(fields[2]).unwrap();
    assert_eq!((typed.len(), typed[0]), (33, 1));
    let id = &Sha256::digest([fields[0].as_bytes(), b"\n", &typed].concat())[..4];
    assert_eq!(
        fields[1],
        id.iter().map(|b| format!("{b:02x}")).collect::<String>()
    );

    let written = std::fs::read_to_string(current(&server)).unwrap();
    let verifier = ring::signature::UnparsedPublicKey::new(&ring::signature::ED25519, &typed[1..]);
    for (note, origin) in [
        (
            String::from_utf8(served.bytes.to_vec()).unwrap(),
            "vestry/audit/acme",
        ),
        (
            String::from_utf8(global.bytes.to_vec()).unwrap(),
            "vestry/audit/~",
        ),
        (written.clone(), "vestry/audit"),
    ] {
        let note = read_note(&note);
        assert_eq!((note.name.as_str(), &note.id[..]), (fields[0], id));
        verifier
            .verify(note.text.as_bytes(), &note.signature)
            .unwrap();
        verifier
            .verify(format!("{}x", note.text).as_bytes(), &note.signature)
            .unwrap_err();
        let lines: Vec<&str> = note.text.lines().collect();
        assert_eq!(lines[0], origin);
        assert_eq!(lines[3], "time 2027-01-15T07:53:20Z");
        assert!(lines[1].parse::<u64>().unwrap() > 0);
    }
    // What it says is what is in the database.
    let file = File::of(&server.directory).await;
    let rows = file
        .rows("SELECT tenant, seq, hash FROM audit_heads ORDER BY tenant")
        .await;
    let mut lines = String::new();
    for row in &rows {
        let (tenant, seq, hash): (String, i64, String) = (
            row.try_get_by_index(0).unwrap(),
            row.try_get_by_index(1).unwrap(),
            row.try_get_by_index(2).unwrap(),
        );
        let bytes: Vec<u8> = (0..64)
            .step_by(2)
            .map(|at| u8::from_str_radix(&hash[at..at + 2], 16).unwrap())
            .collect();
        lines.push_str(&format!(
            "chain {tenant} {seq} {}\n",
            STANDARD.encode(bytes)
        ));
    }
    let expected = format!(
        "vestry/audit\n{}\n{}\ntime 2027-01-15T07:53:20Z\n{lines}",
        rows.len(),
        STANDARD.encode(Sha256::digest(&lines))
    );
    assert_eq!(read_note(&written).text, expected);
    file.close().await;
}

/// Checkpoints come by themselves, to where the operator wants them.
#[tokio::test]
async fn checkpoints_are_written_at_an_interval() {
    let elsewhere = crate::harness::Directory::new();
    let server = crate::harness::Builder {
        checkpoints: Some((
            elsewhere.path().to_owned(),
            std::time::Duration::from_millis(20),
        )),
        ..crate::harness::Builder::default()
    }
    .start()
    .await;
    let people = People::only_root(&server).await;
    let mut seen = Vec::new();
    for name in ["one", "two"] {
        people.root.create("global", name, name).await.expect(201);
        let file = File::of(&server.directory).await;
        let records = file
            .number("SELECT seq FROM audit_heads WHERE tenant = '~'")
            .await;
        file.close().await;
        let line = format!("chain ~ {records} ");
        for _ in 0..500 {
            let text =
                std::fs::read_to_string(elsewhere.path().join("checkpoint")).unwrap_or_default();
            if text.contains(&line) {
                seen.push(text);
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    }
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert!(!server.directory.path().join("checkpoints").exists());
}
