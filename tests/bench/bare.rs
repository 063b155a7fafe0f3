//! The yardstick: an axum handler that answers 4 KiB and does nothing else.

use std::net::SocketAddr;

use axum::Router;
use axum::routing::post;

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
pub(crate) fn request() -> Vec<u8> {
    let token = "x".repeat(420);
    format!("POST / HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {token}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{{}}").into_bytes()
}
