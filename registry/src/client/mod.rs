//! The HTTP client of the command line, and of whoever writes an agent in Rust ([`agent`]): one server, kept connections, JSON or bytes both ways, http and https.
//!
//! It follows no redirect (a token goes to the server that it is for, and nowhere else) reads no endless answer, and takes
//! nothing for a success that is not what was asked for.

pub mod agent;
mod answer;
mod call;
mod connect;
mod once;
mod path;
mod retry;
mod server_url;
mod stream;

pub use answer::Answer;
pub use call::Call;
pub use connect::ClientError;
pub use once::send;

pub(crate) use call::BYTES;
pub(crate) use connect::Client;
pub(crate) use path::{path, query};
pub(crate) use server_url::ServerUrl;
pub(crate) use stream::{EVENT_STREAM, EventStream, Opened, Sent};
