//! Every guard of SQLite is one of PostgreSQL, by the same name, and refuses the same with the same words.

use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, TransactionTrait as _,
};
use vestry_migration::migrate;

use super::OWNER;
use super::cases::{ALLOWED, REFUSED, SEED, for_postgres, for_sqlite};
use super::{as_tenants, column, migrated, refusal, value};

/// Triggers against `INSERT OR REPLACE`, which only SQLite has; a key that is there is refused by the key itself.
const ONLY_SQLITE: [&str; 2] = [
    "revision_files_are_not_replaced",
    "revisions_are_not_replaced",
];

async fn sqlite() -> DatabaseConnection {
    let mut options = ConnectOptions::new("sqlite::memory:");
    options.max_connections(1);
    let db = Database::connect(options).await.unwrap();
    migrate(&db, None).await.unwrap();
    db
}

#[tokio::test]
async fn guards_refuse_the_same_on_both_databases() {
    let Some(database) = migrated().await else {
        return;
    };
    let lite = sqlite().await;
    let mut names: Vec<String> = column(
        &lite,
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY name",
    )
    .await
    .unwrap();
    names.retain(|name| !ONLY_SQLITE.contains(&name.as_str()));
    let owner = database.connect(OWNER).await;
    let there: Vec<String> = column(
        &owner,
        "SELECT tgname::text FROM pg_trigger WHERE NOT tgisinternal",
    )
    .await
    .unwrap();
    for name in &names {
        assert!(there.contains(name), "PostgreSQL has no trigger {name}");
        let is_tried = REFUSED.iter().any(|(guard, ..)| guard == name)
            || [
                "audit_head_follows",
                "scope_size_grows",
                "scope_size_follows",
            ]
            .contains(&name.as_str());
        assert!(is_tried, "nothing tries {name}");
    }
    let tx = as_tenants(&owner, "acme,~,other").await;
    for sql in SEED {
        lite.execute_unprepared(&for_sqlite(sql)).await.unwrap();
        tx.execute_unprepared(&for_postgres(sql)).await.unwrap();
    }
    for (guard, sql, why) in REFUSED {
        let error = refusal(&lite, &for_sqlite(sql)).await;
        assert!(error.contains(why), "SQLite, {guard}: {sql}: {error}");
        let inner = tx.begin().await.unwrap();
        let error = refusal(&inner, &for_postgres(sql)).await;
        assert!(error.contains(why), "{guard}: {sql}: {error}");
        inner.rollback().await.unwrap();
    }
    for sql in ALLOWED {
        let changed = lite.execute_unprepared(&for_sqlite(sql)).await.unwrap();
        let also = tx.execute_unprepared(&for_postgres(sql)).await.unwrap();
        assert_eq!(changed.rows_affected(), also.rows_affected(), "{sql}");
    }
    for rows in [
        "SELECT tenant || seq || hash FROM audit_heads ORDER BY 1",
        "SELECT tenant || number FROM journal ORDER BY 1",
        "SELECT tenant || offered_at FROM snapshots ORDER BY 1",
    ] {
        let wanted: Vec<String> = column(&lite, rows).await.unwrap();
        assert_eq!(
            column::<String, _>(&tx, rows).await.unwrap(),
            wanted,
            "{rows}"
        );
    }
}

/// A key that is there is refused, whichever way it is inserted.
#[tokio::test]
async fn revisions_and_their_files_are_not_replaced() {
    let Some(database) = migrated().await else {
        return;
    };
    let owner = database.connect(OWNER).await;
    let tx = as_tenants(&owner, "acme").await;
    for sql in SEED {
        tx.execute_unprepared(&for_postgres(sql)).await.unwrap();
    }
    for table in ["revisions", "revision_files"] {
        let again = format!("INSERT INTO {table} SELECT * FROM {table}");
        for (how, why) in [
            ("", "duplicate key"),
            (
                " ON CONFLICT (tenant, scope_kind, scope_id, kind, name, number) DO UPDATE SET name = excluded.name",
                "immutable",
            ),
        ] {
            if table == "revision_files" && !how.is_empty() {
                continue;
            }
            let inner = tx.begin().await.unwrap();
            let error = refusal(&inner, &format!("{again}{how}")).await;
            assert!(error.contains(why), "{table}{how}: {error}");
            inner.rollback().await.unwrap();
        }
    }
}

#[tokio::test]
async fn every_column_of_a_revision_but_its_recall_is_guarded() {
    let Some(database) = migrated().await else {
        return;
    };
    let owner = database.connect(OWNER).await;
    let tx = as_tenants(&owner, "acme").await;
    for sql in SEED {
        tx.execute_unprepared(&for_postgres(sql)).await.unwrap();
    }
    let columns: Vec<String> = column(
        &tx,
        "SELECT attname::text FROM pg_attribute WHERE attrelid = 'revisions'::regclass AND attnum > 0 AND NOT attisdropped",
    )
    .await
    .unwrap();
    assert_eq!(columns.len(), 25);
    for column in columns {
        let sql = format!("UPDATE revisions SET {column} = {column}");
        if column.starts_with("recall") {
            tx.execute_unprepared(&sql).await.unwrap();
            continue;
        }
        let inner = tx.begin().await.unwrap();
        assert!(
            refusal(&inner, &sql).await.contains("immutable"),
            "{column}"
        );
        inner.rollback().await.unwrap();
    }
}

#[tokio::test]
async fn tables_of_what_is_kept_are_not_emptied() {
    let Some(database) = migrated().await else {
        return;
    };
    let owner = database.connect(OWNER).await;
    for table in [
        "audit",
        "audit_heads",
        "journal",
        "snapshots",
        "revisions",
        "revision_files",
        "blobs",
        "context_schemas",
        "proposals",
        "proposal_decisions",
    ] {
        let error = refusal(&owner, &format!("TRUNCATE {table}")).await;
        assert!(
            error.contains("kept")
                || error.contains("append-only")
                || error.contains("immutable")
                || error.contains("follow"),
            "{error}"
        );
    }
}

#[tokio::test]
async fn living_skills_are_counted_alike() {
    let Some(database) = migrated().await else {
        return;
    };
    let lite = sqlite().await;
    let owner = database.connect(OWNER).await;
    let tx = as_tenants(&owner, "acme,~").await;
    let skill = |tenant: &str, name: &str, archived: bool| {
        format!(
            "INSERT INTO skills (tenant, scope_kind, scope_id, kind, name, mode, sealed, disabled, archived, revision, last_revision, \
             description, digest, templated, recall, author_kind, author, created_at, updated_at) \
             VALUES ('{tenant}', 1, '', 0, '{name}', 0, false, false, {archived}, 1, 1, '', 'd', false, 0, 0, 'a', 1, 1)"
        )
    };
    for sql in [
        skill("acme", "one", false),
        skill("acme", "two", false),
        skill("acme", "three", true),
        skill("~", "one", false),
        "UPDATE skills SET archived = true WHERE tenant = 'acme' AND name <> 'two'".to_owned(),
        "UPDATE skills SET archived = false WHERE name = 'three'".to_owned(),
        "UPDATE skills SET archived = true WHERE tenant = '~'".to_owned(),
        "UPDATE skills SET sealed = true".to_owned(),
    ] {
        lite.execute_unprepared(&sql).await.unwrap();
        tx.execute_unprepared(&sql).await.unwrap();
    }
    for (tenant, living) in [("acme", 2), ("~", 0)] {
        let asked = format!("SELECT living FROM scope_sizes WHERE tenant = '{tenant}'");
        assert_eq!(value::<i64, _>(&lite, &asked).await, living);
        assert_eq!(value::<i64, _>(&tx, &asked).await, living);
    }
}
