//! Reading files of revisions: the rule is that of bodies (design §2.4).

use super::{bundle, digest, file, one, publish};
use crate::harness::{People, TestServer};

#[tokio::test(flavor = "multi_thread")]
async fn files_are_handed_out_as_bytes_to_be_saved() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let html = "<script>alert(1)</script>";
    publish(
        &tom,
        "actor:tom",
        "x",
        bundle("x", one("caf\u{e9}/a b.html", html)),
    )
    .await
    .expect(201);
    let answer = file(&tom, "actor:tom/x", 1, "caf%C3%A9/a%20b.html")
        .await
        .expect(200);
    assert_eq!(answer.bytes.as_ref(), html.as_bytes());
    assert_eq!(answer.etag(), digest(html.as_bytes()));
    for (header, value) in [
        ("content-type", "application/octet-stream"),
        ("content-disposition", "attachment"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(answer.headers[header], value);
    }
    for path in [
        "b",
        "..",
        "../x",
        "SKILL.md",
        "%00",
        "",
        "CAF%C3%A9/a%20b.html",
    ] {
        let answer = file(&tom, "actor:tom/x", 1, path)
            .await
            .expect_problem(404, "file-not-found");
        assert!(
            answer.detail().contains("caf\u{e9}/a b.html"),
            "{}",
            answer.detail()
        );
    }
    file(&tom, "actor:tom/x", 2, "a")
        .await
        .expect_problem(404, "not-found");
    file(&tom, "actor:tom/y", 1, "a")
        .await
        .expect_problem(404, "not-found");
    file(&tom, "actor:mia/y", 1, "a")
        .await
        .expect_problem(404, "not-found");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_gets_no_body_gets_no_file() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    publish(&maria, "tenant:acme", "x", bundle("x", one("a", "text")))
        .await
        .expect(201);
    let skill = "tenant:acme/x";
    let agent = people.agent("acme", "tom", "bot").await;
    let service = people.service("acme").await;
    for client in [&agent, &service] {
        let answer = file(client, skill, 1, "a")
            .await
            .expect_problem(403, "refused");
        assert_eq!(answer.rule(), "needs-offer");
        // The list is metadata, as the digest of the skill is.
        let read = client.get("/v1/skills/tenant:acme/x").await.expect(200);
        assert_eq!(super::paths(&read), ["a"]);
        assert!(read.body.get("body").is_none());
    }
    let greta = people.human("greta").await;
    file(&greta, skill, 1, "a")
        .await
        .expect_problem(404, "not-found");
    let (tom, ines) = (people.human("tom").await, people.human("ines").await);
    for client in [&tom, &ines, &maria] {
        file(client, skill, 1, "a").await.expect(200);
    }
    maria
        .verb("tenant:acme", "x", "quarantine")
        .await
        .expect(200);
    let answer = file(&tom, skill, 1, "a")
        .await
        .expect_problem(403, "refused");
    assert_eq!(answer.rule(), "recalled");
    for client in [&ines, &maria] {
        file(client, skill, 1, "a").await.expect(200);
    }
}
