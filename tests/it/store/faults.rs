//! Faults that were found by attacking a server, each with a test of its kind.

use serde_json::json;

use super::database::File;
use crate::harness::{Directory, People, Spawned, TestServer, elevate, login, on_postgres, run_at};

/// What SQLite does by itself on a full disk or an I/O error: it rolls back.
const ROLLS_BACK: &str = "CREATE TRIGGER poison BEFORE INSERT ON revisions WHEN NEW.name = 'poison' \
    BEGIN SELECT RAISE(ROLLBACK, 'as a full disk would'); END";
/// What PostgreSQL does: the transaction fails on a full disk, and the session ends with whoever ends it.
const FAILS_OR_ENDS: &str = "CREATE FUNCTION poison() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
    IF (SELECT count(*) FROM revisions WHERE tenant = NEW.tenant AND name LIKE 'kept-%') = 2 \
    THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF; \
    RAISE EXCEPTION 'as a full disk would' USING ERRCODE = 'disk_full'; END $$; \
    CREATE TRIGGER poison BEFORE INSERT ON revisions FOR EACH ROW WHEN (NEW.name = 'poison') EXECUTE FUNCTION poison()";

/// SQLite rolls some failing transactions back by itself: on a full disk, on an I/O error, on `RAISE(ROLLBACK)`. On PostgreSQL
/// a session may end in the middle of one. What is acknowledged after that is durable all the same (invariant 18).
#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_the_database_rolls_back_takes_no_later_write_with_it() {
    let mut server = TestServer::start().await;
    let people = People::usual(&server).await;
    let file = File::of(&server.directory).await;
    file.run(if on_postgres() {
        FAILS_OR_ENDS
    } else {
        ROLLS_BACK
    })
    .await;
    file.close().await;
    let maria = people.elevated("maria", "tenant:acme").await;
    for round in 0..3 {
        let refused = maria.create("tenant:acme", "poison", "nothing").await;
        assert!(refused.status.is_server_error(), "{}", refused.body);
        let name = format!("kept-{round}");
        maria.create("tenant:acme", &name, "this").await.expect(201);
        // A write that rolls back as it should, between two that do not.
        maria.create("tenant:acme", &name, "that").await.expect(412);
        maria
            .update("tenant:acme", &name, "the next")
            .await
            .expect(200);
    }
    maria
        .verb("tenant:acme", "kept-0", "quarantine")
        .await
        .expect(200);
    server.restart().await;
    let tom = login(&server.client(), "tom", None).await;
    for round in 0..3 {
        let read = tom
            .get(&format!("/v1/skills/tenant:acme/kept-{round}"))
            .await
            .expect(200);
        assert_eq!(read.body["revision"], 2, "{}", read.body);
    }
    let read = tom.get("/v1/skills/tenant:acme/kept-0").await.expect(200);
    assert_eq!(read.body["status"], "quarantined");
    server.stop().await;
    for chain in server.verify_audit().await {
        assert!(chain.faults.is_empty(), "{chain:?}");
    }
}

/// A publisher who adds an administrator to its tenant changes nothing about the administrator's own logins, and removing
/// it again ends none of them.
#[tokio::test(flavor = "multi_thread")]
async fn an_administrator_is_not_drawn_into_a_tenant() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let member = "/v1/tenants/acme/members/root";
    maria
        .put(member, json!({"role": "member"}))
        .await
        .expect(200);
    let root = login(&server.client(), "root", None).await;
    let me = root.get("/v1/me").await.expect(200);
    assert_eq!(me.body["scopes"], json!(["global"]));
    let root = elevate(&root, "global").await;
    maria.delete(member).await.expect(200);
    root.create("global", "handbook", "the handbook")
        .await
        .expect(201);
}

/// `vestry admin create` may run while a server starts for the first time on the same directory.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_start_and_the_first_administrator_do_not_meet() {
    for _ in 0..4 {
        let directory = Directory::new();
        let arguments = ["admin", "create", "--username", "root", "--password-stdin"];
        let (server, admin) = tokio::join!(
            Spawned::start(&directory),
            run_at(&directory, &arguments, "a long password")
        );
        assert!(
            admin.status.success(),
            "{}",
            String::from_utf8_lossy(&admin.stderr)
        );
        assert_eq!(server.terminate().await, Some(0));
    }
}

/// Records before the first are as much a fault as any other (threat 13).
#[tokio::test(flavor = "multi_thread")]
async fn records_before_the_first_are_detected() {
    let mut server = TestServer::start().await;
    People::only_root(&server).await;
    server.stop().await;
    for seq in [0, -7] {
        let file = File::of(&server.directory).await;
        if on_postgres() {
            file.suspend_triggers().await;
        } else {
            for guard in ["audit_goes_on", "audit_heads_begin", "audit_heads_go_on"] {
                file.run(&format!("DROP TRIGGER IF EXISTS {guard}")).await;
            }
        }
        file.run(&format!(
            "INSERT INTO audit SELECT tenant, {seq}, at, principal, action, target, rule, record, hash FROM audit WHERE seq = 1"
        ))
        .await;
        file.close().await;
        let chains = server.verify_audit().await;
        assert!(
            chains.iter().any(|chain| !chain.faults.is_empty()),
            "{seq}: {chains:?}"
        );
    }
}

/// What is kept of a request for repeating its answer tells nothing about a password in it: the same request has another
/// digest under other keys.
#[tokio::test(flavor = "multi_thread")]
async fn an_idempotency_row_is_no_hash_of_a_password() {
    let mut kept = Vec::new();
    for _ in 0..2 {
        let mut server = TestServer::start().await;
        if !kept.is_empty() {
            server = crate::harness::Builder {
                seed: 1,
                ..Default::default()
            }
            .start()
            .await;
        }
        let people = People::only_root(&server).await;
        let body =
            json!({"username": "tom", "password": "a secret of twelve", "display_name": "Tom"});
        let headers = [("idempotency-key", "k-1")];
        let post = hyper::Method::POST;
        people
            .root
            .send(post.clone(), "/v1/users", &headers, Some(body.clone()))
            .await
            .expect(201);
        people
            .root
            .send(post, "/v1/users", &headers, Some(body.clone()))
            .await
            .expect(201);
        server.stop().await;
        let file = File::of(&server.directory).await;
        let row = &file.rows("SELECT payload FROM idempotency_keys").await[0];
        let payload: String = row.try_get_by_index(0).unwrap();
        assert!(!payload.contains(&vestry::content::sha256_text(body.to_string().as_bytes())));
        kept.push(payload);
        file.close().await;
    }
    assert_ne!(kept[0], kept[1]);
}
