//! What is refused, and in which words.

use serde_json::json;

use super::{FILE, Place, Shell, grown, names, text};
use crate::harness::{Builder, Directory, TestServer, sqlite_only};
use crate::store::database::File;

/// A server that was stopped, and a backup of it.
async fn backed_up() -> (TestServer, Shell, Place) {
    let mut server = TestServer::start().await;
    grown(&server).await;
    server.stop().await;
    let (shell, place) = (Shell::alone(), Place::new());
    shell
        .backup(server.directory.path(), &place.text("backup"))
        .await;
    (server, shell, place)
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_is_left_to_its_own_tools() {
    let (shell, place) = (Shell::alone(), Place::new());
    let file = place.text("backup");
    let url = "postgres://nobody:seven-quiet-robes@127.0.0.1:1/nothing";
    let sentence = shell
        .run(&["backup", &file, "--database-url", url])
        .await
        .sentence(1);
    assert!(sentence.contains("pg_dump"), "{sentence}");
    assert!(!sentence.contains("seven-quiet-robes"), "{sentence}");
    assert_eq!(names(place.around.path()), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_over() {
    if sqlite_only(FILE) {
        return;
    }
    let (server, shell, place) = backed_up().await;
    let data = text(server.directory.path());
    let bytes = std::fs::read(place.path("backup")).unwrap();
    let file = place.text("backup");
    let again = ["backup", &file, "--data", &data];
    let sentence = shell.run(&again).await.sentence(1);
    assert!(
        sentence.contains("exists already, and nothing is written over"),
        "{sentence}"
    );
    assert_eq!(std::fs::read(place.path("backup")).unwrap(), bytes);
    assert_eq!(names(place.around.path()), ["backup"]);
    // A link to nowhere is a name that is taken, too.
    let link = place.text("link");
    std::os::unix::fs::symlink("nowhere", &link).unwrap();
    let sentence = shell
        .run(&["backup", &link, "--data", &data])
        .await
        .sentence(1);
    assert!(sentence.contains("exists already"), "{sentence}");

    let sentence = shell
        .run(&["restore", &file, "--data", &data])
        .await
        .sentence(1);
    assert!(sentence.contains("is not empty ("), "{sentence}");
    let sentence = shell
        .run(&["restore", &file, "--data", &link])
        .await
        .sentence(1);
    assert!(sentence.contains("check the path"), "{sentence}");
    let sentence = shell
        .run(&["restore", &file, "--data", &file])
        .await
        .sentence(1);
    assert!(sentence.contains("is no directory"), "{sentence}");
    assert_eq!(
        shell.run(&["restore", &file]).await.code,
        2,
        "--data is asked for"
    );
    assert_eq!(shell.run(&["backup"]).await.code, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_database_is_said_to_be_none() {
    if sqlite_only(FILE) {
        return;
    }
    let (shell, place) = (Shell::alone(), Place::new());
    std::fs::write(place.path("empty"), b"").unwrap();
    std::fs::write(
        place.path("text"),
        "a text, long enough for a page\n".repeat(100),
    )
    .unwrap();
    std::fs::write(place.path("other"), [0; 8192]).unwrap();
    std::fs::create_dir(place.path("directory")).unwrap();
    for (name, words) in [
        ("missing", "cannot read"),
        ("empty", "not a database"),
        ("text", "not a database"),
        ("other", "not a database"),
        ("directory", "no file"),
    ] {
        let file = place.text(name);
        let into = place.text("into");
        let restored = shell.run(&["restore", &file, "--data", &into]).await;
        let sentence = restored.sentence(1);
        assert!(
            sentence.contains(&file) && sentence.contains(words),
            "{sentence}"
        );
        assert!(!place.path("into").exists());
        let sentence = shell.run(&["verify", &file]).await.sentence(1);
        assert!(sentence.contains(&file), "{sentence}");
    }
    // A database of somebody else.
    let file = File::at(&{
        let path = place.path("foreign");
        std::fs::write(&path, b"").unwrap();
        path
    })
    .await;
    file.run("CREATE TABLE x (y); INSERT INTO x VALUES (1)")
        .await;
    file.close().await;
    for arguments in [
        vec!["verify", "foreign"],
        vec!["restore", "foreign", "--data", "into"],
    ] {
        let mut command = shell.command(&arguments);
        command.current_dir(place.around.path());
        let sentence = crate::cli::run(command, "").await.sentence(1);
        assert!(
            sentence.contains("foreign is not a database of vestry"),
            "{sentence}"
        );
    }
    assert!(!place.path("into").exists());
    let nowhere = place.text("nowhere");
    let sentence = shell
        .run(&["backup", &place.text("b"), "--data", &nowhere])
        .await
        .sentence(1);
    assert!(sentence.contains("does not exist"), "{sentence}");
    let sentence = shell.run(&["verify", "--data", &nowhere]).await.sentence(1);
    assert!(sentence.contains("does not exist"), "{sentence}");
}

/// Takes the seal off, so that what is changed then is not found by it.
fn unsealed(place: &Place) {
    let bytes = std::fs::read(place.path("backup")).unwrap();
    let length = bytes.len() / 512 * 512;
    std::fs::write(place.path("unsealed"), &bytes[..length]).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_schema_is_refused_and_an_older_one_is_brought_forward() {
    if sqlite_only(FILE) {
        return;
    }
    let (_server, shell, place) = backed_up().await;
    unsealed(&place);
    let path = place.path("unsealed");
    let name = place.text("unsealed");
    let into = place.text("into");
    let file = File::at(&path).await;
    file.run(
        "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m20990101_000099_future', 1)",
    )
    .await;
    file.close().await;
    for arguments in [
        vec!["restore", &name, "--data", &into],
        vec!["verify", &name],
    ] {
        let sentence = shell.run(&arguments).await.sentence(1);
        assert!(
            sentence
                .contains("newer version of vestry (it has the migration m20990101_000099_future)"),
            "{sentence}"
        );
        assert!(!place.path("into").exists());
    }
    let file = File::at(&path).await;
    file.run(
        "DELETE FROM seaql_migrations WHERE version LIKE '%future' OR version LIKE '%standing_turns'; \
         DROP TABLE standing_turns",
    )
    .await;
    file.close().await;
    let verified = shell.run(&["verify", &name, "--json"]).await;
    assert_eq!(verified.code, 0, "{}", verified.stderr);
    assert_eq!(
        verified.json()["pending"],
        json!(["m20261130_000013_standing_turns"])
    );
    assert_eq!(
        verified.json()["notes"].as_array().unwrap().len(),
        1,
        "it has no seal"
    );
    let restored = Directory::new();
    let into = text(restored.path());
    let ran = shell
        .run(&["restore", &name, "--data", &into, "--json"])
        .await;
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.json()["sealed"], false);
    assert!(ran.stderr.contains("has no seal"), "{}", ran.stderr);
    let again = Builder {
        seed: 5,
        ..Builder::default()
    };
    let again = again.start_on(restored).await;
    let client = again.client();
    let maria = crate::harness::login(&client, "maria", None).await;
    maria
        .get("/v1/skills/tenant:acme/refunds")
        .await
        .expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_verify_is_named_and_not_restored() {
    if sqlite_only(FILE) {
        return;
    }
    let (server, shell, place) = backed_up().await;
    unsealed(&place);
    let name = place.text("unsealed");
    let whole = shell.run(&["verify", &name, "--json"]).await;
    assert_eq!(whole.code, 0, "{}", whole.stderr);
    assert_eq!(whole.json()["ok"], true);
    for (part, number) in [
        ("revisions", 6),
        ("proposals", 1),
        ("turns", 1),
        ("openings", 1),
    ] {
        assert_eq!(whole.part(part)["checked"], number, "{part}");
    }
    for part in [
        "pages",
        "contents",
        "files",
        "skills",
        "snapshots",
        "journal",
        "audit records",
    ] {
        assert!(whole.part(part)["checked"].as_u64() > Some(0), "{part}");
    }
    let file = File::at(&place.path("unsealed")).await;
    file.drop_triggers().await;
    file.run("UPDATE revisions SET content = (SELECT max(sha256) FROM contents WHERE tenant = 'acme' \
              AND sha256 <> revisions.content) WHERE name = 'refunds' AND number = 2; \
              UPDATE revisions SET size = (SELECT length(bytes) FROM contents WHERE tenant = 'acme' \
              AND sha256 = revisions.content) WHERE name = 'refunds' AND number = 2")
        .await;
    file.close().await;
    let words = "revision 2 of tenant:acme/refunds: its digest sha256:";
    let ran = shell.run(&["verify", &name]).await;
    assert_eq!(ran.code, 1);
    assert!(
        ran.text().contains(&format!("FAULT  revisions: {words}")),
        "{}",
        ran.text()
    );
    assert!(
        ran.stderr.contains("does not verify (1 finding)"),
        "{}",
        ran.stderr
    );
    let into = place.text("into");
    let sentence = shell
        .run(&["restore", &name, "--data", &into])
        .await
        .sentence(1);
    assert!(
        sentence.contains(&format!("is not restored: revisions: {words}")),
        "{sentence}"
    );
    assert!(!place.path("into").exists());

    // The file of a server that runs, or was killed, is no backup.
    let live = place.path("live");
    std::fs::copy(server.directory.path().join("vestry.db"), &live).unwrap();
    std::fs::write(place.path("live-wal"), b"x").unwrap();
    let live = text(&live);
    let sentence = shell
        .run(&["restore", &live, "--data", &into])
        .await
        .sentence(1);
    assert!(
        sentence.contains("make a backup of it with `vestry backup`"),
        "{sentence}"
    );
    // Without anything beside it, it is the copy of a stopped one.
    std::fs::remove_file(place.path("live-wal")).unwrap();
    shell.ok(&["restore", &live, "--data", &into]).await;
    assert_eq!(names(&place.path("into")), ["vestry.db"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_is_held_against_checkpoints() {
    if sqlite_only(FILE) {
        return;
    }
    let server = TestServer::start().await;
    let (people, _) = grown(&server).await;
    let (shell, place) = (Shell::alone(), Place::new());
    let data = text(server.directory.path());
    let kept = place.text("kept");
    let key = shell.ok(&["audit", "key", "--data", &data]).await;
    let key = key.trim();
    let sign = [
        "audit",
        "checkpoint",
        "--data",
        &data,
        "--checkpoint-dir",
        &kept,
    ];
    shell.ok(&sign).await;
    let (backup, checkpoint) = (place.text("backup"), format!("{kept}/checkpoint"));
    shell.backup(server.directory.path(), &backup).await;
    let verify = ["verify", &backup, "--checkpoint", &checkpoint, "--key", key];
    let said = shell.ok(&verify).await;
    assert!(said.contains("ok     checkpoints: 1"), "{said}");
    // One that is newer than the backup says that records are missing.
    people
        .root
        .create("global", "later", "later")
        .await
        .expect(201);
    shell.ok(&sign).await;
    let ran = shell.run(&verify).await;
    assert_eq!(ran.code, 1);
    assert!(ran.text().contains("the end was cut off"), "{}", ran.text());
    let without = ["verify", &backup, "--checkpoint", &checkpoint];
    assert!(shell.run(&without).await.sentence(2).contains("give --key"));
}
