//! The yardstick: an axum handler that answers 4 KiB and does nothing else, and one that answers what it was given before.

use std::net::SocketAddr;
use std::sync::OnceLock;

use axum::Router;
use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::routing::post;

use crate::generator::Connection;
use crate::request::Load;

const ANSWER: [u8; 4096] = [b'x'; 4096];

/// What the second handler answers, once it was told.
static SAME: OnceLock<Bytes> = OnceLock::new();

/// Takes a body, as any handler with a body does, and answers what is there.
async fn answer_same(_: Bytes) -> ([(header::HeaderName, &'static str); 1], Bytes) {
    let json = [(header::CONTENT_TYPE, "application/json")];
    (json, SAME.get().cloned().unwrap_or_default())
}

async fn set_same(body: Bytes) -> StatusCode {
    if SAME.set(body).is_ok() {
        StatusCode::OK
    } else {
        StatusCode::CONFLICT
    }
}

/// Serves until it is killed; prints its address.
pub(crate) fn serve() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        #[expect(
            clippy::disallowed_methods,
            reason = "the yardstick is not part of the route table"
        )]
        let router = Router::new()
            .route("/", post(|| async { ANSWER.as_slice() }))
            .route("/same", post(answer_same).put(set_same));
        let listener = tokio::net::TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0)))
            .await
            .unwrap();
        println!("listening on {}", listener.local_addr().unwrap());
        axum::serve(listener, router).await.unwrap();
    });
}

/// A request for it, as large as a catalog's.
pub(crate) fn load(address: SocketAddr) -> Load {
    Load::new(address, "POST", "/", &"x".repeat(420), "", "{}")
}

/// A request for the second handler that sends what another one sends, and is answered these bytes.
pub(crate) fn same(address: SocketAddr, like: &Load, answer: &str) -> Load {
    let set = Load::new(address, "PUT", "/same", "", "", answer);
    Connection::open(address).ask(&set.bytes());
    like.at(address, "/same")
}
