//! Bodies of raw bytes, read in pieces up to a limit.

use axum::extract::{FromRequest, Request};
use axum::http::header;
use http_body_util::BodyExt as _;

use super::body::is;
use crate::http::problem::Problem;

/// The media type of bytes that are just that.
pub(in crate::http) const BYTES: &str = "application/octet-stream";

/// A body of raw bytes that has not been read yet.
#[derive(Debug)]
pub struct Upload {
    body: axum::body::Body,
    announced: Option<u64>,
}

impl<S: Send + Sync> FromRequest<S> for Upload {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        if !is(request.headers(), BYTES) {
            return Err(Problem::UnsupportedMediaType { expected: &[BYTES] });
        }
        let announced = request
            .headers()
            .get(header::CONTENT_LENGTH)
            .and_then(|value| value.to_str().ok())
            .and_then(|text| text.parse().ok());
        Ok(Self {
            body: request.into_body(),
            announced,
        })
    }
}

impl Upload {
    /// How many bytes the client says that it sends, if it does.
    #[must_use]
    pub fn announced(&self) -> Option<u64> {
        self.announced
    }

    /// Reads all of it, but never more than `limit` bytes.
    ///
    /// # Errors
    /// [`Problem::TooLarge`], or [`Problem::Malformed`] when the body ends early.
    pub async fn read(self, limit: usize) -> Result<Vec<u8>, Problem> {
        let mut body = self.body;
        let mut bytes = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| {
                Problem::malformed("The body ended early or is framed wrongly. Send it again.")
            })?;
            let Ok(data) = frame.into_data() else {
                continue;
            };
            if bytes.len().saturating_add(data.len()) > limit {
                return Err(Problem::TooLarge { limit });
            }
            bytes.extend_from_slice(&data);
        }
        Ok(bytes)
    }
}
