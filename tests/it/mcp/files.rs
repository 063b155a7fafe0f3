//! Large files over MCP: what is held in memory for one is counted until it has left.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::{begin, with_files};
use crate::api::files::{digest, upload};

#[tokio::test(flavor = "multi_thread")]
async fn hosts_that_do_not_read_hold_no_more_than_their_share() {
    let (server, people, _maria, _tom) = begin().await;
    let tom = people.human("tom").await;
    let bytes = vec![5_u8; 15 << 20];
    upload(&tom, &bytes).await.expect(201);
    let files = json!([{"path": "a", "digest": digest(&bytes)}]);
    with_files(&tom, "actor:tom", "big", files).await;
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "skill://actor/big/a"}});
    let message = message.to_string();
    let ask = async || {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {}\r\naccept: application/json, text/event-stream\r\n\
             content-type: application/json\r\nmcp-protocol-version: 2025-11-25\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{message}",
            tom.token(),
            message.len()
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        stream
    };
    let answered = async |stream: &mut TcpStream, seconds| {
        let mut first = [0; 12];
        let reading = stream.read_exact(&mut first);
        let read = tokio::time::timeout(Duration::from_secs(seconds), reading).await;
        read.is_ok_and(|read| read.is_ok() && &first == b"HTTP/1.1 200")
    };
    let mut held = Vec::new();
    let begun = Instant::now();
    for _ in 0..4 {
        let mut stream = ask().await;
        assert!(answered(&mut stream, 60).await);
        held.push(stream);
    }
    // Longer than the others took together: whoever is answered at all is answered by then.
    let patience = begun.elapsed().as_secs() + 2;
    // The tenant's share is used up, although what it asked for was answered from its first byte on.
    let mut waiting = ask().await;
    assert!(!answered(&mut waiting, patience).await);
    drop(held);
    let mut next = ask().await;
    assert!(answered(&mut next, 60).await);
}
