//! Files in publications.

use serde_json::{Value, json};

use super::{bundle, digest, file, one, paths, publish, upload};
use crate::harness::{People, TestServer, content};

const SKILL: &str = "tenant:acme/refunds";

#[tokio::test(flavor = "multi_thread")]
async fn files_come_in_three_ways_and_stay_until_they_are_said_otherwise() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let large = vec![0xff_u8; 2 << 20];
    upload(&maria, &large).await.expect(201);
    let files = json!([
        {"path": "scripts/run.sh", "text": "echo caf\u{e9}\n"},
        {"path": "data/blob.bin", "base64": "AP8="},
        {"path": "data/large.bin", "digest": digest(&large)},
        {"path": "empty", "text": ""},
    ]);
    let put = async |body: Value| publish(&maria, "tenant:acme", "refunds", body).await;
    let made = put(bundle("one", files.clone())).await.expect(201);
    assert!(made.body.get("warnings").is_none());
    let read = maria
        .get("/v1/skills/tenant:acme/refunds")
        .await
        .expect(200);
    let expected = json!([
        {"path": "data/blob.bin", "size": 2, "digest": digest(&[0, 255])},
        {"path": "data/large.bin", "size": 2 << 20, "digest": digest(&large)},
        {"path": "empty", "size": 0, "digest": digest(b"")},
        {"path": "scripts/run.sh", "size": 11, "digest": digest("echo caf\u{e9}\n".as_bytes())},
    ]);
    assert_eq!(read.body["files"], expected);
    assert_eq!(read.body["digest"], made.body["digest"]);

    // The same again, in another order, is the same revision; so is the body alone.
    let mut other = files.clone();
    other.as_array_mut().unwrap().reverse();
    for body in [bundle("one", other), content("one")] {
        let again = put(body).await.expect(200);
        assert_eq!(again.body["unchanged"], true);
        assert_eq!(again.body["digest"], made.body["digest"]);
    }
    // Another body keeps the files; the digest differs from one without any.
    let kept = put(content("two")).await.expect(200);
    assert_eq!(kept.body["revision"], 2);
    let answer = file(&maria, SKILL, 2, "data/large.bin").await.expect(200);
    assert_eq!(answer.bytes.as_ref(), &large[..]);
    let none = put(bundle("two", json!([]))).await.expect(200);
    assert_eq!(none.body["unchanged"], false);
    assert_ne!(none.body["digest"], kept.body["digest"]);
    let read = maria
        .get("/v1/skills/tenant:acme/refunds/revisions/3")
        .await
        .expect(200);
    assert_eq!(read.body["files"], json!([]));
    let plain = maria
        .create("tenant:acme", "plain", "two")
        .await
        .expect(201);
    assert_ne!(plain.body["digest"], kept.body["digest"]);
    // Earlier revisions have what they had.
    let read = maria
        .get("/v1/skills/tenant:acme/refunds/revisions/1")
        .await
        .expect(200);
    assert_eq!(read.body["files"], expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_brings_files_back_and_a_diff_lists_them() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let put = async |body: Value| publish(&maria, "tenant:acme", "refunds", body).await;
    let first =
        json!([{"path": "a", "text": "1"}, {"path": "b", "text": "1"}, {"path": "c", "text": "1"}]);
    let second = json!([{"path": "b", "text": "22"}, {"path": "c", "text": "1"}, {"path": "d", "text": "1"}]);
    let made = put(bundle("x", first)).await.expect(201);
    put(bundle("x", second)).await.expect(200);
    let diff = maria
        .get("/v1/skills/tenant:acme/refunds/diff?from=1&to=2")
        .await
        .expect(200);
    let of = |path: &str, text: &str| json!({"path": path, "size": text.len(), "digest": digest(text.as_bytes())});
    assert_eq!(
        diff.body["files"],
        json!([
            {"path": "a", "change": "removed", "from": of("a", "1")},
            {"path": "b", "change": "changed", "from": of("b", "1"), "to": of("b", "22")},
            {"path": "d", "change": "added", "to": of("d", "1")},
        ])
    );
    let back = maria
        .post("/v1/skills/tenant:acme/refunds/rollback", json!({"to": 1}))
        .await
        .expect(200);
    assert_eq!(back.body["digest"], made.body["digest"]);
    let read = maria
        .get("/v1/skills/tenant:acme/refunds")
        .await
        .expect(200);
    assert_eq!(paths(&read), ["a", "b", "c"]);
    let answer = file(&maria, SKILL, 3, "b").await.expect(200);
    assert_eq!(answer.bytes.as_ref(), b"1");
    let same = maria
        .get("/v1/skills/tenant:acme/refunds/diff?from=1&to=3")
        .await
        .expect(200);
    assert_eq!(same.body["files"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn as_many_files_and_bytes_as_allowed_and_not_one_more() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    let many = |count: usize| -> Value {
        (0..count)
            .map(|n| json!({"path": format!("f{n}"), "text": ""}))
            .collect()
    };
    publish(&maria, "tenant:acme", "many", bundle("x", many(512)))
        .await
        .expect(201);
    let refused = publish(&maria, "tenant:acme", "more", bundle("x", many(513)))
        .await
        .expect_problem(422, "invalid-content");
    assert_eq!(refused.body["field"], "files");

    let checked = maria
        .post("/v1/skills/tenant:acme/large/check", content("x"))
        .await
        .expect(200);
    let room = (16 << 20) - usize::try_from(checked.body["size"].as_u64().unwrap()).unwrap();
    let (half, rest) = (vec![1_u8; room / 2], vec![2_u8; room - room / 2]);
    let one_more = vec![2_u8; rest.len() + 1];
    for bytes in [&half, &rest, &one_more] {
        upload(&maria, bytes).await.expect(201);
    }
    let files = |rest: &[u8]| json!([{"path": "a", "digest": digest(&half)}, {"path": "b", "digest": digest(rest)}]);
    let refused = publish(
        &maria,
        "tenant:acme",
        "large",
        bundle("x", files(&one_more)),
    )
    .await
    .expect_problem(422, "invalid-content");
    assert_eq!(refused.body["field"], "files");
    publish(&maria, "tenant:acme", "large", bundle("x", files(&rest)))
        .await
        .expect(201);
    // The kept files count too.
    publish(&maria, "tenant:acme", "large", content("xx"))
        .await
        .expect_problem(422, "invalid-content");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_outside_the_rules_are_refused_by_their_field() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    for (files, field, why) in [
        (one("../x", ""), "files[0].path", "`..`"),
        (one("/etc/passwd", ""), "files[0].path", "absolute"),
        (one("C:/x", ""), "files[0].path", "Windows"),
        (one("skill.MD", ""), "files[0].path", "SKILL.md"),
        (one("a/NUL.txt", ""), "files[0].path", "device"),
        (
            json!([{"path": "a", "text": ""}, {"path": "A", "text": ""}]),
            "files[1].path",
            "same file",
        ),
        (
            json!([{"path": "\u{fb01}", "text": ""}, {"path": "x", "text": ""}, {"path": "fi", "text": ""}]),
            "files[2].path",
            "same file",
        ),
        (
            json!([{"path": "a", "text": ""}, {"path": "a/b", "text": ""}]),
            "files[1].path",
            "directory",
        ),
        (json!([{"path": "a"}]), "files[0]", "exactly one"),
        (
            json!([{"path": "a", "text": "", "base64": ""}]),
            "files[0]",
            "exactly one",
        ),
        (
            json!([{"path": "a", "base64": "AA"}]),
            "files[0].base64",
            "base64",
        ),
        (
            json!([{"path": "a", "base64": "A\nA=="}]),
            "files[0].base64",
            "base64",
        ),
        (
            json!([{"path": "a", "digest": "sha256:00"}]),
            "files[0].digest",
            "64",
        ),
        (
            json!([{"path": "a", "digest": digest(b"never sent")}]),
            "files[0].digest",
            "PUT /v1/blobs/",
        ),
    ] {
        for path in ["/v1/skills/actor:tom/x", "/v1/skills/actor:tom/x/check"] {
            let body = bundle("x", files.clone());
            let answer = if path.ends_with("check") {
                tom.post(path, body).await
            } else {
                publish(&tom, "actor:tom", "x", body).await
            };
            let answer = answer.expect_problem(422, "invalid-content");
            assert_eq!(answer.body["field"], field, "{}", answer.body);
            assert!(answer.detail().contains(why), "{}", answer.body);
        }
    }
    publish(
        &tom,
        "actor:tom",
        "x",
        bundle("x", json!([{"path": "a", "text": "", "mode": 1}])),
    )
    .await
    .expect_problem(400, "malformed");
    tom.get("/v1/skills/actor:tom/x").await.expect(404);
}

#[tokio::test(flavor = "multi_thread")]
async fn text_with_something_hidden_is_taken_with_a_warning() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let uploaded = "hidden\u{200b} in an upload".as_bytes();
    upload(&tom, uploaded).await.expect(201);
    let files = json!([
        {"path": "plain", "text": "plain"},
        {"path": "tags.txt", "text": "one\ntwo\u{e0041}"},
        {"path": "decomposed", "text": "e\u{301}"},
        {"path": "binary", "base64": "AAECAw=="},
        {"path": "sent", "digest": digest(uploaded)},
        {"path": "invalid", "base64": "/w=="},
    ]);
    let check = tom
        .post("/v1/skills/actor:tom/x/check", bundle("x", files.clone()))
        .await
        .expect(200);
    let made = publish(&tom, "actor:tom", "x", bundle("x", files.clone()))
        .await
        .expect(201);
    let again = publish(&tom, "actor:tom", "x", bundle("x", files))
        .await
        .expect(200);
    assert_eq!(again.body["unchanged"], true);
    assert_eq!(check.body["digest"], made.body["digest"]);
    for answer in [&check, &made, &again] {
        let warnings: Vec<&str> = answer.body["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|warning| {
                assert_eq!(warning["code"], "hidden-in-file");
                warning["detail"].as_str().unwrap()
            })
            .collect();
        let [tags, sent] = warnings.as_slice() else {
            panic!("{warnings:?}");
        };
        assert!(tags.contains("`tags.txt`") && tags.contains("U+E0041 at line 2, column 4"));
        assert!(sent.contains("`sent`") && sent.contains("U+200B"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_archived_name_begins_without_files() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    publish(&tom, "actor:tom", "x", bundle("x", one("a", "1")))
        .await
        .expect(201);
    tom.delete("/v1/skills/actor:tom/x").await.expect(200);
    tom.create("actor:tom", "x", "x").await.expect(201);
    let read = tom.get("/v1/skills/actor:tom/x").await.expect(200);
    assert_eq!(paths(&read), [""; 0]);
    assert_eq!(read.body["revision"], 2);
}

/// A recall holds for files too: who may not read them cannot bring them back by keeping or naming them.
#[tokio::test(flavor = "multi_thread")]
async fn recalled_files_are_not_kept_by_who_may_not_read_them() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let agent = people.agent("acme", "tom", "bot").await;
    let tom = people.human("tom").await;
    let named = json!([{"path": "b", "digest": digest(b"bad")}]);
    publish(&agent, "actor:tom", "x", bundle("x", one("a", "bad")))
        .await
        .expect(201);
    tom.verb("actor:tom", "x", "quarantine").await.expect(200);
    file(&agent, "actor:tom/x", 1, "a")
        .await
        .expect_problem(403, "refused");
    publish(&agent, "actor:tom", "x", content("y"))
        .await
        .expect_problem(409, "conflict");
    agent
        .post("/v1/skills/actor:tom/x/check", content("y"))
        .await
        .expect_problem(409, "conflict");
    publish(&agent, "actor:tom", "x", bundle("y", named.clone()))
        .await
        .expect_problem(422, "invalid-content");
    publish(&agent, "actor:tom", "x", bundle("y", json!([])))
        .await
        .expect(200);

    // A publisher reads what was recalled, and so may keep it.
    let maria = people.elevated("maria", "tenant:acme").await;
    publish(&maria, "tenant:acme", "x", bundle("x", one("a", "bad")))
        .await
        .expect(201);
    maria
        .verb("tenant:acme", "x", "quarantine")
        .await
        .expect(200);
    publish(&maria, "tenant:acme", "x", bundle("y", named))
        .await
        .expect(200);
    maria
        .verb("tenant:acme", "x", "quarantine")
        .await
        .expect(200);
    publish(&maria, "tenant:acme", "x", content("z"))
        .await
        .expect(200);
}
