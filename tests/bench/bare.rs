//! The yardstick: an axum handler that answers 4 KiB and does nothing else.

use std::net::SocketAddr;

use axum::Router;
use axum::routing::post;

use crate::request::Load;

const ANSWER: [u8; 4096] = [b'x'; 4096];

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
        let router = Router::new().route("/", post(|| async { ANSWER.as_slice() }));
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
