//! Uploads.

use std::time::Duration;

use hyper::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{bundle, digest, hex, publish, upload};
use crate::harness::{Builder, Client, People, TestServer};

const BYTES: (&str, &str) = ("content-type", "application/octet-stream");

#[tokio::test(flavor = "multi_thread")]
async fn what_was_sent_is_what_was_named() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let agent = people.agent("acme", "tom", "bot").await;
    for client in [&tom, &agent, &people.root] {
        let made = upload(client, b"bytes").await.expect(201);
        assert_eq!(made.body, json!({"digest": digest(b"bytes"), "size": 5}));
        upload(client, b"bytes").await.expect(200);
    }
    upload(&tom, b"").await.expect(201);
    let path = format!("/v1/blobs/{}", hex(b"other"));
    let answer = tom
        .raw(Method::PUT, &path, &[BYTES], b"bytes".to_vec())
        .await
        .expect_problem(422, "invalid-content");
    assert_eq!(answer.body["field"], "sha256");
    assert!(
        answer.detail().contains(&digest(b"bytes")),
        "{}",
        answer.detail()
    );
    assert!(answer.detail().contains("5 bytes"));
    for headers in [&[][..], &[("content-type", "text/plain")], &[BYTES, BYTES]] {
        let path = format!("/v1/blobs/{}", hex(b"bytes"));
        tom.raw(Method::PUT, &path, headers, b"bytes".to_vec())
            .await
            .expect_problem(415, "unsupported-media-type");
    }
    for bad in [
        hex(b"bytes").to_uppercase(),
        digest(b"bytes"),
        hex(b"bytes")[1..].to_owned(),
    ] {
        tom.raw(
            Method::PUT,
            &format!("/v1/blobs/{bad}"),
            &[BYTES],
            b"bytes".to_vec(),
        )
        .await
        .expect_problem(422, "invalid-id");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_skill_fits_and_not_a_byte_more() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    upload(&tom, &vec![0; 16 << 20]).await.expect(201);
    let answer = upload(&tom, &vec![0; (16 << 20) + 1])
        .await
        .expect_problem(413, "too-large");
    assert!(answer.detail().contains("16777216"), "{}", answer.detail());
    // A body that does not say how large it is is cut off where it becomes too large.
    let chunk = vec![0_u8; 1 << 20];
    let mut stream = begin(&server, &tom, &hex(b"x"), "transfer-encoding: chunked").await;
    let mut answer = String::new();
    let (mut reader, mut writer) = stream.split();
    let sending = async {
        for _ in 0..17 {
            let framed = [format!("{:x}\r\n", chunk.len()).as_bytes(), &chunk, b"\r\n"].concat();
            if writer.write_all(&framed).await.is_err() {
                return;
            }
        }
        let _ = writer.write_all(b"0\r\n\r\n").await;
    };
    let receiving = reader.read_to_string(&mut answer);
    let (_, received) = tokio::join!(
        sending,
        tokio::time::timeout(Duration::from_secs(20), receiving)
    );
    received.unwrap().unwrap();
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    // Elsewhere a body may have a megabyte.
    let headers = [("content-type", "application/json")];
    tom.raw(
        Method::POST,
        "/v1/load",
        &headers,
        vec![b' '; (1 << 20) + 1],
    )
    .await
    .expect_problem(413, "too-large");
}

/// The head of an upload, by hand.
async fn begin(server: &TestServer, client: &Client, hex: &str, framing: &str) -> TcpStream {
    let mut stream = TcpStream::connect(server.address).await.unwrap();
    let head = format!(
        "PUT /v1/blobs/{hex} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\
         content-type: application/octet-stream\r\nconnection: close\r\n{framing}\r\n\r\n",
        client.token()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_upload_keeps_nobody_from_publishing() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let (tom, mia) = (people.human("tom").await, people.human("mia").await);
    let bytes = vec![3_u8; 1 << 20];
    let length = format!("content-length: {}", bytes.len());
    let mut slow = Vec::new();
    for _ in 0..8 {
        let mut stream = begin(&server, &tom, &hex(&bytes), &length).await;
        stream.write_all(&bytes[..1000]).await.unwrap();
        slow.push(stream);
    }
    for n in 0..5 {
        let name = format!("skill-{n}");
        let published = mia.create("actor:mia", &name, "x");
        tokio::time::timeout(Duration::from_secs(5), published)
            .await
            .expect("publishing waits for nobody's upload")
            .expect(201);
    }
    upload(&mia, b"quick").await.expect(201);
    let mut created = 0;
    for mut stream in slow {
        stream.write_all(&bytes[1000..]).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        created += usize::from(answer.starts_with("HTTP/1.1 201 "));
        assert!(answer.starts_with("HTTP/1.1 20"), "{answer}");
    }
    assert_eq!(created, 1, "the same bytes of one uploader are one upload");
    // A client that leaves half way leaves nothing.
    let other = vec![4_u8; 1 << 20];
    let mut stream = begin(&server, &tom, &hex(&other), &length).await;
    stream.write_all(&other[..1000]).await.unwrap();
    drop(stream);
    let files = json!([{"path": "a", "digest": digest(&other)}]);
    publish(&tom, "actor:tom", "x", bundle("x", files))
        .await
        .expect_problem(422, "invalid-content");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_has_a_quota_for_one_and_for_all() {
    let server = Builder {
        // Small ones count as 64 KiB: six in all, and one for each.
        waiting_upload_bytes: Some(6 * 65_536),
        ..Builder::default()
    }
    .start()
    .await;
    let mut people = People::usual(&server).await;
    let block = |n: u8| vec![n; 60];
    let (tom, mia) = (people.human("tom").await, people.human("mia").await);
    upload(&tom, &block(1)).await.expect(201);
    let refused = upload(&tom, &block(2))
        .await
        .expect_problem(422, "quota-exceeded");
    assert!(
        refused.detail().contains("24 hours"),
        "{}",
        refused.detail()
    );
    // What is there can be sent again, and what others have does not come cheaper.
    upload(&tom, &block(1)).await.expect(200);
    upload(&mia, &block(2)).await.expect(201);
    upload(&tom, &block(2))
        .await
        .expect_problem(422, "quota-exceeded");
    // Publishing makes room.
    let files = json!([{"path": "a", "digest": digest(&block(1))}]);
    publish(&tom, "actor:tom", "x", bundle("x", files))
        .await
        .expect(201);
    upload(&tom, &block(2)).await.expect(201);
    // All together have four times as much as one.
    for (n, agent) in (0_u8..).zip(["a", "b", "c", "d"]) {
        let agent = people.agent("acme", "mia", agent).await;
        upload(&agent, &block(10 + n)).await.expect(201);
    }
    let last = people.agent("acme", "mia", "e").await;
    upload(&last, &block(20))
        .await
        .expect_problem(422, "quota-exceeded");
    // That is one tenant's.
    let greta = people.human("greta").await;
    upload(&greta, &block(1)).await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_writes_nowhere_uploads_nothing() {
    let server = TestServer::start().await;
    let mut people = People::usual(&server).await;
    let service = people.service("acme").await;
    let refused = upload(&service, b"x").await.expect_problem(403, "refused");
    assert_eq!(refused.rule(), "humans-only");
    let agent = people.agent("acme", "tom", "bot").await;
    upload(&agent, b"x").await.expect(201);
    let settings = json!({
        "max_cap": 100, "agent_own_scope": "deny", "skills_per_actor": 200,
        "skills_per_tenant": 2_000, "revisions_per_skill": 1_000,
    });
    people
        .elevated("maria", "tenant:acme")
        .await
        .put("/v1/tenants/acme/settings", settings)
        .await
        .expect(200);
    let refused = upload(&agent, b"y").await.expect_problem(403, "refused");
    assert_eq!(refused.rule(), "agents-denied");
    upload(&people.human("tom").await, b"y").await.expect(201);
}

/// What is sent counts until it has left: clients that do not read hold no more memory than is there for them.
#[tokio::test(flavor = "multi_thread")]
async fn clients_that_do_not_read_hold_no_more_than_their_share() {
    let server = TestServer::start().await;
    let people = People::usual(&server).await;
    let tom = people.human("tom").await;
    let bytes = vec![5_u8; 15 << 20];
    upload(&tom, &bytes).await.expect(201);
    let files = json!([{"path": "a", "digest": digest(&bytes)}]);
    publish(&tom, "actor:tom", "big", bundle("big", files))
        .await
        .expect(201);
    let ask = async || {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let head = format!(
            "GET /v1/skills/actor:tom/big/revisions/1/file?path=a HTTP/1.1\r\nhost: x\r\n\
             authorization: Bearer {}\r\nconnection: close\r\n\r\n",
            tom.token()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream
    };
    let answered = async |stream: &mut TcpStream| {
        let first = stream.read_u8();
        tokio::time::timeout(Duration::from_secs(5), first)
            .await
            .is_ok()
    };
    let mut held = Vec::new();
    for _ in 0..4 {
        let mut stream = ask().await;
        assert!(answered(&mut stream).await);
        held.push(stream);
    }
    // The tenant's share is used up, although what it asked for was answered from its first byte on.
    let mut waiting = ask().await;
    let first = waiting.read_u8();
    assert!(
        tokio::time::timeout(Duration::from_secs(1), first)
            .await
            .is_err()
    );
    drop(held);
    assert!(answered(&mut waiting).await);
}
