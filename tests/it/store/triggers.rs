//! What the database itself refuses to whoever opens it beside the server (threat 13).

use serde_json::json;

use super::database::File;
use crate::api::files::{bundle, publish};
use crate::harness::{People, TestServer, on_postgres};

/// What is tried, and what it is refused with.
const TRIED: &[(&str, &str)] = &[
    ("UPDATE audit SET at = at + 1", "append-only"),
    (
        "UPDATE audit SET record = x'00' WHERE seq = 1",
        "append-only",
    ),
    ("DELETE FROM audit", "append-only"),
    (
        "DELETE FROM audit WHERE tenant = 'acme' AND seq = 1",
        "append-only",
    ),
    (
        "INSERT OR REPLACE INTO audit SELECT tenant, seq, at + 1, principal, action, target, rule, record, hash FROM audit WHERE seq = 1",
        "append-only",
    ),
    (
        "INSERT INTO audit SELECT tenant, seq + 100, at, principal, action, target, rule, record, hash FROM audit WHERE seq = 1",
        "append-only",
    ),
    (
        "INSERT INTO audit SELECT tenant, 0, at, principal, action, target, rule, record, hash FROM audit WHERE seq = 1",
        "append-only",
    ),
    ("UPDATE audit_heads SET seq = seq - 1", "only follow it"),
    ("UPDATE audit_heads SET seq = seq + 1", "only follow it"),
    ("UPDATE audit_heads SET hash = 'x'", "only follow it"),
    ("UPDATE audit_heads SET tenant = 'x'", "only follow it"),
    ("DELETE FROM audit_heads", "only follow it"),
    (
        "INSERT OR REPLACE INTO audit_heads SELECT tenant, 1, (SELECT hash FROM audit AS a WHERE a.tenant = h.tenant AND a.seq = 1) FROM audit_heads AS h",
        "only follow it",
    ),
    (
        "INSERT INTO audit_heads VALUES ('nobody', 1, 'x')",
        "only follow it",
    ),
    ("UPDATE journal SET content = x'00'", "append-only"),
    ("UPDATE journal SET last_at = 0", "append-only"),
    ("DELETE FROM journal", "90 days"),
    (
        "DELETE FROM journal WHERE number = (SELECT max(number) FROM journal)",
        "90 days",
    ),
    (
        "INSERT OR REPLACE INTO journal SELECT tenant, number, first_at, last_at, records, x'00' FROM journal",
        "append-only",
    ),
    ("UPDATE snapshots SET content = x'00'", "immutable"),
    ("UPDATE snapshots SET digest = 'x'", "immutable"),
    (
        "INSERT OR REPLACE INTO snapshots SELECT tenant, digest, x'00', offered_at FROM snapshots",
        "immutable",
    ),
    (
        "INSERT OR REPLACE INTO revisions SELECT * FROM revisions",
        "immutable",
    ),
    (
        "INSERT OR REPLACE INTO revision_files SELECT * FROM revision_files",
        "immutable",
    ),
    ("DELETE FROM revisions", "kept"),
    ("UPDATE revision_files SET path = 'b'", "immutable"),
    ("UPDATE revision_files SET size = size", "immutable"),
    ("DELETE FROM revision_files", "kept"),
    ("UPDATE blobs SET bytes = x'00'", "immutable"),
    ("DELETE FROM blobs", "kept"),
];

/// `INSERT OR REPLACE`, which PostgreSQL has not: a row whose key is there becomes an update of everything in it.
async fn spelled(file: &File, sql: &str) -> String {
    let Some(rest) = sql.strip_prefix("INSERT OR REPLACE INTO ") else {
        return sql.to_owned();
    };
    if !on_postgres() {
        return sql.to_owned();
    }
    let table = rest.split(' ').next().unwrap();
    let of_key = format!(
        "SELECT string_agg(a.attname::text, ', ') FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid \
         AND a.attnum = ANY (i.indkey) WHERE i.indisprimary AND i.indrelid = '{table}'::regclass"
    );
    let key: String = file.rows(&of_key).await[0].try_get_by_index(0).unwrap();
    let sets: Vec<String> = columns(file, table)
        .await
        .iter()
        .map(|column| format!("{column} = excluded.{column}"))
        .collect();
    format!(
        "INSERT INTO {rest} ON CONFLICT ({key}) DO UPDATE SET {}",
        sets.join(", ")
    )
}

async fn columns(file: &File, table: &str) -> Vec<String> {
    let sql = if on_postgres() {
        format!(
            "SELECT attname::text FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0"
        )
    } else {
        format!("SELECT name FROM pragma_table_info('{table}')")
    };
    let rows = file.rows(&sql).await;
    rows.iter()
        .map(|row| row.try_get_by_index(0).unwrap())
        .collect()
}

/// Tries everything as whoever the connection is; gives how many columns of a revision were refused. The grants may refuse
/// before the triggers do, where a role has not all of them.
async fn tries_everything(file: &File, may_be_forbidden: bool) -> usize {
    let refused = |error: &str, why: &str| {
        error.contains(why) || may_be_forbidden && error.contains("permission denied for table")
    };
    for (sql, why) in TRIED {
        let error = file.try_run(&spelled(file, sql).await).await.unwrap_err();
        assert!(refused(&error, why), "{sql}: {error}");
    }
    let mut refusals = 0;
    for column in columns(file, "revisions").await {
        let outcome = file
            .try_run(&format!("UPDATE revisions SET {column} = {column}"))
            .await;
        // A recall is the one thing about a revision that changes (invariant 15).
        if column.starts_with("recall") {
            outcome.unwrap();
        } else {
            let error = outcome.unwrap_err();
            assert!(refused(&error, "immutable"), "{column}: {error}");
            refusals += 1;
        }
    }
    refusals
}

#[tokio::test]
async fn triggers_refuse_to_change_what_is_kept() {
    let mut server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let files = json!([{"path": "a", "text": "a"}]);
    publish(&people.root, "global", "refunds", bundle("refunds", files))
        .await
        .expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    agent.turn("t-1").await.expect(200);
    server.stop().await;
    let Some(database) = server.directory.postgres().await else {
        let file = File::of(&server.directory).await;
        assert_eq!(tries_everything(&file, false).await, 22);
        file.close().await;
        return;
    };
    // The owner of the tables has every privilege, and still changes nothing of what is kept; nor does a server's role.
    for (url, is_owner) in [
        (&database.owner_url, true),
        (&database.application_url, false),
    ] {
        let file = File::at_url(url).await;
        let forbidden = file
            .try_run("SET session_replication_role = replica")
            .await
            .unwrap_err();
        assert!(forbidden.contains("permission denied"), "{forbidden}");
        // Without this no row is seen, and so none refused.
        file.run("SET vestry.tenants = '*'").await;
        assert_eq!(tries_everything(&file, !is_owner).await, 22);
        for table in ["audit", "audit_heads", "journal", "revisions", "blobs"] {
            let error = file
                .try_run(&format!("TRUNCATE {table} CASCADE"))
                .await
                .unwrap_err();
            let why = if is_owner {
                "kept"
            } else {
                "permission denied"
            };
            let refused = [why, "append-only", "only follow it"];
            assert!(
                refused.iter().any(|why| error.contains(why)),
                "{table}: {error}"
            );
        }
        file.close().await;
    }
}

/// The journal is dropped by its age, and not before; what is dropped so is no fault.
#[tokio::test]
async fn the_journal_goes_when_it_is_old() {
    let mut server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    agent.turn("t-1").await.expect(200);
    server.stop().await;
    let file = File::of(&server.directory).await;
    let kept = file.number("SELECT count(*) FROM journal").await;
    assert!(kept > 0);
    file.close().await;

    // A day after their age; nobody has written since.
    server.advance(91 * 24 * 60 * 60);
    server.restart().await;
    server.stop().await;
    let file = File::of(&server.directory).await;
    assert_eq!(file.number("SELECT count(*) FROM journal").await, kept);
    file.close().await;

    // Something newer is there, and an hour later house is kept.
    server.restart().await;
    let client = server.client();
    let greta = crate::harness::login(&client, "greta", None).await;
    greta.post("/v1/catalog", json!({})).await.expect(200);
    greta.get("/v1/audit").await.expect(200);
    server.advance(2 * 60 * 60);
    let newest = "SELECT min(last_at) < max(last_at) - 7776000000000 FROM journal";
    for _ in 0..200 {
        let file = File::of(&server.directory).await;
        let has_old = file.number(newest).await;
        file.close().await;
        if has_old == 0 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    server.stop().await;
    let file = File::of(&server.directory).await;
    assert_eq!(file.number(newest).await, 0);
    assert_eq!(
        file.number("SELECT count(*) FROM journal WHERE tenant = 'acme'")
            .await,
        0
    );
    file.close().await;
    let reports = server.verify_audit().await;
    assert!(
        reports.iter().all(|report| report.faults.is_empty()),
        "{reports:?}"
    );
}
