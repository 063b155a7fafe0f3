//! A line between server and database that fails as it is told.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use super::cluster::free_port;

/// Which way bytes go.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Direction {
    ToDatabase,
    ToServer,
}

/// What happens on the line.
#[derive(Debug, Clone, Copy)]
struct State {
    target: SocketAddr,
    /// Whether nobody listens.
    refuses: bool,
    /// Whether nothing goes through, though everything is taken.
    stalls: bool,
    /// What each piece waits for.
    latency: Duration,
    /// How often everything was cut.
    cuts: u64,
    /// How often whoever was at the other end vanished.
    vanished: u64,
}

struct Line {
    state: watch::Sender<State>,
    /// How many bytes still go one way before the connection that carries the last of them is cut.
    budget: Mutex<Option<(Direction, usize)>>,
}

/// A listening proxy; it ends, and cuts everything, with this.
pub(crate) struct Proxy {
    pub(crate) address: SocketAddr,
    line: Arc<Line>,
    listens: watch::Receiver<bool>,
    accepting: JoinHandle<()>,
}

impl Proxy {
    /// A line to a database that lets everything pass.
    pub(crate) async fn to(target: SocketAddr) -> Self {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()));
        let line = Arc::new(Line {
            state: watch::Sender::new(State {
                target,
                refuses: false,
                stalls: false,
                latency: Duration::ZERO,
                cuts: 0,
                vanished: 0,
            }),
            budget: Mutex::new(None),
        });
        let (listening, mut listens) = watch::channel(false);
        let accepting = tokio::spawn(accept(address, line.clone(), listening));
        listens.wait_for(|listens| *listens).await.unwrap();
        Self {
            address,
            line,
            listens,
            accepting,
        }
    }

    /// Lets everything pass again, at once.
    pub(crate) async fn pass(&self) {
        *self.budget() = None;
        self.line.state.send_modify(|state| {
            state.refuses = false;
            state.stalls = false;
            state.latency = Duration::ZERO;
        });
        self.until_it_listens(true).await;
    }

    /// Refuses new connections, as a machine does on which nobody listens. Those that are there go on.
    pub(crate) async fn refuse(&self) {
        self.line.state.send_modify(|state| state.refuses = true);
        self.until_it_listens(false).await;
    }

    /// Cuts every connection now, as a machine that goes away: what was on its way is lost.
    pub(crate) fn cut(&self) {
        self.line.state.send_modify(|state| state.cuts += 1);
    }

    /// Takes connections and bytes, and lets nothing through: no error, and no answer.
    pub(crate) fn stall(&self) {
        self.line.state.send_modify(|state| state.stalls = true);
    }

    /// Takes what comes over the connections that are there, for ever, and answers nothing, as a machine does that lost its power:
    /// nobody is told that they are broken. New ones lead to the database.
    pub(crate) fn vanish(&self) {
        self.line.state.send_modify(|state| state.vanished += 1);
    }

    /// Holds every piece for so long, each way.
    pub(crate) fn delay(&self, latency: Duration) {
        self.line.state.send_modify(|state| state.latency = latency);
    }

    /// Lets so many more bytes go one way, over all connections together, and cuts the connection that carries the last of them;
    /// with 0, the one that would carry the next. Then everything passes again.
    pub(crate) fn cut_after(&self, direction: Direction, bytes: usize) {
        *self.budget() = Some((direction, bytes));
    }

    /// Whether `cut_after` has still to cut.
    pub(crate) fn has_yet_to_cut(&self) -> bool {
        self.budget().is_some()
    }

    /// Leads new connections elsewhere, and cuts those that are there, as a failover does.
    pub(crate) fn retarget(&self, target: SocketAddr) {
        self.line.state.send_modify(|state| {
            state.target = target;
            state.cuts += 1;
        });
    }

    async fn until_it_listens(&self, so: bool) {
        let mut listens = self.listens.clone();
        listens.wait_for(|listens| *listens == so).await.unwrap();
    }

    fn budget(&self) -> std::sync::MutexGuard<'_, Option<(Direction, usize)>> {
        let budget = self.line.budget.lock();
        budget.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(address: SocketAddr, line: Arc<Line>, listening: watch::Sender<bool>) {
    let mut state = line.state.subscribe();
    let mut connections = JoinSet::new();
    loop {
        if state.wait_for(|state| !state.refuses).await.is_err() {
            return;
        }
        let listener = TcpListener::bind(address).await.unwrap();
        listening.send_replace(true);
        loop {
            tokio::select! {
                // To refuse is decided before what came before it is looked at.
                biased;
                _ = state.wait_for(|state| state.refuses) => break,
                accepted = listener.accept() => {
                    if let Ok((server, _)) = accepted {
                        connections.spawn(connect(server, line.clone()));
                    }
                }
            }
            while connections.try_join_next().is_some() {}
        }
        drop(listener);
        listening.send_replace(false);
    }
}

/// A connection from its beginning to its end.
async fn connect(mut server: TcpStream, line: Arc<Line>) {
    let mut state = line.state.subscribe();
    let born = *state.borrow_and_update();
    let mut database = None;
    let mut ended_well = {
        let carried = carry(&mut server, &mut database, &line);
        tokio::select! {
            carried = carried => carried.is_ok(),
            _ = state.wait_for(|state| state.cuts != born.cuts || state.vanished != born.vanished) => false,
        }
    };
    if state.borrow().vanished != born.vanished {
        // The database knows that nobody is there any more; the server is told nothing.
        if let Some(database) = database.take() {
            let _ = database.set_zero_linger();
        }
        swallow(&mut server, &mut state, born.cuts).await;
        ended_well = false;
    }
    if !ended_well {
        // No orderly end: whoever is at the other end learns that the line is broken.
        for end in [Some(server), database].into_iter().flatten() {
            let _ = end.set_zero_linger();
        }
    }
}

/// Takes what comes, until everything is cut.
async fn swallow(server: &mut TcpStream, state: &mut watch::Receiver<State>, cuts: u64) {
    let mut bytes = [0; 1024];
    loop {
        tokio::select! {
            read = server.read(&mut bytes) => if !matches!(read, Ok(1..)) { return },
            cut = state.wait_for(|state| state.cuts != cuts) => {
                // Where the proxy is gone, so is this.
                drop(cut);
                return;
            }
        }
    }
}

async fn carry(
    server: &mut TcpStream,
    database: &mut Option<TcpStream>,
    line: &Line,
) -> std::io::Result<()> {
    let mut state = line.state.subscribe();
    let target = flowing(&mut state).await.target;
    let database = database.insert(TcpStream::connect(target).await?);
    server.set_nodelay(true)?;
    database.set_nodelay(true)?;
    let (from_server, to_server) = server.split();
    let (from_database, to_database) = database.split();
    tokio::try_join!(
        forward(from_server, to_database, Direction::ToDatabase, line),
        forward(from_database, to_server, Direction::ToServer, line),
    )?;
    Ok(())
}

async fn forward(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    direction: Direction,
    line: &Line,
) -> std::io::Result<()> {
    let mut state = line.state.subscribe();
    let mut bytes = vec![0; 16 << 10];
    loop {
        let read = from.read(&mut bytes).await?;
        let latency = flowing(&mut state).await.latency;
        if !latency.is_zero() {
            tokio::time::sleep(latency).await;
            // It may have stalled meanwhile.
            flowing(&mut state).await;
        }
        if read == 0 {
            return to.shutdown().await;
        }
        let (passes, cuts) = line.passes(direction, read);
        to.write_all(&bytes[..passes]).await?;
        if cuts {
            to.flush().await?;
            return Err(std::io::ErrorKind::ConnectionReset.into());
        }
    }
}

/// Waits until something goes through.
async fn flowing(state: &mut watch::Receiver<State>) -> State {
    let flows = state.wait_for(|state| !state.stalls).await;
    match flows.map(|state| *state) {
        Ok(state) => state,
        // The proxy is gone, and this connection is about to be.
        Err(_) => std::future::pending().await,
    }
}

impl Line {
    /// How many of so many bytes go one way, and whether the connection is cut after them.
    fn passes(&self, direction: Direction, bytes: usize) -> (usize, bool) {
        let mut budget = self.budget.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((limited, left)) = budget.as_mut() else {
            return (bytes, false);
        };
        if *limited != direction {
            return (bytes, false);
        }
        if *left > bytes {
            *left -= bytes;
            return (bytes, false);
        }
        let passes = *left;
        *budget = None;
        (passes, true)
    }
}
