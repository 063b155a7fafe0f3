//! Sending a skill: large files first, as blobs, and then the rest in one request.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::Method;
use serde_json::{Map, Value, json};
use vestry_policies::Digest;

use crate::bundle::{Bundle, BundledFile};
use crate::cli::session::{As, Session, Trouble};
use crate::client::agent::precondition;
use crate::client::{Answer, BYTES, Call, path, query};

/// A file with more bytes than this is uploaded by itself.
const INLINE_FILE: usize = 64 * 1024;
/// The most bytes of SKILL.md and files in one request; what is encoded is larger, and a request has at most 1 MiB.
const INLINE_TOTAL: usize = 512 * 1024;
/// The most bytes of a request.
const MAX_REQUEST: usize = 1 << 20;

impl Bundle {
    /// Which files go ahead of the request.
    fn split(&self) -> (Vec<&BundledFile>, Vec<&BundledFile>) {
        let mut room = INLINE_TOTAL.saturating_sub(self.skill_md.len());
        self.files.iter().flatten().partition(|file| {
            let fits = file.bytes.len() <= INLINE_FILE.min(room);
            if fits {
                room -= file.bytes.len();
            }
            !fits
        })
    }

    /// Whether everything fits in one request, so that it can be checked without uploading anything.
    pub(super) fn fits(&self) -> bool {
        self.split().0.is_empty()
    }

    /// The body of a request.
    pub(super) fn request(&self, message: Option<&str>) -> Map<String, Value> {
        let mut body = Map::new();
        body.insert("skill_md".to_owned(), self.skill_md.as_str().into());
        if let Some(message) = message {
            body.insert("message".to_owned(), message.into());
        }
        if self.files.is_some() {
            let (large, small) = self.split();
            let large = large
                .into_iter()
                .map(|file| json!({"path": file.path, "digest": file.digest.to_string()}));
            let small = small
                .into_iter()
                .map(|file| match std::str::from_utf8(&file.bytes) {
                    Ok(text) => json!({"path": file.path, "text": text}),
                    Err(_) => json!({"path": file.path, "base64": STANDARD.encode(&file.bytes)}),
                });
            body.insert("files".to_owned(), large.chain(small).collect());
        }
        body
    }
}

/// Uploads the large files. Gives the first refusal.
///
/// # Errors
/// When there is no answer.
pub(super) async fn upload(
    session: &Session,
    as_: As<'_>,
    bundle: &Bundle,
) -> Result<Option<Answer>, Trouble> {
    for file in bundle.split().0 {
        let call = Call::new(Method::PUT, path(&["v1", "blobs", &hex(file.digest)]))
            .body(BYTES, file.bytes.clone());
        let answer = session.send_patiently(as_, &call).await?;
        if !answer.status.is_success() {
            return Ok(Some(answer));
        }
    }
    Ok(None)
}

/// The request that checks.
pub(super) fn check_call(path: String, bundle: &Bundle, message: Option<&str>) -> Call {
    content(Method::POST, path, bundle, message)
}

/// The request that publishes: as a new skill, or instead of what is there.
pub(super) fn publish_call(
    path: String,
    bundle: &Bundle,
    message: Option<&str>,
    current: Option<&str>,
) -> Call {
    precondition(content(Method::PUT, path, bundle, message), current)
}

/// The content as JSON. A SKILL.md that is too large for that and has no files goes as it is.
fn content(method: Method, path: String, bundle: &Bundle, message: Option<&str>) -> Call {
    let json = Value::Object(bundle.request(message)).to_string();
    let is_alone = bundle.files.as_ref().is_none_or(Vec::is_empty);
    if json.len() > MAX_REQUEST && is_alone {
        Call::new(method, query(&path, &[("message", message)]))
            .body("text/markdown", bundle.skill_md.clone())
    } else {
        Call::new(method, path).body("application/json", json)
    }
}

fn hex(digest: Digest) -> String {
    let text = digest.to_string();
    text.strip_prefix("sha256:").unwrap_or(&text).to_owned()
}
