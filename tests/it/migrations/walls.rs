//! Row-level security, and what the application's role may not do.

use sea_orm::{ConnectionTrait as _, TransactionTrait as _};

use super::cases::{SEED, for_postgres};
use super::{APP, OWNER};
use super::{as_tenants, column, migrated, refusal, value};

const TABLES: &str = "SELECT c.relname::text FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'tenant' \
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1";

#[tokio::test]
async fn who_names_no_tenant_sees_and_writes_nothing() {
    let Some(database) = migrated().await else {
        return;
    };
    let app = database.connect(APP).await;
    let tx = as_tenants(&app, "acme,~,other").await;
    for sql in SEED {
        tx.execute_unprepared(&for_postgres(sql)).await.unwrap();
    }
    tx.commit().await.unwrap();
    let all = database.superuser().await;
    let owner = database.connect(OWNER).await;
    let mut seen = 0;
    for table in column::<String, _>(&all, TABLES).await.unwrap() {
        let count = format!("SELECT count(*) FROM {table}");
        let rows: i64 = value(&all, &count).await;
        for (who, db) in [("application", &app), ("owner", &owner)] {
            assert_eq!(value::<i64, _>(db, &count).await, 0, "{table} as {who}");
            for (tenants, wanted) in [
                ("", 0),
                ("acm", 0),
                ("other", 0),
                ("ACME,acme2", 0),
                ("x,acme", rows),
                ("*", rows),
            ] {
                let tx = as_tenants(db, tenants).await;
                assert_eq!(
                    value::<i64, _>(&tx, &count).await,
                    wanted,
                    "{table} as {who} of {tenants}"
                );
                tx.rollback().await.unwrap();
                // It ends with the transaction, on the same connection.
                assert_eq!(value::<i64, _>(db, &count).await, 0, "{table} as {who}");
            }
        }
        seen += rows;
    }
    assert!(seen > 10, "{seen}");

    let insert = "INSERT INTO hidden_skills VALUES ('acme', 'n', 'r', 1)";
    for db in [&app, &owner] {
        assert!(refusal(db, insert).await.contains("row-level security"));
        for tenants in ["", "other", "~"] {
            let tx = as_tenants(db, tenants).await;
            assert!(
                refusal(&tx, insert).await.contains("row-level security"),
                "{tenants}"
            );
            tx.rollback().await.unwrap();
        }
        let tx = as_tenants(db, "acme").await;
        tx.execute_unprepared(insert).await.unwrap();
        let move_away = "UPDATE hidden_skills SET tenant = 'other'";
        assert!(refusal(&tx, move_away).await.contains("row-level security"));
        tx.rollback().await.unwrap();
        let others = [
            "UPDATE role_attachments SET mode = 0",
            "DELETE FROM uploads",
        ];
        for sql in others {
            assert_eq!(db.execute_unprepared(sql).await.unwrap().rows_affected(), 0);
        }
    }
}

#[tokio::test]
async fn a_policy_costs_no_look_at_each_row() {
    let Some(database) = migrated().await else {
        return;
    };
    let owner = database.connect(OWNER).await;
    let tx = as_tenants(&owner, "*").await;
    tx.execute_unprepared(
        "INSERT INTO scope_versions SELECT 'tenant' || (n % 500), 2, 'actor' || n, n FROM generate_series(1, 50000) AS n",
    )
    .await
    .unwrap();
    tx.commit().await.unwrap();
    owner
        .execute_unprepared("ANALYZE scope_versions")
        .await
        .unwrap();
    let tx = as_tenants(&owner, "tenant7").await;
    let plan = column::<String, _>(
        &tx,
        "EXPLAIN (COSTS OFF) SELECT version FROM scope_versions WHERE tenant = 'tenant7' AND scope_kind = 2 AND scope_id > 'actor1' \
         ORDER BY scope_id LIMIT 5",
    )
    .await
    .unwrap()
    .join("\n");
    // All of the question is answered by the key; the policy is left for the rows that are found.
    let by_key = "Index Cond: ((tenant = 'tenant7'::text) AND (scope_kind = 2) AND (scope_id > 'actor1'::text))";
    assert!(plan.contains(by_key), "{plan}");
    assert!(
        plan.contains("Filter: ((tenant = ANY ($0)) OR ($1 = '*'::text))"),
        "{plan}"
    );
    assert_eq!(plan.matches("InitPlan").count(), 2, "{plan}");
    assert!(!plan.contains("SubPlan"), "{plan}");
}

#[tokio::test]
async fn the_application_may_not_undo_what_holds_it() {
    let Some(database) = migrated().await else {
        return;
    };
    let app = database.connect(APP).await;
    for sql in [
        "UPDATE audit SET at = 0",
        "DELETE FROM audit",
        "TRUNCATE audit",
        "DROP TABLE audit",
        "DELETE FROM audit_heads",
        "UPDATE journal SET last_at = 0",
        "UPDATE revisions SET content = ''",
        "DELETE FROM revisions",
        "UPDATE revision_files SET size = 0",
        "UPDATE contents SET bytes = ''",
        "DELETE FROM contents",
        "UPDATE blobs SET bytes = ''",
        "DELETE FROM context_schemas",
        "DELETE FROM proposals",
        "UPDATE proposal_decisions SET approve = true",
        "DELETE FROM scope_versions",
        "INSERT INTO seaql_migrations VALUES ('m', 1)",
        "DELETE FROM seaql_migrations",
        "TRUNCATE skills",
        "ALTER TABLE skills DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE skills NO FORCE ROW LEVEL SECURITY",
        "ALTER TABLE audit DISABLE TRIGGER ALL",
        "DROP TRIGGER audit_goes_on ON audit",
        "DROP POLICY vestry_tenants ON skills",
        "CREATE POLICY mine ON skills USING (true)",
        "CREATE TABLE mine (a integer)",
        "CREATE OR REPLACE FUNCTION vestry_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$",
        "DROP FUNCTION vestry_current",
        "SET session_replication_role = replica",
        "SET ROLE \"vestry owner\"",
        "GRANT UPDATE ON audit TO PUBLIC",
    ] {
        let tx = as_tenants(&app, "*").await;
        let refused = match tx.execute_unprepared(sql).await {
            // A grant of what one may not give is a warning.
            Ok(_) => {
                assert!(sql.starts_with("GRANT"), "was not refused: {sql}");
                tx.rollback().await.unwrap();
                continue;
            }
            Err(error) => error.to_string(),
        };
        assert!(
            refused.contains("permission denied") || refused.contains("must be owner"),
            "{sql}: {refused}"
        );
        tx.rollback().await.unwrap();
    }
    // Where it is asked that no policy filters rows there is an error, and not all of them.
    let tx = as_tenants(&app, "acme").await;
    tx.execute_unprepared("SET LOCAL row_security = off")
        .await
        .unwrap();
    let error = refusal(&tx, "SELECT * FROM skills").await;
    assert!(error.contains("row-level security"), "{error}");
    tx.rollback().await.unwrap();
    let all = database.superuser().await;
    let granted: i64 = value(
        &all,
        "SELECT count(*) FROM information_schema.role_table_grants WHERE grantee = 'PUBLIC' AND table_schema = 'public'",
    )
    .await;
    assert_eq!(granted, 0);
}

/// Triggers look at the tables that they guard, whatever is in the way.
#[tokio::test]
async fn temporary_tables_deceive_no_guard() {
    let Some(database) = migrated().await else {
        return;
    };
    let app = database.connect(APP).await;
    let tx = as_tenants(&app, "acme").await;
    tx.execute_unprepared("CREATE TEMPORARY TABLE audit_heads AS SELECT 'acme' AS tenant, 41::bigint AS seq, 'x' AS hash")
        .await
        .unwrap();
    let audit = |seq: i64| {
        format!("INSERT INTO audit VALUES ('acme', {seq}, 1, 'p', 'a', 't', NULL, '', 'h')")
    };
    let inner = tx.begin().await.unwrap();
    assert!(refusal(&inner, &audit(42)).await.contains("append-only"));
    inner.rollback().await.unwrap();
    tx.execute_unprepared(&audit(1)).await.unwrap();
    assert_eq!(
        value::<i64, _>(&tx, "SELECT seq FROM public.audit_heads").await,
        1
    );
}

#[tokio::test]
async fn privileges_are_given_to_whom_does_not_own_the_tables() {
    let Some(database) = migrated().await else {
        return;
    };
    let owner = database.connect(OWNER).await;
    let error = vestry_migration::grant(&owner, OWNER)
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("owns the tables"), "{error}");
    let error = vestry_migration::grant(&owner, "no \"such\" role")
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("does not exist"), "{error}");
    vestry_migration::grant(&owner, APP).await.unwrap();
    // A table that a migration makes is the application's after the next grant.
    owner
        .execute_unprepared("CREATE TABLE later (name text)")
        .await
        .unwrap();
    let app = database.connect(APP).await;
    assert!(
        refusal(&app, "SELECT * FROM later")
            .await
            .contains("permission denied")
    );
    vestry_migration::migrate(&owner, Some(APP)).await.unwrap();
    app.execute_unprepared("DELETE FROM later").await.unwrap();
}
