//! Naming a digest gives nobody bytes that it could not have, and tells nobody that they are there (threats 8 and 12).

use serde_json::json;

use super::{bundle, digest, file, one, publish, upload};
use crate::harness::{Client, People, Response, TestServer, elevate};

/// Publishes a file by its digest alone, in the client's own scope.
async fn name(client: &Client, scope: &str, bytes: &[u8]) -> Response {
    let files = json!([{"path": "stolen", "digest": digest(bytes)}]);
    publish(client, scope, "thief", bundle("x", files)).await
}

/// What an answer says, but for the digest that was asked for and the headers that differ by request.
fn said(answer: &Response, bytes: &[u8]) -> String {
    let hex = super::hex(bytes);
    format!("{} {}", answer.status, answer.body).replace(&hex, "<digest>")
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_of_others_are_the_same_as_bytes_of_nobody() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let (tom, mia) = (people.human("tom").await, people.human("mia").await);
    let greta = people.elevated("greta", "tenant:globex").await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let agent = people.agent("acme", "tom", "bot").await;
    let other_agent = people.agent("acme", "mia", "bot").await;

    // In another tenant, uploaded and published.
    upload(&greta, b"globex, uploaded").await.expect(201);
    publish(
        &greta,
        "tenant:globex",
        "x",
        bundle("x", one("a", "globex, published")),
    )
    .await
    .expect(201);
    // In the same tenant: of another actor, of the tenant, of the agent's own human, of its like for another actor.
    upload(&mia, b"mia, uploaded").await.expect(201);
    publish(
        &mia,
        "actor:mia",
        "x",
        bundle("x", one("a", "mia, published")),
    )
    .await
    .expect(201);
    publish(
        &maria,
        "tenant:acme",
        "x",
        bundle("x", one("a", "acme, published")),
    )
    .await
    .expect(201);
    upload(&tom, b"tom, uploaded").await.expect(201);
    upload(&other_agent, b"like, uploaded").await.expect(201);
    publish(
        &tom,
        "actor:tom",
        "other",
        bundle("x", one("a", "another skill")),
    )
    .await
    .expect(201);

    let nobody = name(&agent, "actor:tom", b"nobody has this").await;
    nobody.clone().expect_problem(422, "invalid-content");
    let nobody = said(&nobody, b"nobody has this");
    for bytes in [
        &b"globex, uploaded"[..],
        b"globex, published",
        b"mia, uploaded",
        b"mia, published",
        // Its digest is metadata that the agent may see; the bytes it gets by a load.
        b"acme, published",
        b"tom, uploaded",
        b"like, uploaded",
        // Not even of another skill of the same scope: a digest alone moves nothing between skills.
        b"another skill",
    ] {
        let text = String::from_utf8_lossy(bytes);
        assert_eq!(
            said(&name(&agent, "actor:tom", bytes).await, bytes),
            nobody,
            "{text}"
        );
        let check = json!([{"path": "stolen", "digest": digest(bytes)}]);
        let checked = agent
            .post("/v1/skills/actor:tom/thief/check", bundle("x", check))
            .await;
        assert_eq!(said(&checked, bytes), nobody, "{text}, checked");
        // Sending what others have is a first upload all the same.
        upload(&agent, bytes).await.expect(201);
        upload(&agent, bytes).await.expect(200);
        name(&agent, "actor:tom", bytes).await;
        let read = agent.get("/v1/skills/actor:tom/thief").await.expect(200);
        assert_eq!(super::paths(&read), ["stolen"]);
        agent.delete("/v1/skills/actor:tom/thief").await.expect(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_skill_has_can_be_named_for_as_long_as_it_has_it() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let (tom, maria) = (
        people.human("tom").await,
        people.elevated("maria", "tenant:acme").await,
    );
    let pavel = people.elevated("pavel", "tenant:acme").await;
    publish(&maria, "tenant:acme", "x", bundle("x", one("a", "text")))
        .await
        .expect(201);
    let moved = json!([{"path": "b", "digest": digest(b"text")}]);
    // Another publisher renames it without having the bytes.
    publish(&pavel, "tenant:acme", "x", bundle("x", moved.clone()))
        .await
        .expect(200);
    let answer = file(&pavel, "tenant:acme/x", 2, "b").await.expect(200);
    assert_eq!(answer.bytes.as_ref(), b"text");
    publish(&pavel, "tenant:acme", "x", bundle("x", json!([])))
        .await
        .expect(200);
    // An earlier revision is not the current one; a rollback is the way back.
    publish(&pavel, "tenant:acme", "x", bundle("x", moved.clone()))
        .await
        .expect_problem(422, "invalid-content");
    publish(&tom, "actor:tom", "x", bundle("x", moved))
        .await
        .expect_problem(422, "invalid-content");
}

/// Blobs belong to a tenant, and global to none: what an administrator of both uploads is kept where it is published.
#[tokio::test(flavor = "multi_thread")]
async fn an_upload_of_a_member_can_be_published_at_global() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    people.member("acme", "root", "member").await.expect(200);
    let root = people.human_in("root", "acme").await;
    let root = elevate(&root, "global").await;
    upload(&root, b"for everyone").await.expect(201);
    let files = json!([{"path": "a", "digest": digest(b"for everyone")}]);
    publish(&root, "global", "x", bundle("x", files))
        .await
        .expect(201);
    let gus = people.human("gus").await;
    let answer = file(&gus, "global/x", 1, "a").await.expect(200);
    assert_eq!(answer.bytes.as_ref(), b"for everyone");
    // Publishing it there gives nobody of the tenant the right to name it.
    let tom = people.human("tom").await;
    name(&tom, "actor:tom", b"for everyone")
        .await
        .expect_problem(422, "invalid-content");
}
