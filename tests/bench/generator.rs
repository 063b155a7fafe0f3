//! Generators of load: raw requests over kept connections, one at a time on each.

use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::request::Load;
use crate::wrk;

/// What came of it.
pub(crate) struct Ran {
    pub(crate) requests: u64,
    pub(crate) elapsed: Duration,
    pub(crate) p50: Duration,
}

/// Asks for this long, with the best generator that there is.
pub(crate) fn run(load: &Load, connections: usize, time: Duration) -> Ran {
    if wrk::is_installed() {
        wrk::run(load, connections, time)
    } else {
        run_own(load, connections, time)
    }
}

fn run_own(load: &Load, connections: usize, time: Duration) -> Ran {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let begin = Instant::now();
        let tasks: Vec<_> = (0..connections)
            .map(|_| tokio::spawn(ask(load.clone(), begin + time)))
            .collect();
        let mut times = Vec::new();
        for task in tasks {
            times.extend(task.await.unwrap());
        }
        ran(times, begin.elapsed())
    })
}

/// Asks on one connection for this long, with nothing between the socket and the clock.
pub(crate) fn run_alone(load: &Load, time: Duration) -> Ran {
    let mut connection = Connection::open(load.address);
    let mut times = Vec::new();
    let start = Instant::now();
    while start.elapsed() < time {
        let request = load.bytes();
        let begin = Instant::now();
        connection.ask(&request);
        times.push(begin.elapsed());
    }
    ran(times, start.elapsed())
}

/// Asks so often a second for this long, on these connections in turn; gives the time within which 99 of 100 were answered. Each
/// counts from when it was due, so that what waits for a slow answer counts as well.
pub(crate) fn run_paced(load: &Load, connections: usize, rate: f64, time: Duration) -> Duration {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let every = Duration::from_secs_f64(connections as f64 / rate);
        let begin = Instant::now();
        let tasks: Vec<_> = (0..connections)
            .map(|at| {
                let first = begin + every.mul_f64(at as f64 / connections as f64);
                tokio::spawn(ask_paced(load.clone(), first, every, begin + time))
            })
            .collect();
        let mut times = Vec::new();
        for task in tasks {
            times.extend(task.await.unwrap());
        }
        times.sort_unstable();
        times[times.len() * 99 / 100]
    })
}

/// A connection that is kept, and blocks.
pub(crate) struct Connection {
    stream: std::net::TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Self {
        let stream = std::net::TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        Self {
            stream,
            buffer: vec![0; 256 * 1024],
        }
    }

    /// Sends a request, and reads its answer; gives the bytes of that.
    pub(crate) fn ask(&mut self, request: &[u8]) -> &[u8] {
        self.stream.write_all(request).unwrap();
        let mut filled = 0;
        let mut whole = None;
        while whole.is_none_or(|whole| filled < whole) {
            let read = self.stream.read(&mut self.buffer[filled..]).unwrap();
            assert!(read > 0, "the server closed the connection");
            filled += read;
            whole = whole.or_else(|| length(&self.buffer[..filled]));
        }
        &self.buffer[..filled]
    }
}

fn ran(mut times: Vec<Duration>, elapsed: Duration) -> Ran {
    times.sort_unstable();
    Ran {
        requests: times.len() as u64,
        elapsed,
        p50: times[times.len() / 2],
    }
}

async fn ask(load: Load, end: Instant) -> Vec<Duration> {
    let mut stream = TcpStream::connect(load.address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let mut times = Vec::new();
    let mut buffer = vec![0_u8; 256 * 1024];
    while Instant::now() < end {
        let request = load.bytes();
        let begin = Instant::now();
        exchange(&mut stream, &request, &mut buffer).await;
        times.push(begin.elapsed());
    }
    times
}

async fn ask_paced(load: Load, first: Instant, every: Duration, end: Instant) -> Vec<Duration> {
    let mut stream = TcpStream::connect(load.address).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let mut times = Vec::new();
    let mut buffer = vec![0_u8; 256 * 1024];
    let mut due = first;
    while due < end {
        tokio::time::sleep_until(due.into()).await;
        exchange(&mut stream, &load.bytes(), &mut buffer).await;
        times.push(due.elapsed());
        due += every;
    }
    times
}

/// Sends a request, and reads its answer to its end.
async fn exchange(stream: &mut TcpStream, request: &[u8], buffer: &mut [u8]) {
    stream.write_all(request).await.unwrap();
    let mut filled = 0;
    let mut whole = None;
    while whole.is_none_or(|whole| filled < whole) {
        let read = stream.read(&mut buffer[filled..]).await.unwrap();
        assert!(read > 0, "the server closed the connection");
        filled += read;
        whole = whole.or_else(|| length(&buffer[..filled]));
    }
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
