//! A restored server says what the one says that was backed up.

use serde_json::{Value, json};

use super::{FILE, Place, Shell, grown, names, text};
use crate::cli::mode;
use crate::harness::{Builder, Client, Directory, TestServer, sqlite_only};
use crate::store::database::File;

/// Where there is something to read; lists are short enough for one page.
const READS: [&str; 24] = [
    "/v1/me",
    "/v1/audit?limit=200",
    "/v1/audit?log=global&limit=200",
    "/v1/skills?scope=tenant:acme",
    "/v1/skills?scope=global",
    "/v1/skills/tenant:acme/refunds",
    "/v1/skills/tenant:acme/refunds/revisions",
    "/v1/skills/tenant:acme/refunds/revisions/1",
    "/v1/skills/tenant:acme/refunds/revisions/2",
    "/v1/skills/tenant:acme/refunds/revisions/3",
    "/v1/skills/tenant:acme/refunds/revisions/1/file?path=notes.md",
    "/v1/skills/tenant:acme/refunds/revisions/1/file?path=bin/large",
    "/v1/skills/tenant:acme/refunds/diff?from=1&to=2",
    "/v1/skills/tenant:acme/refunds/blame",
    "/v1/skills/global/alpha",
    "/v1/skills/global/alpha/revisions/1",
    "/v1/tenants",
    "/v1/tenants/acme/members",
    "/v1/tenants/acme/settings",
    "/v1/tenants/globex/settings",
    "/v1/tenants/acme/services",
    "/v1/users",
    "/v1/proposals",
    "/v1/context-schema",
];

/// Everything that these callers get, in the order in which it is asked for: reading leaves records too.
pub(super) async fn answers(
    server: &TestServer,
    callers: &[Client],
) -> Vec<(String, u16, Value, Vec<u8>)> {
    let mut answers = Vec::new();
    let client = server.client();
    for (number, caller) in callers.iter().enumerate() {
        let caller = client.with_token(caller.token());
        for path in READS {
            let mut answer = caller.get(path).await;
            let bytes = if answer.body.is_null() {
                answer.bytes.to_vec()
            } else {
                Vec::new()
            };
            // These two are made anew for each answer.
            if let Some(body) = answer.body.as_object_mut() {
                body.remove("next_cursor");
                body.remove("request_id");
            }
            let path = format!("{number} {path}");
            answers.push((path, answer.status.as_u16(), answer.body, bytes));
        }
    }
    for (number, caller) in callers.iter().enumerate() {
        let caller = client.with_token(caller.token());
        for turn in ["t-1", "t-2", "t-new"] {
            let answer = caller.turn(turn).await;
            let status = answer.status.as_u16();
            let body = &answer.body;
            let stable = json!([
                body["entries"],
                body["etag"],
                body["block"],
                body["omitted"],
                body["code"]
            ]);
            answers.push((format!("{number} {turn}"), status, stable, Vec::new()));
            for name in ["alpha", "refunds"] {
                let load = json!({"offer": body["offer"], "name": name});
                let answer = caller.post("/v1/load", load).await;
                let body = &answer.body;
                let stable = json!([body["body"], body["digest"], body["files"], body["code"]]);
                let path = format!("{number} {turn} {name}");
                answers.push((path, answer.status.as_u16(), stable, Vec::new()));
            }
        }
    }
    answers
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_server_answers_as_the_one_that_was_backed_up() {
    if sqlite_only(FILE) {
        return;
    }
    let mut server = TestServer::start().await;
    let (people, agent) = grown(&server).await;
    let callers = [
        people.root.clone(),
        people.elevated("maria", "tenant:acme").await,
        people.human("tom").await,
        people.human("greta").await,
        agent,
    ];
    server.stop().await;
    let data = server.directory.path().to_owned();
    let (shell, place) = (Shell::alone(), Place::new());
    let file = place.text("backup");
    let made = shell.backup(&data, &file).await;
    let bytes = std::fs::read(place.path("backup")).unwrap();
    assert_eq!(made["bytes"], bytes.len());
    assert_eq!(made["digest"], crate::api::files::digest(&bytes));
    assert_eq!(mode(&place.path("backup")), 0o600);
    assert_eq!(
        names(place.around.path()),
        ["backup"],
        "and nothing beside it"
    );

    // Into a directory that is there and empty.
    let restored = Directory::new();
    let into = text(restored.path());
    let said = shell.json(&["restore", &file, "--data", &into]).await;
    assert_eq!(said["sealed"], true);
    assert_eq!(said["pending"], json!([]));
    assert_eq!(names(restored.path()), ["vestry.db"]);
    assert_eq!(mode(&restored.path().join("vestry.db")), 0o600);
    let (before, after) = (File::open(&data).await, File::open(restored.path()).await);
    let (before_rows, after_rows) = (before.dump().await, after.dump().await);
    assert!(before_rows.len() > 25, "{:?}", before_rows.keys());
    assert_eq!(before_rows, after_rows);
    before.close().await;
    after.close().await;

    // With the keys, what was issued before goes on.
    for key in ["keys.json", "checkpoint.key"] {
        std::fs::copy(data.join(key), restored.path().join(key)).unwrap();
    }
    server.restart().await;
    let expected = answers(&server, &callers).await;
    let again = Builder::default().start_on(restored).await;
    let found = answers(&again, &callers).await;
    assert!(
        expected
            .iter()
            .filter(|(_, status, ..)| *status == 200)
            .count()
            > 80
    );
    for (expected, found) in expected.iter().zip(&found) {
        assert_eq!(expected, found);
    }
    assert_eq!(expected.len(), found.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restored_server_works_without_the_old_keys() {
    if sqlite_only(FILE) {
        return;
    }
    let server = TestServer::start().await;
    let (people, _) = grown(&server).await;
    let (shell, place) = (Shell::alone(), Place::new());
    let (file, into) = (place.text("backup"), place.text("some/where"));
    let said = shell
        .ok(&["backup", &file, "--data", &text(server.directory.path())])
        .await;
    assert_eq!(said.lines().count(), 1);
    assert!(said.starts_with(&format!("wrote {file} (")), "{said}");
    let said = shell.ok(&["restore", &file, "--data", &into]).await;
    assert_eq!(said.lines().count(), 1);
    assert!(
        said.contains(", proposals 1, ") && said.contains(", revisions 6, "),
        "{said}"
    );
    assert_eq!(mode(&place.path("some/where")), 0o700);
    let restored = Directory::new();
    std::fs::rename(
        place.path("some/where/vestry.db"),
        restored.path().join("vestry.db"),
    )
    .unwrap();
    let again = Builder {
        seed: 5,
        ..Builder::default()
    };
    let again = again.start_on(restored).await;
    let client = again.client();
    let stale = client.with_token(people.root.token()).get("/v1/me").await;
    stale.expect(401);
    let maria = crate::harness::login(&client, "maria", None).await;
    let skill = maria
        .get("/v1/skills/tenant:acme/refunds")
        .await
        .expect(200);
    assert_eq!(skill.body["revision"], 3);
    let verified = shell
        .ok(&["verify", "--data", &text(again.directory.path())])
        .await;
    assert!(verified.contains("ok     audit chains: "), "{verified}");
}
