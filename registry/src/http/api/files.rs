//! How bundled files are named and handed out, the same at every route.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http_body_util::Full;
use hyper::body::{Frame, SizeHint};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::Digest;

use crate::content::digest::ManifestFile;
use crate::content::{FileDraft, FileSource, FilesError, PreparedFiles};
use crate::http::extract::BYTES;
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
pub(in crate::http) struct FileContent {
    /// The path below the skill, with `/` between segments.
    path: String,
    /// The bytes, as a text.
    #[serde(default)]
    text: Option<String>,
    /// The bytes, in base64 with padding.
    #[serde(default)]
    base64: Option<String>,
    /// The digest of bytes that the caller uploaded with `PUT /v1/blobs/{sha256}`, or that the skill has now.
    #[serde(default)]
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

/// A file as JSON. What is held for its bytes is held until the answer is sent.
pub(super) fn as_json(file: BundledFile) -> Result<Response, Problem> {
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
    let bytes = serde_json::to_vec(&answer).map_err(Problem::internal)?;
    Ok((
        [(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json"),
        )],
        held(bytes, reservation),
    )
        .into_response())
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

fn held(bytes: Vec<u8>, reservation: Option<Reservation>) -> Body {
    match reservation {
        None => Body::from(bytes),
        Some(reservation) => Body::new(Held {
            body: Full::from(bytes),
            _reservation: reservation,
        }),
    }
}

/// A body that holds room in memory until it is sent.
struct Held {
    body: Full<Bytes>,
    _reservation: Reservation,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
