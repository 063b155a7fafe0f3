//! Databases for tests: each its own, like the template, and gone after the test.

use std::time::Duration;

use crate::harness::postgres::{APPLICATION, Template, TestDatabase};

static TEMPLATE: Template = Template::new("harness");

pub(super) async fn database() -> Option<TestDatabase> {
    TEMPLATE
        .database(async |owner| {
            let sql = format!(
                "CREATE TABLE kept (n int);\nGRANT SELECT, INSERT ON kept TO {APPLICATION};\nINSERT INTO kept VALUES (1);\n"
            );
            fill(owner, &sql).await;
        })
        .await
}

/// Runs statements through the driver that the store uses.
async fn fill(url: &str, sql: &str) {
    use sea_orm::ConnectionTrait as _;
    let connection = sea_orm::Database::connect(url).await.unwrap();
    connection.execute_unprepared(sql).await.unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn every_test_has_a_database_of_its_own() {
    let Some(first) = database().await else {
        return;
    };
    let second = database().await.unwrap();
    fill(&first.application_url, "INSERT INTO kept VALUES (2)").await;
    let count = "SELECT count(*) FROM kept";
    assert_eq!(first.sql(count).await, "2");
    assert_eq!(second.sql(count).await, "1");

    let url = &first.application_url;
    let refused = first.cluster.try_sql(url, "DROP TABLE kept").await;
    assert!(refused.unwrap_err().contains("must be owner"));
    let powers = "SELECT rolname, rolsuper, rolbypassrls FROM pg_roles WHERE rolname IN ('vestry_app', 'vestry_owner') ORDER BY 1";
    assert_eq!(first.sql(powers).await, "vestry_app|f|f\nvestry_owner|f|f");
    let owner = first.cluster.try_sql(&first.owner_url, "DROP TABLE kept");
    owner.await.unwrap();

    // Dropped though somebody is connected to it.
    let name = second.name.clone();
    let connected = sea_orm::Database::connect(&second.application_url)
        .await
        .unwrap();
    drop(second);
    let there = format!("SELECT count(*) FROM pg_database WHERE datname = '{name}'");
    for _ in 0..500 {
        if first.sql(&there).await == "0" {
            connected.ping().await.unwrap_err();
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{name} is still there");
}

/// Tests run on many threads, each with a runtime of its own, and begin at once.
#[test]
fn many_tests_may_begin_at_once() {
    let threads: Vec<_> = (0..16)
        .map(|_| {
            std::thread::spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread()
                    .enable_all()
                    .build()
                    .unwrap();
                runtime.block_on(async {
                    let database = database().await?;
                    fill(&database.application_url, "INSERT INTO kept VALUES (2)").await;
                    assert_eq!(database.sql("SELECT count(*) FROM kept").await, "2");
                    Some(database.name.clone())
                })
            })
        })
        .collect();
    let names: Option<Vec<String>> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    let Some(mut names) = names else {
        return;
    };
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 16);
}
