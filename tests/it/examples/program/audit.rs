//! `vestry audit verify`.

use serde_json::{Value, json};

use super::{PASSWORD, code, create_admin, elevated, one_sentence};
use crate::harness::{Directory, Spawned, on_postgres, run_at};
use crate::store::database::File;

#[tokio::test(flavor = "multi_thread")]
async fn audit_verify_tells_a_chain_that_holds_from_one_that_does_not() {
    let directory = Directory::new();
    let before = run_at(&directory, &["audit", "verify"], "").await;
    if on_postgres() {
        // The database is there as soon as it is migrated, and has no chain.
        assert_eq!(code(&before), 0);
        assert_eq!(String::from_utf8_lossy(&before.stdout).lines().count(), 0);
    } else {
        let sentence = one_sentence(&before);
        assert!(sentence.contains("does not exist"), "{sentence}");
    }

    assert_eq!(code(&create_admin(&directory, "root", PASSWORD).await), 0);
    let server = Spawned::start(&directory).await;
    let root = elevated(server.address, "root").await;
    root.post("/v1/tenants", json!({"id": "acme", "name": "Acme"}))
        .await
        .expect(201);
    let body = json!({"tenant": "acme", "name": "platform"});
    root.post("/v1/services", body).await.expect(201);

    // Beside the running server.
    let output = run_at(&directory, &["audit", "verify"], "").await;
    assert_eq!(
        code(&output),
        0,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8(output.stdout).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(
        lines[0].starts_with("ok     acme: 1 records, head "),
        "{text}"
    );
    assert!(lines[1].starts_with("ok     checkpoint "), "{text}");
    assert!(
        lines[2].starts_with("ok     global: 5 records, head "),
        "{text}"
    );
    assert_eq!(server.terminate().await, Some(0));

    let output = run_at(&directory, &["audit", "verify", "--json"], "").await;
    assert_eq!(code(&output), 0);
    let text = String::from_utf8(output.stdout).unwrap();
    let (checkpoints, chains): (Vec<Value>, Vec<Value>) = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .partition(|report: &Value| report["checkpoint"].is_string());
    assert_eq!((checkpoints.len(), chains.len()), (1, 2), "{text}");
    assert_eq!(checkpoints[0]["chains"], 2);
    for report in chains {
        assert_eq!(report["faults"], json!([]));
        assert_eq!(report["head"].as_str().unwrap().len(), 64, "{report}");
    }

    // Who can write the database rewrites a record: one letter of the service's name.
    if on_postgres() {
        let rows = File::of(&directory).await;
        rows.suspend_triggers().await;
        let changed = rows.with_word("record", "\"create-service\"", "\"create-servife\"");
        rows.run(&format!("UPDATE audit SET record = {changed}"))
            .await;
        rows.close().await;
    } else {
        let file = directory.path().join("vestry.db");
        let mut bytes = std::fs::read(&file).unwrap();
        let needle = br#""action":"create-service""#;
        let at = bytes
            .windows(needle.len())
            .position(|window| window == needle)
            .expect("the record is in the file");
        bytes[at + needle.len() - 2] = b'f';
        std::fs::write(&file, &bytes).unwrap();
    }
    let output = run_at(&directory, &["audit", "verify"], "").await;
    assert_eq!(code(&output), 1);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.lines().any(|line| line.starts_with("FAULT  acme: ")),
        "{text}"
    );
    assert!(
        text.lines().any(|line| line.starts_with("ok     global: ")),
        "{text}"
    );
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        errors,
        "vestry: the audit log does not hold (1 finding); keep the database as it is, and compare it with a backup\n"
    );
}
