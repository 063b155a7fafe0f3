//! A generator of load: raw requests over kept connections, one at a time on each.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

type Make = Arc<dyn Fn(u64) -> Vec<u8> + Send + Sync>;

/// What is asked, and where.
pub(crate) struct Load {
    address: SocketAddr,
    make: Make,
    numbers: Arc<AtomicU64>,
    alone: bool,
}

/// What came of it.
pub(crate) struct Ran {
    pub(crate) requests: u64,
    pub(crate) elapsed: Duration,
    pub(crate) p50: Duration,
}

impl Load {
    /// The same request again and again.
    pub(crate) fn same(address: SocketAddr, request: Vec<u8>) -> Self {
        Self::numbered(address, Arc::new(move |_| request.clone()))
    }

    /// A request made of a number that is never used twice.
    pub(crate) fn numbered(address: SocketAddr, make: Make) -> Self {
        Self {
            address,
            make,
            numbers: Arc::new(AtomicU64::new(1)),
            alone: false,
        }
    }

    /// On one connection only.
    pub(crate) fn alone(self) -> Self {
        Self {
            alone: true,
            ..self
        }
    }
}

/// Asks for this long.
pub(crate) fn run(load: &Load, connections: usize, time: Duration) -> Ran {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let begin = Instant::now();
        let tasks: Vec<_> = (0..if load.alone { 1 } else { connections })
            .map(|_| {
                let (address, make, numbers) = (
                    load.address,
                    Arc::clone(&load.make),
                    Arc::clone(&load.numbers),
                );
                tokio::spawn(ask(address, make, numbers, begin + time))
            })
            .collect();
        let mut times = Vec::new();
        for task in tasks {
            times.extend(task.await.unwrap());
        }
        times.sort_unstable();
        Ran {
            requests: times.len() as u64,
            elapsed: begin.elapsed(),
            p50: times[times.len() / 2],
        }
    })
}

async fn ask(
    address: SocketAddr,
    make: Make,
    numbers: Arc<AtomicU64>,
    end: Instant,
) -> Vec<Duration> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let mut times = Vec::new();
    let mut buffer = vec![0_u8; 256 * 1024];
    while Instant::now() < end {
        let request = make(numbers.fetch_add(1, Ordering::Relaxed));
        let begin = Instant::now();
        stream.write_all(&request).await.unwrap();
        let mut filled = 0;
        let mut whole = None;
        while whole.is_none_or(|whole| filled < whole) {
            let read = stream.read(&mut buffer[filled..]).await.unwrap();
            assert!(read > 0, "the server closed the connection");
            filled += read;
            if whole.is_none() {
                whole = length(&buffer[..filled]);
            }
        }
        times.push(begin.elapsed());
    }
    times
}

/// The length of an answer, once its head is there. Anything but a success ends the bench.
fn length(bytes: &[u8]) -> Option<usize> {
    let head = bytes.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&bytes[..head]).to_ascii_lowercase();
    assert!(
        text.starts_with("http/1.1 20"),
        "{}",
        String::from_utf8_lossy(bytes)
    );
    let body: usize = text
        .lines()
        .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok())
        .expect("a length");
    Some(head + body)
}
