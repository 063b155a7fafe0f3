//! How bundled files are named and handed out, the same at every route.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::body::{Frame, SizeHint};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::Digest;

use crate::content::digest::ManifestFile;
use crate::content::{FileDraft, FileSource, FilesError, PreparedFiles};
use crate::http::extract::{BYTES, present, without_null_defaults};
use crate::http::problem::{Fault, Problem};
use crate::store::{BundledFile, Reservation};

/// A bundled file, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(in crate::http) struct File {
    /// The path below the skill.
    path: String,
    /// The size in bytes.
    size: u64,
    /// The SHA-256 of the bytes.
    digest: String,
}

impl From<&ManifestFile> for File {
    fn from(file: &ManifestFile) -> Self {
        Self {
            path: file.path.clone(),
            size: file.size,
            digest: file.digest.to_string(),
        }
    }
}

/// Files as answers list them.
pub(super) fn listed(files: &[ManifestFile]) -> Vec<File> {
    files.iter().map(File::from).collect()
}

/// A file to be bundled: its path, and one of `text`, `base64` and `digest`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = without_null_defaults)]
pub(crate) struct FileContent {
    /// The path below the skill, with `/` between segments.
    path: String,
    /// The bytes, as a text.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    text: Option<String>,
    /// The bytes, in base64 with padding.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    base64: Option<String>,
    /// The digest of bytes that the caller uploaded with `PUT /v1/blobs/{sha256}`, or that the skill has now.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "String")]
    digest: Option<String>,
}

/// Checks the files of a request; none at all keeps those that the skill has.
pub(super) fn prepare(files: Option<Vec<FileContent>>) -> Result<PreparedFiles, Problem> {
    let drafts = files
        .map(|files| files.into_iter().enumerate().map(draft).collect())
        .transpose()?;
    PreparedFiles::new(drafts)
        .map_err(|FilesError { field, detail }| Problem::InvalidContent(Fault::at(field, detail)))
}

fn draft((position, file): (usize, FileContent)) -> Result<FileDraft, Problem> {
    let invalid = |field: &str, detail: &'static str| {
        Problem::InvalidContent(Fault::at(format!("files[{position}]{field}"), detail))
    };
    let FileContent {
        path,
        text,
        base64,
        digest,
    } = file;
    let source = match (text, base64, digest) {
        (Some(text), None, None) => FileSource::Bytes(text.into_bytes()),
        (None, Some(text), None) => FileSource::Bytes(STANDARD.decode(text).map_err(|_| {
            invalid(
                ".base64",
                "This is not base64; write it in the standard alphabet with padding.",
            )
        })?),
        (None, None, Some(digest)) => {
            FileSource::Digest(Digest::parse(&digest).ok_or_else(|| {
                invalid(
                    ".digest",
                    "Write a digest as `sha256:` and 64 lower-case hexadecimal digits.",
                )
            })?)
        }
        _ => {
            return Err(invalid(
                "",
                "A file has exactly one of `text`, `base64` and `digest`.",
            ));
        }
    };
    Ok(FileDraft { path, source })
}

/// A file with its bytes, as JSON.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct FileAnswer {
    /// The path below the skill.
    path: String,
    /// The size in bytes.
    size: u64,
    /// The SHA-256 of the bytes.
    digest: String,
    /// The bytes, when they are text of which everything shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The bytes in base64, otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

/// Files up to this size are made into JSON where they are; larger ones where they keep nobody waiting.
const SMALL: usize = 64 << 10;

/// A file as JSON. What is held for its bytes is held until the answer is sent.
pub(super) async fn as_json(file: BundledFile) -> Result<Response, Problem> {
    let (bytes, reservation) = if file.bytes().len() > SMALL {
        tokio::task::spawn_blocking(move || json_of(file))
            .await
            .map_err(Problem::internal)?
    } else {
        json_of(file)
    }
    .map_err(Problem::internal)?;
    let json = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, json)], held(bytes, reservation)).into_response())
}

fn json_of(file: BundledFile) -> serde_json::Result<(Vec<u8>, Option<Reservation>)> {
    let text = file.text().map(ToOwned::to_owned);
    let base64 = text.is_none().then(|| STANDARD.encode(file.bytes()));
    let answer = FileAnswer {
        path: file.path().to_owned(),
        size: u64::try_from(file.bytes().len()).unwrap_or(u64::MAX),
        digest: file.digest().to_string(),
        text,
        base64,
    };
    let (_, reservation) = file.into_bytes();
    Ok((serde_json::to_vec(&answer)?, reservation))
}

/// The bytes of a file, to be saved and not to be shown: whoever wrote the skill wrote them.
pub(super) fn as_bytes(file: BundledFile) -> Result<Response, Problem> {
    let tag =
        HeaderValue::from_str(&format!("\"{}\"", file.digest())).map_err(Problem::internal)?;
    let (bytes, reservation) = file.into_bytes();
    Ok((
        [
            (header::CONTENT_TYPE, HeaderValue::from_static(BYTES)),
            (
                header::CONTENT_DISPOSITION,
                HeaderValue::from_static("attachment"),
            ),
            (header::ETAG, tag),
        ],
        held(bytes, reservation),
    )
        .into_response())
}

/// The most bytes that are handed to the connection at once.
const FRAME: usize = 64 << 10;

/// A body that is sent piece by piece, and holds room in memory until its last piece is sent.
pub(crate) fn held(bytes: Vec<u8>, reservation: Option<Reservation>) -> Body {
    match reservation {
        None => Body::from(bytes),
        Some(reservation) => Body::new(Held(Bytes::from_owner(Owned {
            bytes,
            _reservation: reservation,
        }))),
    }
}

/// Bytes that live as long as the room that is held for them: the connection keeps pieces until they are sent.
struct Owned {
    bytes: Vec<u8>,
    _reservation: Reservation,
}

impl AsRef<[u8]> for Owned {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

struct Held(Bytes);

impl HttpBody for Held {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let length = self.0.len().min(FRAME);
        let piece = self.0.split_to(length);
        Poll::Ready((!piece.is_empty()).then(|| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(u64::try_from(self.0.len()).unwrap_or(u64::MAX))
    }
}
