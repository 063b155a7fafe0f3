//! Strict extractors: what a handler is given has been parsed, and what cannot be parsed is a problem
//! that names the field. Nothing is guessed, trimmed, defaulted or ignored.

mod accept;
mod body;
mod client;
mod headers;
mod path;
mod query;
mod strict;
mod upload;
mod words;

pub use accept::WantsBytes;
pub(in crate::http) use accept::{Form, HTML, MARKDOWN, Readable};
pub(in crate::http) use body::read_json;
pub use body::{BODY_LIMIT, Body, JsonOrMarkdown, OptionalBody};
pub(crate) use body::{is_json, parse_json, refuse_nul};
pub use client::{Arrival, ClientAddress, RequestId, TrustedProxies};
pub use headers::{IdempotencyKey, IfMatch, IfNoneMatch, Tags};
pub use path::{OpaqueId, Path, PathPart, PathParts, RevisionNumber, ScopeText};
pub use query::{DEFAULT_LIMIT, MAX_LIMIT, NoQuery, Page, Paged, Query};
pub(in crate::http) use strict::{maybe_unique_map, object, unique_map, word};
pub(crate) use strict::{present, without_null_defaults};
pub(in crate::http) use upload::BYTES;
pub use upload::Upload;
