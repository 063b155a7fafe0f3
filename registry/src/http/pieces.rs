//! A body in pieces that are sent as they lie: what many answers have in common is shared, not copied into each.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use http_body_util::BodyExt as _;
use hyper::body::{Frame, SizeHint};

/// Up to `N` pieces, sent in order; their length is known, so that the answer says it.
#[derive(Debug)]
pub(super) struct Pieces<const N: usize>(std::array::IntoIter<Bytes, N>);

impl<const N: usize> Pieces<N> {
    pub(super) fn new(pieces: [Bytes; N]) -> Self {
        Self(pieces.into_iter())
    }

    pub(super) fn into_body(self) -> Body {
        Body::new(self.map_err(|never: Infallible| match never {}))
    }
}

impl<const N: usize> HttpBody for Pieces<N> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.next().map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.len() == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(
            self.0
                .as_slice()
                .iter()
                .map(|piece| piece.len() as u64)
                .sum(),
        )
    }
}
