//! An installation that was moved from SQLite to PostgreSQL says what it said before.

use super::answers::answers;
use super::{Shell, grown, text};
use crate::harness::postgres::TestDatabase;
use crate::harness::{Builder, Directory, Shared, TestServer, migrated};
use crate::store::database::File;

/// A server on SQLite, whatever the run is on.
async fn on_sqlite() -> TestServer {
    Builder::default().start_on(Directory::in_sqlite()).await
}

impl Shell {
    async fn copy(&self, from: &str, to: &TestDatabase) -> crate::cli::Ran {
        self.run(&[
            "--json",
            "db",
            "copy",
            "--from",
            from,
            "--to",
            &to.application_url,
        ])
        .await
    }
}

async fn users(database: &TestDatabase) -> i64 {
    let file = File::at_url(&database.superuser_url).await;
    let users = file.number("SELECT count(*) FROM users").await;
    file.close().await;
    users
}

#[tokio::test(flavor = "multi_thread")]
async fn a_moved_installation_answers_as_before() {
    let Some(database) = migrated().await else {
        return;
    };
    let mut server = on_sqlite().await;
    let (people, agent) = grown(&server).await;
    let callers = [
        people.root.clone(),
        people.elevated("maria", "tenant:acme").await,
        people.human("tom").await,
        people.human("greta").await,
        agent,
    ];
    let data = server.directory.path().to_owned();
    let shell = Shell::alone();
    let url = format!("sqlite://{}/vestry.db", text(&data));
    // What it writes after the copy began would be left behind.
    let refused = shell.copy(&url, &database).await;
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("is in use"), "{}", refused.stderr);
    server.stop().await;

    let copied = shell.copy(&url, &database).await;
    assert_eq!(copied.code, 0, "{}", copied.stderr);
    let copied = copied.json();
    assert!(copied["rows"].as_u64().unwrap() > 60, "{copied}");
    assert_eq!(copied["tables"].as_array().unwrap().len(), 31, "{copied}");
    // What is there is not written over, whatever form the place is given in.
    let again = shell.copy(&text(&data), &database).await;
    assert_eq!(again.code, 1);
    assert!(again.stderr.contains("in use already"), "{}", again.stderr);

    // The keys go on, and with them tokens, turns and sessions.
    let moved = Builder {
        installation: Some(Shared {
            url: database.application_url.clone(),
            keys: data,
        }),
        ..Builder::default()
    };
    let moved = moved.start().await;
    server.restart().await;
    let expected = answers(&server, &callers).await;
    let found = answers(&moved, &callers).await;
    for (expected, found) in expected.iter().zip(&found) {
        assert_eq!(expected, found);
    }
    assert_eq!(expected.len(), found.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_kept_of_what_does_not_verify() {
    let Some(database) = migrated().await else {
        return;
    };
    let mut server = on_sqlite().await;
    let _ = grown(&server).await;
    server.stop().await;
    let file = File::open(server.directory.path()).await;
    file.drop_triggers().await;
    file.run("UPDATE contents SET bytes = x'00' WHERE sha256 = (SELECT min(sha256) FROM contents)")
        .await;
    file.close().await;
    let copied = Shell::alone()
        .copy(&text(server.directory.path()), &database)
        .await;
    assert_eq!(copied.code, 1);
    assert!(
        copied.stderr.contains("does not verify"),
        "{}",
        copied.stderr
    );
    assert_eq!(users(&database).await, 0);
}
