//! A SKILL.md goes in and comes out byte for byte, and who wrote which line of it.

use hyper::Method;
use serde_json::json;

use crate::harness::{Client, People, Response, TestServer};

const PATH: &str = "/v1/skills/actor:tom/it";

const SKILL_MD: &str = "---  \r\nname: it\r\ndescription: |-\r\n  Use it\r\n  now. # not a comment\r\n# a comment\r\nx-ours: [1, two]\r\nmetadata:\r\n  version: 1.10\r\n  templated: \"true\"\r\n---\r\n\r\n# It\r\n\r\nDo it. <!-- aside -->\r\n";

async fn put(client: &Client, path: &str, precondition: (&str, &str), text: &str) -> Response {
    let headers = [
        ("content-type", "text/markdown; charset=utf-8"),
        precondition,
    ];
    client
        .raw(Method::PUT, path, &headers, text.as_bytes().to_vec())
        .await
}

async fn get(client: &Client, path: &str, accept: &str) -> Response {
    client
        .send(Method::GET, path, &[("accept", accept)], None)
        .await
}

const NEW: (&str, &str) = ("if-none-match", "*");
const ANY: (&str, &str) = ("if-match", "*");

#[tokio::test(flavor = "multi_thread")]
async fn a_skill_md_comes_back_byte_for_byte() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let path = format!("{PATH}?message=from%20a%20file");
    let made = put(&tom, &path, NEW, SKILL_MD).await.expect(201);
    let warned: Vec<(&str, u64)> = made.body["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| {
            assert!(warning["detail"].as_str().unwrap().ends_with('.'));
            (
                warning["code"].as_str().unwrap(),
                warning["line"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        warned,
        [("unknown-key", 7), ("flow-style", 7), ("html-comment", 15)]
    );

    for path in [PATH.to_owned(), format!("{PATH}/revisions/1")] {
        let read = get(&tom, &path, "text/markdown").await.expect(200);
        assert_eq!(read.bytes, SKILL_MD.as_bytes());
        assert_eq!(read.headers["content-type"], "text/markdown; charset=utf-8");
        assert_eq!(read.headers["vary"], "accept");
        let json = tom.get(&path).await.expect(200);
        assert_eq!(json.headers["vary"], "accept");
        assert_eq!(json.body["description"], "Use it now. # not a comment");
        assert_eq!(
            json.body["body"],
            "\r\n# It\r\n\r\nDo it. <!-- aside -->\r\n"
        );
        assert_eq!(json.body["templated"], true);
        assert_eq!(json.body["message"], "from a file");
        assert_eq!(
            json.body["frontmatter"],
            json!({"x-ours": [1, "two"], "metadata": {"version": "1.10", "templated": "true"}})
        );
    }
    let tag = get(&tom, PATH, "text/markdown").await.etag();
    assert_eq!(tag, made.text("digest"));

    // The same bytes again change nothing, in whichever form they are sent.
    let again = put(&tom, PATH, ("if-match", &format!("\"{tag}\"")), SKILL_MD)
        .await
        .expect(200);
    assert_eq!(again.body["unchanged"], true);
    let again = tom
        .send(
            Method::PUT,
            PATH,
            &[ANY],
            Some(json!({"skill_md": SKILL_MD, "message": "m"})),
        )
        .await
        .expect(200);
    assert_eq!(again.body["unchanged"], true);
    assert_eq!(again.body["warnings"], made.body["warnings"]);
    // One byte more is another revision.
    let more = format!("{SKILL_MD} ");
    let changed = put(&tom, PATH, ANY, &more).await.expect(200);
    assert_eq!(changed.body["revision"], 2);
    let read = get(&tom, PATH, "text/markdown").await.expect(200);
    assert_eq!(read.bytes, more.as_bytes());
    let read = get(&tom, &format!("{PATH}/revisions/1"), "text/markdown").await;
    assert_eq!(read.bytes, SKILL_MD.as_bytes());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_of_the_answer_follows_accept() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    put(&tom, PATH, NEW, SKILL_MD).await.expect(201);
    for (accept, markdown) in [
        ("text/markdown", true),
        ("text/*", true),
        ("application/json;q=0.5, text/markdown;q=0.6", true),
        ("text/html, text/markdown;q=0.9", true),
        ("*/*", false),
        ("application/json", false),
        ("text/markdown;q=0.5, application/json", false),
        ("text/markdown;q=0", false),
        ("image/png", false),
    ] {
        let read = get(&tom, PATH, accept).await.expect(200);
        assert_eq!(read.body.is_null(), markdown, "{accept}");
    }
    get(&tom, PATH, "what is this")
        .await
        .expect_problem(400, "malformed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_skill_md_names_the_line() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    for (text, line, words) in [
        ("# No frontmatter\n", 1, "begin the file with `---`"),
        ("\u{feff}---\nname: it\n", 1, "byte order mark"),
        ("---\nname: it\ndescription: a: b\n---\nx\n", 3, "quotes"),
        ("---\nname: it\ndescription: b\n", 1, "not closed"),
        (
            "---\nname: other\ndescription: b\n---\nx\n",
            2,
            "`name: it`",
        ),
        ("---\nname: it\nname: it\n---\nx\n", 3, "twice"),
        ("---\nname: it\ndescription: b\n---\n", 5, "nothing below"),
        (
            "---\nname: it\ndescription: b\n---\nx\n\u{202e}\n",
            6,
            "U+202E",
        ),
    ] {
        for path in [PATH.to_owned(), format!("{PATH}/check")] {
            let method = if path == PATH {
                Method::PUT
            } else {
                Method::POST
            };
            let headers = [("content-type", "text/markdown"), NEW];
            let sent = text.as_bytes().to_vec();
            let refused = tom
                .raw(
                    method,
                    &path,
                    &headers[..if path == PATH { 2 } else { 1 }],
                    sent,
                )
                .await
                .expect_problem(422, "invalid-content");
            assert_eq!(refused.text("field"), "skill_md");
            let detail = refused.detail();
            assert!(
                detail.starts_with(&format!("SKILL.md, line {line}: ")) && detail.contains(words),
                "{detail}"
            );
        }
    }
    let headers = [("content-type", "text/markdown"), NEW];
    tom.raw(Method::PUT, PATH, &headers, b"---\nname: \xff".to_vec())
        .await
        .expect_problem(400, "malformed");
    // What has to be unpacked first is not what it is said to be; nothing of that is guessed.
    for (encoding, status) in [("gzip", 415), ("identity, br", 415), ("identity", 201)] {
        let headers = [
            ("content-type", "text/markdown"),
            ("content-encoding", encoding),
            NEW,
        ];
        let sent = SKILL_MD.as_bytes().to_vec();
        tom.raw(Method::PUT, "/v1/skills/actor:tom/it", &headers, sent)
            .await
            .expect(status);
    }
    tom.delete(PATH).await.expect(200);
    // One way to say it at a time.
    for body in [
        json!({"skill_md": SKILL_MD, "body": "b"}),
        json!({"skill_md": SKILL_MD, "templated": true}),
        json!({"skill_md": SKILL_MD, "frontmatter": {}}),
        json!({"skill_md": null, "description": "d", "body": "b"}),
        json!({"description": "d"}),
        json!({"body": "b"}),
        json!({}),
    ] {
        tom.send(Method::PUT, PATH, &[NEW], Some(body))
            .await
            .expect_problem(400, "malformed");
    }
    tom.send(
        Method::PUT,
        &format!("{PATH}?message=x"),
        &[NEW],
        Some(json!({"description": "d", "body": "b\n"})),
    )
    .await
    .expect_problem(400, "malformed");
    let left = tom.get(PATH).await.expect(200);
    assert_eq!(left.body["status"], "archived");
    assert_eq!(left.body["revision"], 1);
}

/// What the JSON form writes is what a SKILL.md says.
#[tokio::test(flavor = "multi_thread")]
async fn the_json_form_is_written_as_a_skill_md() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let body = json!({
        "description": "Use --- it: \"now\".", "body": "Do it.\n", "templated": true,
        "frontmatter": {"license": "MIT", "x": {"a": [1, {"b": null}], "c": {}}, "metadata": {"author": "us"}},
    });
    tom.send(Method::PUT, PATH, &[NEW], Some(body))
        .await
        .expect(201);
    let read = get(&tom, PATH, "text/markdown").await.expect(200);
    assert_eq!(
        std::str::from_utf8(&read.bytes).unwrap(),
        "---\nname: it\ndescription: \"Use -\\u002d- it: \\\"now\\\".\"\nlicense: \"MIT\"\nmetadata:\n  author: \"us\"\n  templated: \"true\"\n\
         x:\n  a:\n    - 1\n    -\n      b: null\n  c: {}\n---\nDo it.\n"
    );
    let json = tom.get(PATH).await.expect(200);
    assert_eq!(json.body["description"], "Use --- it: \"now\".");
    assert_eq!(
        json.body["frontmatter"]["x"],
        json!({"a": [1, {"b": null}], "c": {}})
    );
}

/// Reading the SKILL.md is reading the body (design §2.4), and a refusal of it is recorded (invariant 16).
#[tokio::test(flavor = "multi_thread")]
async fn the_skill_md_is_for_those_who_may_read_the_body() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let maria = people.elevated("maria", "tenant:acme").await;
    maria.create("tenant:acme", "shared", "a").await.expect(201);
    let agent = people.agent("acme", "tom", "bot").await;
    let tom = people.human("tom").await;
    let path = "/v1/skills/tenant:acme/shared";
    for path in [path.to_owned(), format!("{path}/revisions/1")] {
        get(&tom, &path, "text/markdown").await.expect(200);
        let refused = get(&agent, &path, "text/markdown")
            .await
            .expect_problem(403, "refused");
        assert_eq!(refused.rule(), "needs-offer");
    }
    let refused = agent
        .get(&format!("{path}/blame"))
        .await
        .expect_problem(403, "refused");
    assert_eq!(refused.rule(), "needs-offer");
    maria
        .verb("tenant:acme", "shared", "quarantine")
        .await
        .expect(200);
    for (path, accept) in [
        (path.to_owned(), "text/markdown"),
        (format!("{path}/blame"), "*/*"),
    ] {
        let refused = get(&tom, &path, accept)
            .await
            .expect_problem(403, "refused");
        assert_eq!(refused.rule(), "recalled");
        get(&maria, &path, accept).await.expect(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_line_names_the_revision_that_brought_it() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let head = "---\nname: it\ndescription: Use it.\n---\n";
    for (precondition, body) in [
        (NEW, "one\ntwo\nthree\n"),
        (ANY, "one\n2\nthree\n"),
        (ANY, "zero\none\n2\nthree\n"),
        (ANY, "zero\none\ntwo\nthree"),
    ] {
        put(&tom, PATH, precondition, &format!("{head}{body}"))
            .await
            .expect_one_of(&[200, 201]);
    }
    let lines = |answer: &Response| -> Vec<(String, u64)> {
        answer.body["lines"]
            .as_array()
            .unwrap()
            .iter()
            .map(|line| {
                (
                    line["text"].as_str().unwrap().to_owned(),
                    line["revision"].as_u64().unwrap(),
                )
            })
            .skip(4)
            .collect()
    };
    let now = tom.get(&format!("{PATH}/blame")).await.expect(200);
    let expected = [("zero", 3), ("one", 1), ("two", 4), ("three", 4)];
    assert_eq!(
        lines(&now),
        expected.map(|(text, revision)| (text.to_owned(), revision))
    );
    assert_eq!(now.body["revision"], 4);
    assert_eq!(now.body["complete"], true);
    let named: Vec<u64> = now.body["revisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|revision| {
            assert_eq!(revision["author"], "human:tom");
            revision["revision"].as_u64().unwrap()
        })
        .collect();
    assert_eq!(named, [4, 3, 1]);
    let then = tom
        .get(&format!("{PATH}/blame?revision=2"))
        .await
        .expect(200);
    let expected = [("one", 1), ("2", 2), ("three", 1)];
    assert_eq!(
        lines(&then),
        expected.map(|(text, revision)| (text.to_owned(), revision))
    );
    // A rollback is who brought its lines back.
    tom.post(&format!("{PATH}/rollback"), json!({"to": 1}))
        .await
        .expect(200);
    let back = tom.get(&format!("{PATH}/blame")).await.expect(200);
    let expected = [("one", 1), ("two", 4), ("three", 5)];
    assert_eq!(
        lines(&back),
        expected.map(|(text, revision)| (text.to_owned(), revision))
    );
    tom.get(&format!("{PATH}/blame?revision=9"))
        .await
        .expect_problem(404, "not-found");
}

/// Comparing long texts is bounded, and keeps no connection from others: many ask at once, and reads go on.
#[tokio::test(flavor = "multi_thread")]
async fn many_who_compare_long_texts_keep_nobody_from_reading() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let gus = people.human("gus").await;
    let head = "---\nname: it\ndescription: Use it.\n---\n";
    let text = |round: usize, lines: usize| {
        let line = |n: usize| format!("{}\n", (n * 7 + round * (n % 3)) % 11);
        head.to_owned() + &(0..lines).map(line).collect::<String>()
    };
    for round in 0..12 {
        let precondition = if round == 0 { NEW } else { ANY };
        put(&tom, PATH, precondition, &text(round, 19_000))
            .await
            .expect_one_of(&[200, 201]);
    }
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..16 {
        let tom = tom.clone();
        asking.spawn(async move { tom.get(&format!("{PATH}/blame")).await });
    }
    let read = async {
        for _ in 0..20 {
            gus.get("/v1/skills?scope=tenant:globex").await.expect(200);
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), read)
        .await
        .expect("reads wait for comparisons");
    for blame in asking.join_all().await {
        let blame = blame.expect(200);
        // More lines than are compared: it says that it has not looked at all of them.
        assert_eq!(blame.body["complete"], false);
        assert_eq!(blame.body["lines"].as_array().unwrap().len(), 19_004);
    }
    put(&tom, PATH, ANY, &text(0, 20_001)).await.expect(200);
    tom.get(&format!("{PATH}/blame"))
        .await
        .expect_problem(409, "conflict");
}
