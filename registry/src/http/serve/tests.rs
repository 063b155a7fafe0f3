use axum::handler::Handler as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::*;

struct Running {
    address: SocketAddr,
    readiness: Readiness,
    stop: oneshot::Sender<()>,
    server: JoinHandle<io::Result<()>>,
}

async fn handler(ConnectInfo(peer): ConnectInfo<SocketAddr>, request: Request<Body>) -> String {
    if request.uri().path() == "/slow" {
        sleep(Duration::from_millis(300)).await;
    }
    if request.uri().path() == "/stuck" {
        sleep(Duration::from_secs(3600)).await;
    }
    format!("hello {}", peer.ip())
}

async fn start(limits: ServeLimits) -> Running {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let readiness = Readiness::new();
    let (stop, stopped) = oneshot::channel();
    let router = Router::new().fallback_service(handler.with_state(()));
    let server = tokio::spawn({
        let readiness = readiness.clone();
        async move {
            let stopped = async { stopped.await.unwrap_or_default() };
            serve(listener, router, &readiness, stopped, limits).await
        }
    });
    Running {
        address,
        readiness,
        stop,
        server,
    }
}

async fn open(address: SocketAddr, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

/// Everything until the server closes.
async fn rest(mut stream: TcpStream) -> String {
    let mut text = String::new();
    let _ = stream.read_to_string(&mut text).await;
    text
}

async fn first_answer(stream: &mut TcpStream) -> String {
    let mut buffer = [0; 1024];
    let read = stream.read(&mut buffer).await.unwrap();
    String::from_utf8_lossy(&buffer[..read]).into_owned()
}

#[tokio::test]
async fn drains() {
    let running = start(ServeLimits::default()).await;
    let mut idle = open(running.address, "/").await;
    assert!(first_answer(&mut idle).await.ends_with("hello 127.0.0.1"));
    let slow = open(running.address, "/slow").await;
    sleep(Duration::from_millis(50)).await;

    running.stop.send(()).unwrap();
    sleep(Duration::from_millis(50)).await;
    assert!(running.readiness.is_draining());
    assert_eq!(rest(idle).await, "", "idle connections close at once");
    let late = rest(open(running.address, "/").await).await;
    assert!(
        late.contains("connection: close") && late.ends_with("hello 127.0.0.1"),
        "{late}"
    );
    assert!(rest(slow).await.ends_with("hello 127.0.0.1"));
    running.server.await.unwrap().unwrap();
    assert!(TcpStream::connect(running.address).await.is_err());
}

#[tokio::test]
async fn cuts_off_what_does_not_end() {
    let running = start(ServeLimits {
        drain_timeout: Duration::from_millis(200),
        notice: Duration::from_secs(60),
        ..ServeLimits::default()
    })
    .await;
    let stuck = open(running.address, "/stuck").await;
    sleep(Duration::from_millis(50)).await;
    running.stop.send(()).unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(5), running.server).await;
    ended.unwrap().unwrap().unwrap();
    assert_eq!(rest(stuck).await, "");
}

#[tokio::test]
async fn closes_heads_that_do_not_come_and_counts_connections() {
    let running = start(ServeLimits {
        header_timeout: Duration::from_millis(200),
        max_connections: 1,
        ..ServeLimits::default()
    })
    .await;
    let mut half = TcpStream::connect(running.address).await.unwrap();
    half.write_all(b"GET / HTTP/1.1\r\nhost").await.unwrap();
    sleep(Duration::from_millis(20)).await;
    // It waits in the backlog until the half one has been closed.
    let begun = Instant::now();
    let mut second = open(running.address, "/").await;
    assert!(first_answer(&mut second).await.ends_with("hello 127.0.0.1"));
    assert!(begun.elapsed() > Duration::from_millis(100));
    assert!(!rest(half).await.contains("hello"));
}

#[tokio::test]
async fn refuses_large_heads() {
    let running = start(ServeLimits::default()).await;
    let path = format!("/{}", "a".repeat(MAX_HEAD_BYTES + 1));
    let answer = rest(open(running.address, &path).await).await;
    assert!(answer.starts_with("HTTP/1.1 4"), "{answer}");
}
