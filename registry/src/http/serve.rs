//! The accept loop, its limits and its end.
//!
//! hyper is driven here by hand, because `axum::serve` has no limit on connections, no deadline for
//! the head of a request, and an end that waits for the slowest client.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout_at};
use tokio_io_timeout::TimeoutStream;
use tower::Service as _;

use super::health::Readiness;

/// The largest head of a request. Tokens and offers travel in headers and bodies of a few kilobytes.
const MAX_HEAD_BYTES: usize = 32 * 1024;
/// How long to wait after an accept that failed for want of something, such as file descriptors.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(100);

/// The limits of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServeLimits {
    /// The time that a client has to send the head of a request; also how long an idle connection is kept.
    pub header_timeout: Duration,
    /// The time that requests have to end after the shutdown began.
    pub drain_timeout: Duration,
    /// How long the server goes on accepting after the shutdown began, at least, so that a load
    /// balancer can see that it is draining. Never longer than `drain_timeout`.
    pub notice: Duration,
    /// The most connections at once; further ones wait in the backlog of the listener.
    pub max_connections: usize,
}

impl Default for ServeLimits {
    fn default() -> Self {
        Self {
            header_timeout: Duration::from_secs(30),
            drain_timeout: Duration::from_secs(10),
            notice: Duration::ZERO,
            max_connections: 10_000,
        }
    }
}

/// Serves until `shutdown` is done, then drains.
///
/// Draining: [`Readiness`] says so, connections that are idle close, and those with a request close
/// after its answer. For as long as any of them is left (and for the notice, if there is one), new
/// connections are still taken, for one request each, so that nobody is turned away while a load
/// balancer catches up. What is left after the drain timeout is cut off.
///
/// # Errors
/// None at present: an accept that fails is logged and tried again.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    readiness: &Readiness,
    shutdown: impl Future<Output = ()>,
    limits: ServeLimits,
) -> io::Result<()> {
    let mut server = Server {
        router,
        limits,
        slots: Arc::new(Semaphore::new(
            limits.max_connections.clamp(1, Semaphore::MAX_PERMITS),
        )),
        connections: JoinSet::new(),
    };
    let graceful = GracefulShutdown::new();
    let mut shutdown = pin!(shutdown);
    loop {
        tokio::select! {
            (stream, peer, slot) = server.accept(&listener) => {
                server.spawn(stream, peer, slot, Some(graceful.watcher()));
            }
            () = &mut shutdown => break,
        }
    }

    readiness.drain();
    let begun = Instant::now();
    let deadline = begun + limits.drain_timeout;
    tracing::info!(connections = server.connections.len(), "draining");
    let mut drained = pin!(async {
        graceful.shutdown().await;
        sleep_until((begun + limits.notice).min(deadline)).await;
    });
    loop {
        tokio::select! {
            () = &mut drained => break,
            () = sleep_until(deadline) => break,
            (stream, peer, slot) = server.accept(&listener) => {
                server.spawn(stream, peer, slot, None);
            }
        }
    }
    drop(listener);
    let rest = async { while server.connections.join_next().await.is_some() {} };
    if timeout_at(deadline, rest).await.is_err() {
        tracing::warn!(
            connections = server.connections.len(),
            "the drain timeout is over: closing what is left"
        );
    }
    Ok(())
}

struct Server {
    router: Router,
    limits: ServeLimits,
    slots: Arc<Semaphore>,
    connections: JoinSet<()>,
}

impl Server {
    /// The next connection and its slot. Nothing is lost when this is dropped half way.
    async fn accept(
        &mut self,
        listener: &TcpListener,
    ) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
        // The results of ended connections are let go here, so that they do not pile up.
        while self.connections.try_join_next().is_some() {}
        loop {
            let Ok(slot) = Arc::clone(&self.slots).acquire_owned().await else {
                // The semaphore is never closed; if it were, no connection would be taken any more.
                std::future::pending::<()>().await;
                continue;
            };
            match listener.accept().await {
                Ok((stream, peer)) => return (stream, peer, slot),
                // The client gave up in the backlog: nothing is short.
                Err(error) if is_of_client(&error) => {}
                Err(error) => {
                    tracing::error!(
                        error = &error as &(dyn std::error::Error + 'static),
                        "cannot accept connections; trying again"
                    );
                    sleep(ACCEPT_BACKOFF).await;
                }
            }
        }
    }

    /// Serves a connection in a task of its own; without a watcher, for one request only.
    fn spawn(
        &mut self,
        stream: TcpStream,
        peer: SocketAddr,
        slot: OwnedSemaphorePermit,
        watcher: Option<Watcher>,
    ) {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "cannot set TCP_NODELAY");
        }
        // A client that does not read its answers holds nothing for longer than one that does not send its request.
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(self.limits.header_timeout));
        let router = self.router.clone();
        let service = service_fn(move |request: Request<Incoming>| {
            let mut router = router.clone();
            async move {
                let mut request = request.map(Body::new);
                request.extensions_mut().insert(ConnectInfo(peer));
                // A router is always ready.
                Ok::<_, Infallible>(match router.call(request).await {
                    Ok(response) => response,
                    Err(never) => match never {},
                })
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.header_timeout)
            .max_header_size(MAX_HEAD_BYTES)
            .keep_alive(watcher.is_some())
            .serve_connection(TokioIo::new(Box::pin(stream)), service);
        self.connections.spawn(async move {
            let result = match watcher {
                Some(watcher) => watcher.watch(connection).await,
                None => connection.await,
            };
            if let Err(error) = result {
                // Clients break off and speak nonsense all day; none of it is news.
                tracing::debug!(
                    error = &error as &(dyn std::error::Error + 'static),
                    "connection ended"
                );
            }
            drop(slot);
        });
    }
}

fn is_of_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}

#[cfg(test)]
mod tests;
