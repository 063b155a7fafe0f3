//! The faults of a line are what they say. At its far end is an echo, which is easier to look at than a database.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::harness::postgres::{APPLICATION, Direction, Proxy};

/// Answers every byte with itself plus a number.
async fn echo(plus: u8) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut bytes = [0; 1024];
                while let Ok(read @ 1..) = stream.read(&mut bytes).await {
                    for byte in &mut bytes[..read] {
                        *byte += plus;
                    }
                    if stream.write_all(&bytes[..read]).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    address
}

/// Sends some bytes, and gives as many as come back before the line breaks.
async fn ask(stream: &mut TcpStream, bytes: &[u8]) -> Vec<u8> {
    let mut answer = Vec::new();
    if stream.write_all(bytes).await.is_err() {
        return answer;
    }
    let mut byte = [0];
    while answer.len() < bytes.len() {
        match stream.read(&mut byte).await {
            Ok(1) => answer.push(byte[0]),
            _ => break,
        }
    }
    answer
}

async fn is_broken(stream: &mut TcpStream) -> bool {
    let mut byte = [0];
    let read = tokio::time::timeout(Duration::from_secs(10), stream.read(&mut byte)).await;
    matches!(read, Ok(Err(_)))
}

#[tokio::test]
async fn a_line_passes_refuses_and_is_cut() {
    let proxy = Proxy::to(echo(0).await).await;
    let mut first = TcpStream::connect(proxy.address).await.unwrap();
    assert_eq!(ask(&mut first, b"abc").await, b"abc");

    proxy.refuse().await;
    let refused = TcpStream::connect(proxy.address).await.unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    assert_eq!(ask(&mut first, b"still").await, b"still");
    proxy.pass().await;
    let mut second = TcpStream::connect(proxy.address).await.unwrap();
    assert_eq!(ask(&mut second, b"again").await, b"again");

    proxy.cut();
    assert!(is_broken(&mut first).await);
    assert!(is_broken(&mut second).await);
    let mut third = TcpStream::connect(proxy.address).await.unwrap();
    assert_eq!(ask(&mut third, b"new").await, b"new");

    // An orderly end goes through as one.
    third.shutdown().await.unwrap();
    assert_eq!(third.read(&mut [0]).await.unwrap(), 0);
}

#[tokio::test]
async fn a_line_stalls_and_is_slow() {
    let proxy = Proxy::to(echo(0).await).await;
    let mut old = TcpStream::connect(proxy.address).await.unwrap();
    assert_eq!(ask(&mut old, b"abc").await, b"abc");
    proxy.stall();
    let mut new = TcpStream::connect(proxy.address).await.unwrap();
    let silence = Duration::from_millis(200);
    for stream in [&mut old, &mut new] {
        stream.write_all(b"waiting").await.unwrap();
        let read = tokio::time::timeout(silence, stream.read(&mut [0])).await;
        assert!(read.is_err(), "{read:?}");
    }
    proxy.pass().await;
    for stream in [&mut old, &mut new] {
        let mut bytes = [0; 7];
        stream.read_exact(&mut bytes).await.unwrap();
        assert_eq!(&bytes, b"waiting");
    }

    proxy.delay(Duration::from_millis(50));
    let begun = Instant::now();
    assert_eq!(ask(&mut old, b"x").await, b"x");
    // There and back.
    assert!(begun.elapsed() >= Duration::from_millis(100));
    proxy.pass().await;
    // What stalls can be cut, too.
    proxy.stall();
    proxy.cut();
    assert!(is_broken(&mut new).await);
}

#[tokio::test]
async fn a_line_is_cut_after_so_many_bytes() {
    let proxy = Proxy::to(echo(0).await).await;
    for (direction, bytes) in [
        (Direction::ToServer, 0),
        (Direction::ToServer, 3),
        (Direction::ToDatabase, 0),
        (Direction::ToDatabase, 3),
    ] {
        let mut other = TcpStream::connect(proxy.address).await.unwrap();
        assert_eq!(ask(&mut other, b"before").await, b"before");
        let mut cut = TcpStream::connect(proxy.address).await.unwrap();
        assert_eq!(ask(&mut cut, b"before").await, b"before");
        proxy.cut_after(direction, bytes);
        assert!(proxy.has_yet_to_cut());
        let answer = ask(&mut cut, b"abcdef").await;
        // The far end may not have answered yet when the line to it breaks.
        match direction {
            Direction::ToServer => assert_eq!(answer, &b"abcdef"[..bytes]),
            Direction::ToDatabase => assert!(answer.len() <= bytes, "{answer:?}"),
        }
        assert!(!proxy.has_yet_to_cut());
        assert_eq!(ask(&mut other, b"others go on").await, b"others go on");
    }
}

#[tokio::test]
async fn a_line_leads_elsewhere() {
    let (here, there) = (echo(0).await, echo(1).await);
    let proxy = Proxy::to(here).await;
    let mut old = TcpStream::connect(proxy.address).await.unwrap();
    assert_eq!(ask(&mut old, b"abc").await, b"abc");
    proxy.retarget(there);
    assert!(is_broken(&mut old).await);
    let mut new = TcpStream::connect(proxy.address).await.unwrap();
    assert_eq!(ask(&mut new, b"abc").await, b"bcd");

    // Nobody is there: the line is taken, and breaks.
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let empty = nobody.local_addr().unwrap();
    drop(nobody);
    proxy.retarget(empty);
    let mut lost = TcpStream::connect(proxy.address).await.unwrap();
    assert!(is_broken(&mut lost).await);
    drop(proxy);
}

/// A commit whose acknowledgement is lost has happened; one that is lost on its way there has not.
#[tokio::test]
async fn a_commit_is_cut_on_either_side() {
    let Some(database) = super::databases::database().await else {
        return;
    };
    database.sql("DELETE FROM kept").await;
    let cluster = &database.cluster;
    let proxy = Proxy::to(cluster.address()).await;
    for (number, direction, happened) in [
        (1, Direction::ToServer, "1"),
        (2, Direction::ToDatabase, "0"),
    ] {
        let url = cluster.url_at(proxy.address, APPLICATION, &database.name);
        let connection = connect(&url).await;
        use sea_orm::{ConnectionTrait as _, TransactionTrait as _};
        let transaction = connection.begin().await.unwrap();
        let insert = format!("INSERT INTO kept VALUES ({number})");
        transaction.execute_unprepared(&insert).await.unwrap();
        proxy.cut_after(direction, 0);
        transaction.commit().await.unwrap_err();
        assert!(!proxy.has_yet_to_cut());
        let count = format!("SELECT count(*) FROM kept WHERE n = {number}");
        let seen = database.sql(&count).await;
        assert_eq!(seen, happened, "{direction:?}");
        // There is nothing that a pool could try again with until the line passes.
        let _ = connection.close().await;
    }
}

async fn connect(url: &str) -> sea_orm::DatabaseConnection {
    let mut options = sea_orm::ConnectOptions::new(url);
    options.max_connections(1).sqlx_logging(false);
    sea_orm::Database::connect(options).await.unwrap()
}

#[tokio::test]
async fn what_vanished_is_silent_for_ever_and_what_comes_after_is_not() {
    let proxy = Proxy::to(echo(0).await).await;
    let mut before = TcpStream::connect(proxy.address).await.unwrap();
    assert_eq!(ask(&mut before, b"abc").await, b"abc");
    proxy.vanish();
    let mut after = TcpStream::connect(proxy.address).await.unwrap();
    assert_eq!(ask(&mut after, b"new").await, b"new");
    proxy.pass().await;
    before.write_all(b"still there?").await.unwrap();
    let mut byte = [0];
    let read = tokio::time::timeout(Duration::from_millis(500), before.read(&mut byte)).await;
    assert!(read.is_err(), "{read:?}");
    assert_eq!(ask(&mut after, b"again").await, b"again");
}
