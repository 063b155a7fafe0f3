//! Damage is found: any byte of a sealed backup, and of a database whatever has a digest or is named by something.

use vestry::store::{
    Database, Verification, restore, verify_directory, verify_file, verify_postgres,
};

use super::{FILE, Place, Shell, grown, names};
use crate::harness::{Directory, TestServer, knob, sqlite_only};
use crate::store::database::{File, Kind};
use crate::templates::rng::Rng;

/// Columns of what is kept for good, or names it.
const COLUMNS: [(&str, &str); 30] = [
    ("contents", "sha256"),
    ("contents", "bytes"),
    ("blobs", "sha256"),
    ("blobs", "bytes"),
    ("blobs", "size"),
    ("revisions", "name"),
    ("revisions", "number"),
    ("revisions", "digest"),
    ("revisions", "content"),
    ("revisions", "size"),
    ("revisions", "files"),
    ("revision_files", "path"),
    ("revision_files", "size"),
    ("revision_files", "sha256"),
    ("revision_files", "number"),
    ("skills", "revision"),
    ("skills", "last_revision"),
    ("skills", "digest"),
    ("skills", "description"),
    ("proposals", "digest"),
    ("proposals", "content"),
    ("proposal_files", "sha256"),
    ("snapshots", "content"),
    ("snapshots", "digest"),
    ("turns", "snapshot"),
    ("openings", "pins"),
    ("context_schemas", "text"),
    ("journal", "content"),
    ("audit", "record"),
    ("audit_heads", "hash"),
];

/// Whether something was found, or it could not be read at all.
fn is_found(verified: Result<Verification, impl Sized>) -> bool {
    verified.map_or(true, |verified| verified.faults() > 0)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_byte_of_a_backup_changes_unseen() {
    if sqlite_only(FILE) {
        return;
    }
    let positions = knob("VESTRY_DAMAGE", 150);
    let mut rng = Rng::new(knob("VESTRY_SEED", 7));
    let server = TestServer::start().await;
    grown(&server).await;
    let (shell, place) = (Shell::alone(), Place::new());
    shell
        .backup(server.directory.path(), &place.text("backup"))
        .await;
    let bytes = std::fs::read(place.path("backup")).unwrap();
    let file = place.path("damaged");
    let into = place.path("restored");
    for number in 0..positions {
        let mut damaged = bytes.clone();
        // Header and seal, and then anywhere.
        let at = match number {
            0 => 0,
            1 => bytes.len() - 1,
            2 => bytes.len() - 88,
            _ => rng.below(bytes.len()),
        };
        damaged[at] ^= 1 << rng.below(8);
        std::fs::write(&file, &damaged).unwrap();
        assert!(is_found(verify_file(&file, &[]).await), "byte {at}");
        let refused = restore(&file, &into).await.unwrap_err().to_string();
        assert!(refused.contains(" is not restored: "), "{refused}");
        assert!(!into.exists(), "byte {at}");
    }
    for number in 0..positions / 5 {
        // Cut off anywhere, also where the seal begins and at the end of a page.
        let length = match number {
            0 => bytes.len() - 1,
            1 => bytes.len() - 88 - 4096,
            2 => 0,
            _ => rng.below(bytes.len() - 88),
        };
        std::fs::write(&file, &bytes[..length]).unwrap();
        assert!(is_found(verify_file(&file, &[]).await), "{length} bytes");
        let refused = restore(&file, &into).await.unwrap_err().to_string();
        assert!(refused.contains(&file.display().to_string()), "{refused}");
        assert!(!into.exists(), "{length} bytes");
    }
    assert_eq!(names(place.around.path()), ["backup", "damaged"]);
    restore(&place.path("backup"), &into).await.unwrap();
}

/// A value as it is kept, and one with a bit of it changed.
async fn changed(file: &File, table: &str, column: &str, row: &str, rng: &mut Rng) -> [String; 2] {
    let (kind, mut bytes) = file.value(table, column, row).await;
    if kind == Kind::Number {
        let number: i64 = String::from_utf8(bytes).unwrap().parse().unwrap();
        // Beyond all others, so that no other row has its key.
        return [number.to_string(), (number + 1_000).to_string()];
    }
    let at = rng.below(bytes.len());
    let before = file.literal(kind, &bytes);
    bytes[at] ^= 1;
    [before, file.literal(kind, &bytes)]
}

async fn is_whole(directory: &Directory) -> bool {
    match directory.database().await {
        Database::Sqlite => !is_found(verify_directory(directory.path(), &[]).await),
        Database::Postgres(url) => !is_found(verify_postgres(&url, &[]).await),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_has_a_digest_does_not_change_unseen() {
    let each = knob("VESTRY_DAMAGE_EACH", 4);
    let mut rng = Rng::new(knob("VESTRY_SEED", 11));
    let mut server = TestServer::start().await;
    grown(&server).await;
    server.stop().await;
    let directory = &server.directory;
    let file = File::of(directory).await;
    file.wait_for_no_disk().await;
    file.drop_triggers().await;
    assert!(is_whole(directory).await);
    for (table, column) in COLUMNS {
        let mut rows = file.row_ids(table).await;
        assert!(!rows.is_empty(), "{table} has rows");
        for _ in 0..each {
            let chosen = rng.below(rows.len());
            let [before, after] = changed(&file, table, column, &rows[chosen], &mut rng).await;
            rows[chosen] = file.set(table, column, &after, &rows[chosen]).await;
            assert!(!is_whole(directory).await, "{table}.{column} = {after}");
            rows[chosen] = file.set(table, column, &before, &rows[chosen]).await;
        }
    }
    // What is missing, where something names it.
    for table in [
        "contents",
        "blobs",
        "revisions",
        "revision_files",
        "skills",
        "snapshots",
        "proposal_files",
        "journal",
        "audit",
        "audit_heads",
    ] {
        file.run(&format!("CREATE TABLE kept AS SELECT * FROM {table}"))
            .await;
        let rows = file.row_ids(table).await;
        let row = &rows[rng.below(rows.len())];
        file.run(&format!("DELETE FROM {table} WHERE {}", file.is_row(row)))
            .await;
        assert!(!is_whole(directory).await, "row {row} of {table}");
        file.run(&format!(
            "DELETE FROM {table}; INSERT INTO {table} SELECT * FROM kept; DROP TABLE kept"
        ))
        .await;
    }
    assert!(is_whole(directory).await, "all was put back");
}
