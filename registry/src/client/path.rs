//! Paths and queries of requests, with everything encoded that is not plain.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What a segment keeps as it is (RFC 3986, `pchar` without the delimiters that nobody needs).
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b':')
    .remove(b'@')
    .remove(b'+');

/// A path of these segments. None of them can add a segment, a query, or a step up.
pub(crate) fn path(segments: &[&str]) -> String {
    let mut path = String::new();
    for segment in segments {
        path.push('/');
        if !segment.is_empty() && segment.bytes().all(|byte| byte == b'.') {
            path.push_str(&segment.replace('.', "%2E"));
        } else {
            path.extend(utf8_percent_encode(segment, SEGMENT));
        }
    }
    path
}

/// `path` with a query of the pairs that have a value.
pub(crate) fn query(path: &str, pairs: &[(&str, Option<&str>)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    for (name, value) in pairs {
        if let Some(value) = value {
            query.append_pair(name, value);
        }
    }
    let query = query.finish();
    if query.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{query}")
    }
}

#[cfg(test)]
mod tests {
    use super::{path, query};

    #[test]
    fn a_segment_stays_one_segment() {
        assert_eq!(
            path(&["v1", "skills", "actor:a@b.c+d", "x"]),
            "/v1/skills/actor:a@b.c+d/x"
        );
        assert_eq!(
            path(&["a/b", "..", ".", "?#%", "ü"]),
            "/a%2Fb/%2E%2E/%2E/%3F%23%25/%C3%BC"
        );
        assert_eq!(
            query("/v1/skills", &[("q", Some("a&b=c d")), ("scope", None)]),
            "/v1/skills?q=a%26b%3Dc+d"
        );
        assert_eq!(query("/v1/skills", &[("q", None)]), "/v1/skills");
    }
}
