//! The tables themselves, and running migrations.

use sea_orm::ConnectionTrait as _;
use sea_orm::{ConnectOptions, Database};
use vestry_migration::{Migrator, MigratorTrait as _, migrate, pending, secure};

use super::{APP, Empty, OWNER};
use super::{column, migrated, value};

/// Every text column of whatever has storage, with its collation.
const OTHER_COLLATIONS: &str = "SELECT c.relname || '.' || a.attname FROM pg_attribute AS a \
    JOIN pg_class AS c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'i') AND c.relnamespace = 'public'::regnamespace \
    WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attcollation <> 0 AND a.attcollation <> 'pg_catalog.\"C\"'::regcollation";

const UNGUARDED: &str = "SELECT c.relname::text FROM pg_class AS c \
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped \
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND NOT (c.relrowsecurity AND c.relforcerowsecurity \
    AND EXISTS (SELECT 1 FROM pg_policy AS p WHERE p.polrelid = c.oid AND p.polcmd = '*' AND p.polpermissive))";

#[tokio::test]
async fn all_migrations_run_and_all_texts_are_compared_by_bytes() {
    let Some(database) = migrated().await else {
        return;
    };
    let db = database.superuser().await;
    let texts: i64 = value(
        &db,
        "SELECT count(*) FROM information_schema.columns WHERE table_schema = 'public' AND data_type IN ('text', 'character varying')",
    )
    .await;
    assert!(texts > 100, "{texts}");
    assert_eq!(
        column::<String, _>(&db, OTHER_COLLATIONS).await.unwrap(),
        Vec::<String>::new()
    );
    assert!(pending(&db).await.unwrap().is_empty());
}

#[tokio::test]
async fn tables_and_columns_are_those_of_sqlite() {
    let Some(database) = migrated().await else {
        return;
    };
    let db = database.superuser().await;
    let mut options = ConnectOptions::new("sqlite::memory:");
    options.max_connections(1);
    let lite = Database::connect(options).await.unwrap();
    migrate(&lite, None).await.unwrap();
    // What reads them distinguishes these types and no more.
    let wanted: Vec<String> = column(
        &lite,
        "SELECT t.name || '.' || c.name || ' ' || CASE lower(c.type) \
         WHEN 'varchar' THEN 'text' WHEN 'integer' THEN 'bigint' WHEN 'varbinary_blob(4294967295)' THEN 'bytea' ELSE lower(c.type) END \
         || CASE WHEN c.\"notnull\" OR c.pk THEN '' ELSE ' null' END || CASE WHEN c.pk THEN ' key ' || c.pk ELSE '' END \
         FROM sqlite_schema AS t JOIN pragma_table_info(t.name) AS c \
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' ORDER BY 1",
    )
    .await
    .unwrap();
    let mut found: Vec<String> = column(
        &db,
        "SELECT c.relname || '.' || a.attname || ' ' || CASE format_type(a.atttypid, NULL) \
         WHEN 'character varying' THEN 'text' ELSE format_type(a.atttypid, NULL) END \
         || CASE WHEN a.attnotnull THEN '' ELSE ' null' END \
         || coalesce(' key ' || array_position(i.indkey::int2[], a.attnum) + 1, '') \
         FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
         JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary \
         WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace",
    )
    .await
    .unwrap();
    found.sort();
    assert_eq!(found, wanted);
}

#[tokio::test]
async fn every_table_of_tenants_is_behind_a_policy() {
    let Some(database) = migrated().await else {
        return;
    };
    let db = database.superuser().await;
    assert_eq!(
        column::<String, _>(&db, UNGUARDED).await.unwrap(),
        Vec::<String>::new()
    );
    let guarded: i64 = value(
        &db,
        "SELECT count(*) FROM pg_policy WHERE polname = 'vestry_tenants'",
    )
    .await;
    assert!(guarded > 25, "{guarded}");
    // One that a later migration makes needs nobody to remember it.
    let owner = database.connect(OWNER).await;
    owner
        .execute_unprepared("CREATE TABLE later (tenant text PRIMARY KEY, name text)")
        .await
        .unwrap();
    assert_eq!(
        column::<String, _>(&db, UNGUARDED).await.unwrap(),
        ["later"]
    );
    secure(&owner).await.unwrap();
    secure(&owner).await.unwrap();
    assert_eq!(
        column::<String, _>(&db, UNGUARDED).await.unwrap(),
        Vec::<String>::new()
    );
}

#[tokio::test]
async fn who_migrates_at_once_migrates_one_after_another() {
    let Some(database) = Empty::new().await else {
        return;
    };
    let (one, other) = (database.connect(OWNER).await, database.connect(OWNER).await);
    let names: Vec<String> = Migrator::migrations()
        .iter()
        .map(|migration| migration.name().to_owned())
        .collect();
    assert_eq!(pending(&one).await.unwrap(), names);
    let (first, second) = tokio::join!(migrate(&one, Some(APP)), migrate(&other, Some(APP)));
    let mut ran = [first.unwrap(), second.unwrap()];
    ran.sort();
    assert_eq!(ran, [Vec::new(), names]);
}

#[tokio::test]
async fn migrations_of_a_newer_program_are_no_error() {
    let Some(database) = migrated().await else {
        return;
    };
    let owner = database.connect(OWNER).await;
    let last: String = value(&owner, "SELECT max(version) FROM seaql_migrations").await;
    owner
        .execute_unprepared(
            "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20990101_000099_future', 1)",
        )
        .await
        .unwrap();
    assert!(pending(&owner).await.unwrap().is_empty());
    assert!(migrate(&owner, None).await.unwrap().is_empty());
    owner
        .execute_unprepared(&format!(
            "DELETE FROM seaql_migrations WHERE version = '{last}'"
        ))
        .await
        .unwrap();
    let app = database.connect(APP).await;
    assert_eq!(pending(&app).await.unwrap(), [last]);
}

/// What fails leaves nothing behind.
#[tokio::test]
async fn a_migration_that_fails_changes_nothing() {
    let Some(database) = Empty::new().await else {
        return;
    };
    let owner = database.connect(OWNER).await;
    owner
        .execute_unprepared("CREATE TABLE openings (taken text)")
        .await
        .unwrap();
    let error = migrate(&owner, None).await.unwrap_err().to_string();
    assert!(
        error.contains("roles") && error.contains("openings"),
        "{error}"
    );
    let tables: Vec<String> = column(
        &owner,
        "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
    )
    .await
    .unwrap();
    assert_eq!(tables, ["openings"]);
}
