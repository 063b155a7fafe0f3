//! Problems as MCP says them: in the same words, as an error of the protocol or as the result of a tool.

use rmcp::ErrorData;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, MetaObject};
use serde_json::{Value, json};

use super::PREFIX;
use crate::http::problem::{Code, Problem};
use crate::store::StoreError;

/// The most characters of a URI that are said back.
const MOST_ECHOED: usize = 512;

/// What is said of everything that is not in the caller's offer, whether or not it exists anywhere (invariant 11).
pub(super) fn not_served(uri: &str) -> ErrorData {
    let uri = cut(uri, MOST_ECHOED);
    ErrorData::invalid_params(
        format!("Nothing is served at {uri}."),
        Some(json!({ "uri": uri })),
    )
}

/// What is said back of a text that a caller sent: its beginning, where it is longer than any that means something.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => [text.get(..end).unwrap_or_default(), "…"].concat(),
        None => text.to_owned(),
    }
}

/// A problem as an error of the protocol: whoever asked wrongly gets -32602, whoever may not -32600.
pub(super) fn as_error(problem: &Problem) -> ErrorData {
    log(problem);
    let code = match problem.code() {
        Code::Unauthenticated | Code::AuthorityEnded | Code::Refused => ErrorCode::INVALID_REQUEST,
        code if code.status().is_server_error() => ErrorCode::INTERNAL_ERROR,
        _ => ErrorCode::INVALID_PARAMS,
    };
    ErrorData::new(code, sentence(problem), Some(document(problem)))
}

/// What the store answered, as an error of the protocol.
pub(super) fn from_store(error: StoreError) -> ErrorData {
    as_error(&error.into())
}

/// A problem as the result of a tool: the sentence for the model, the whole of it for the host.
pub(super) fn as_result(problem: &Problem) -> CallToolResult {
    log(problem);
    let mut result = CallToolResult::error(vec![ContentBlock::text(sentence(problem))]);
    result.meta = Some(meta([("problem", document(problem))]));
    result
}

/// The whole of a problem, as it is answered over HTTP.
pub(super) fn document(problem: &Problem) -> Value {
    serde_json::to_value(problem.document()).unwrap_or_default()
}

/// What is wrong, and with what: models and many hosts show nothing but this.
fn sentence(problem: &Problem) -> String {
    let detail = problem.detail();
    match problem.field() {
        Some(field) if !detail.contains(field) => format!("{field}: {detail}"),
        _ => detail.into_owned(),
    }
}

/// `_meta` with keys of ours.
pub(super) fn meta(entries: impl IntoIterator<Item = (&'static str, Value)>) -> MetaObject {
    let mut meta = MetaObject::new();
    for (key, value) in entries {
        meta.0.insert(format!("{PREFIX}{key}"), value);
    }
    meta
}

/// The cause of a failure is logged and never sent.
fn log(problem: &Problem) {
    if let Problem::Internal(cause) | Problem::BodyUnreadable { cause, .. } = problem {
        let cause: &(dyn std::error::Error + 'static) = cause.as_ref();
        tracing::error!(error = cause, "a message of MCP failed");
    }
}
