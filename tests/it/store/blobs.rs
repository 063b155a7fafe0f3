//! Blobs that nobody published are dropped after a day, and nothing else is.

use std::time::Duration;

use serde_json::json;

use super::database::File;
use crate::api::files::{bundle, digest, file, publish, upload};
use crate::harness::{Client, Directory, People, TestServer, login};

const DAY: i64 = 24 * 60 * 60;

async fn count(directory: &Directory, sql: &str) -> i64 {
    let file = File::of(directory).await;
    let number = file.number(sql).await;
    file.close().await;
    number
}

/// Waits until a count is what it should be.
async fn settles(directory: &Directory, sql: &str, expected: i64) {
    for _ in 0..200 {
        if count(directory, sql).await == expected {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!(
        "{sql} is {} and not {expected}",
        count(directory, sql).await
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_published_is_dropped_and_what_someone_has_stays() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let directory = &server.directory;
    let (tom, mia, gus) = (
        people.human("tom").await,
        people.human("mia").await,
        people.human("gus").await,
    );
    // The same bytes in two tenants: published in one of them.
    for client in [&tom, &mia, &gus] {
        upload(client, b"shared").await.expect(201);
    }
    // More than one step collects.
    for n in 0..40_u8 {
        upload(&tom, &[n; 100]).await.expect(201);
    }
    let named = |bytes: &[u8]| bundle("x", json!([{"path": "a", "digest": digest(bytes)}]));
    publish(&tom, "actor:tom", "x", named(b"shared"))
        .await
        .expect(201);
    assert_eq!(count(directory, "SELECT count(*) FROM blobs").await, 42);
    assert_eq!(count(directory, "SELECT count(*) FROM uploads").await, 43);

    server.advance(DAY - 1);
    let client = server.client();
    // One is sent again a moment before its time, and lives for another day.
    let tom = login(&client, "tom", None).await;
    upload(&tom, &[7; 100]).await.expect(200);
    server.advance(2 * 60 * 60);
    settles(directory, "SELECT count(*) FROM uploads", 1).await;
    settles(directory, "SELECT count(*) FROM blobs", 2).await;
    assert_eq!(
        count(
            directory,
            "SELECT count(*) FROM blobs WHERE tenant = 'globex'"
        )
        .await,
        0
    );
    let (tom, mia, gus) = (
        login(&client, "tom", None).await,
        login(&client, "mia", None).await,
        login(&client, "gus", None).await,
    );
    let answer = file(&tom, "actor:tom/x", 1, "a").await.expect(200);
    assert_eq!(answer.bytes.as_ref(), b"shared");
    for (client, scope) in [(&mia, "actor:mia"), (&gus, "actor:gus")] {
        publish(client, scope, "y", named(b"shared"))
            .await
            .expect_problem(422, "invalid-content");
    }
    // Its author can name it where the skill has it, and no longer elsewhere.
    publish(&tom, "actor:tom", "x", named(b"shared"))
        .await
        .expect(200);
    publish(&tom, "actor:tom", "z", named(b"shared"))
        .await
        .expect_problem(422, "invalid-content");
    publish(&tom, "actor:tom", "z", named(&[7; 100]))
        .await
        .expect(201);
    publish(&tom, "actor:tom", "z2", named(&[8; 100]))
        .await
        .expect_problem(422, "invalid-content");
}

/// Publications run against the collection: each finds its bytes, or is told that they are gone.
#[tokio::test(flavor = "multi_thread")]
async fn a_publication_beside_the_collection_has_its_bytes_or_none() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let bytes = |n: usize| format!("file {n}").into_bytes();
    const FILES: usize = 60;
    let run = async |client: Client, from: usize| {
        let mut outcomes = Vec::new();
        for n in (from..FILES).step_by(2) {
            let files = json!([{"path": "a", "digest": digest(&bytes(n))}]);
            let name = format!("skill-{n}");
            let answer = publish(&client, "actor:tom", &name, bundle("x", files)).await;
            outcomes.push((n, answer));
        }
        outcomes
    };
    for n in 0..FILES {
        upload(&tom, &bytes(n)).await.expect(201);
    }
    server.advance(DAY + 1);
    let tom = login(&server.client(), "tom", None).await;
    let (even, odd) = tokio::join!(run(tom.clone(), 0), run(tom.clone(), 1));
    let (mut kept, mut gone) = (0, 0);
    for (n, answer) in even.into_iter().chain(odd) {
        if answer.status == 201 {
            kept += 1;
        } else {
            answer.expect_problem(422, "invalid-content");
            gone += 1;
            tom.get(&format!("/v1/skills/actor:tom/skill-{n}"))
                .await
                .expect(404);
        }
    }
    let directory = &server.directory;
    settles(directory, "SELECT count(*) FROM uploads", 0).await;
    settles(directory, "SELECT count(*) FROM blobs", kept).await;
    println!("{kept} kept, {gone} gone");
    assert_eq!(
        count(
            directory,
            "SELECT count(*) FROM revision_files f WHERE NOT EXISTS \
             (SELECT 1 FROM blobs b WHERE b.tenant = f.tenant AND b.sha256 = f.sha256)"
        )
        .await,
        0
    );
    let list = tom
        .get("/v1/skills?scope=actor:tom&limit=200")
        .await
        .expect(200);
    for skill in list.body["items"].as_array().unwrap() {
        let skill = format!("actor:tom/{}", skill["name"].as_str().unwrap());
        file(&tom, &skill, 1, "a").await.expect(200);
    }
}
