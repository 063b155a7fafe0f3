//! The id of a request.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName};

use crate::entropy::Entropy;
use crate::http::extract::RequestId;

/// The header that carries it, both ways.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id that a client may choose.
const LONGEST_ID: usize = 64;

/// The client's own id if it is well formed, so that it finds its request in our log; else a random one.
pub(super) fn request_id(headers: &HeaderMap, entropy: &dyn Entropy) -> RequestId {
    let sent = headers
        .get(REQUEST_ID)
        .and_then(|value| value.to_str().ok())
        .filter(|text| is_well_formed(text));
    let id: Arc<str> = match sent {
        Some(text) => Arc::from(text),
        // An id is for finding things in a log: without randomness the request is served nonetheless.
        None => entropy
            .id("req_")
            .map_or_else(|_| Arc::from("req_unknown"), Arc::from),
    };
    RequestId(id)
}

/// Nothing that could break out of a line of a log or of a header.
fn is_well_formed(text: &str) -> bool {
    (1..=LONGEST_ID).contains(&text.len())
        && text.bytes().all(|b| {
            b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b':' | b'@' | b'+' | b'-')
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::SeededEntropy;

    #[test]
    fn keeps_well_formed_ids_only() {
        let id = |sent: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, sent.parse().unwrap());
            request_id(&headers, &SeededEntropy::new(1)).0
        };
        assert_eq!(&*id("abc-1.2:3"), "abc-1.2:3");
        for bad in ["", "a b", "a\"b", &"a".repeat(65)] {
            assert!(id(bad).starts_with("req_"), "{bad}");
        }
    }
}
