//! Errors that PostgreSQL raises in the middle of a write: nothing of it is there, and the same request succeeds later.

use super::{Scene, unavailable};

#[tokio::test(flavor = "multi_thread")]
async fn what_the_database_raises_has_its_answer() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    let mut revision = 2;
    for (state, what, codes) in [
        ("40001", "serialization failure", ["busy"]),
        ("40P01", "deadlock", ["busy"]),
        ("55P03", "lock not available", ["busy"]),
        ("57014", "statement timeout", ["busy"]),
        ("53100", "disk full", ["database-unavailable"]),
        ("53300", "too many connections", ["database-unavailable"]),
        ("57P01", "admin shutdown", ["database-unavailable"]),
        ("58030", "input or output error", ["database-unavailable"]),
    ] {
        let database = &scene.ground.database;
        for table in ["revisions", "audit", "idempotency_keys"] {
            let raise = format!(
                "CREATE OR REPLACE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'secret detail' USING ERRCODE = '{state}'; END $$;\n\
                 CREATE TRIGGER a_test_fails BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION fails();\n"
            );
            database.sql(&raise).await;
            let key = format!("{state}-{table}");
            let to = 1 + revision % 2;
            let answer = unavailable(scene.write(&key, to).await, &codes);
            let said = String::from_utf8_lossy(&answer.bytes).into_owned();
            assert!(!said.contains("secret detail"), "{said}");
            assert_eq!(scene.revision().await, revision, "{what} at {table}");
            database
                .sql(&format!("DROP TRIGGER a_test_fails ON {table}"))
                .await;
            let again = scene.write(&key, to).await.expect(200);
            revision += 1;
            assert_eq!(again.body["revision"], revision, "{what} at {table}");
        }
    }
    scene.holds().await;
}

/// The last moment: what only the commit finds out.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_commit_raises_has_its_answer_too() {
    let Some(scene) = Scene::new().await else {
        return;
    };
    let database = &scene.ground.database;
    for (state, code) in [("40001", "busy"), ("53100", "outcome-unknown")] {
        let raise = format!(
            "CREATE OR REPLACE FUNCTION fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{state}'; END $$;\n\
             CREATE CONSTRAINT TRIGGER a_test_fails AFTER INSERT ON audit DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fails();\n"
        );
        database.sql(&raise).await;
        let before = scene.revision().await;
        let to = 1 + before % 2;
        unavailable(scene.write(state, to).await, &[code]);
        assert_eq!(scene.revision().await, before);
        database.sql("DROP TRIGGER a_test_fails ON audit").await;
        let again = scene.write(state, to).await.expect(200);
        assert_eq!(again.body["revision"], before + 1);
    }
    scene.holds().await;
}
