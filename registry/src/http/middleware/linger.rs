//! Bodies that a handler does not want are read to their end nonetheless, within bounds.
//!
//! A server that answers and closes while its client still sends makes the client's machine throw the answer away: whoever
//! sends too much, or sends it without a credential, would see a broken connection and not the problem.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::header;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Frame, SizeHint};

/// A body of this size has arrived with its head, or nearly so: it is left as it is.
const SMALL: u64 = 16 * 1024;
/// The most that is read of a body that nobody wants.
const MOST: usize = 32 * 1024 * 1024;
/// The longest that is waited for it.
const PATIENCE: Duration = Duration::from_secs(5);

/// The request with a body that is drained when it is dropped.
pub(super) fn lingering(request: Request) -> Request {
    let hint = request.body().size_hint().exact();
    // A client that waits for our word before it sends is not to be asked for what nobody wants.
    let waits = request.headers().contains_key(header::EXPECT);
    if waits || hint.is_some_and(|size| size <= SMALL) {
        return request;
    }
    request.map(|body| Body::new(Lingering(Some(body))))
}

struct Lingering(Option<Body>);

impl HttpBody for Lingering {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Some(body) = &mut self.0 else {
            return Poll::Ready(None);
        };
        let frame = Pin::new(body).poll_frame(context);
        // The end, or an error after which there is nothing to come.
        if let Poll::Ready(None | Some(Err(_))) = frame {
            self.0 = None;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.0
            .as_ref()
            .map_or_else(|| SizeHint::with_exact(0), HttpBody::size_hint)
    }
}

impl Drop for Lingering {
    fn drop(&mut self) {
        let Some(body) = self.0.take().filter(|body| !body.is_end_stream()) else {
            return;
        };
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let mut rest = Limited::new(body, MOST);
                let drained = async { while let Some(Ok(_)) = rest.frame().await {} };
                // However it ends, the connection is closed or goes on; there is nobody to tell.
                let _ = tokio::time::timeout(PATIENCE, drained).await;
            });
        }
    }
}
