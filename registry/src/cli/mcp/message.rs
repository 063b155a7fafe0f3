//! A message on its way to the server, with the headers that MCP over HTTP has beside it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::mcp::CONTEXT_KEY;

/// Where a request of protocol 2026-07-28 says which version it is of.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// Which member of the parameters of a method is its `Mcp-Name`.
const NAMED: [(&str, &str); 2] = [("tools/call", "name"), ("resources/read", "uri")];

/// A message.
#[derive(Debug)]
pub(super) struct Message {
    document: Value,
}

impl Message {
    /// Reads a line. What cannot be read is answered as JSON-RPC 2.0 says (§5.1).
    pub(super) fn parse(line: &[u8], context: Option<&Value>) -> Result<Self, Value> {
        let mut document: Value = serde_json::from_slice(line)
            .map_err(|_| error(&Value::Null, -32700, "This line is not JSON."))?;
        let Some(object) = document.as_object_mut() else {
            return Err(error(&Value::Null, -32600, "A message is a JSON object."));
        };
        if let Some(context) = context
            && object.contains_key("id")
            && object.contains_key("method")
        {
            add_context(object, context);
        }
        Ok(Self { document })
    }

    pub(super) fn is_initialize(&self) -> bool {
        self.method() == Some("initialize")
    }

    /// Whether it is to be answered.
    pub(super) fn is_request(&self) -> bool {
        self.method().is_some() && self.document.get("id").is_some()
    }

    pub(super) fn document(&self) -> &Value {
        &self.document
    }

    pub(super) fn method(&self) -> Option<&str> {
        self.document.get("method").and_then(Value::as_str)
    }

    /// The version that it says it is of.
    pub(super) fn version(&self) -> Option<&str> {
        let version = self.document.pointer("/params/_meta")?.get(VERSION_KEY)?;
        version.as_str()
    }

    /// The header `Mcp-Name`, for the methods that have one.
    pub(super) fn name(&self) -> Option<String> {
        let method = self.method()?;
        let (_, member) = NAMED.into_iter().find(|(named, _)| *named == method)?;
        let name = self.document.get("params")?.get(member)?.as_str()?;
        Some(header_value(name))
    }

    /// The answer that says that there is none.
    pub(super) fn failed(&self, sentence: &str) -> Option<Value> {
        let id = self.document.get("id").filter(|_| self.is_request())?;
        Some(error(id, -32603, sentence))
    }
}

/// Puts the context of the run into a request that brings none.
fn add_context(request: &mut Map<String, Value>, context: &Value) {
    fn member<'a>(
        of: &'a mut Map<String, Value>,
        name: &str,
    ) -> Option<&'a mut Map<String, Value>> {
        of.entry(name)
            .or_insert_with(|| Value::Object(Map::new()))
            .as_object_mut()
    }
    if let Some(params) = member(request, "params")
        && let Some(meta) = member(params, "_meta")
    {
        meta.entry(CONTEXT_KEY).or_insert_with(|| context.clone());
    }
}

/// A text as the value of a header: as it is where all of it is visible ASCII, else in base64 (MCP, SEP-2243).
fn header_value(text: &str) -> String {
    if is_plain(text) && !text.starts_with("=?base64?") {
        text.to_owned()
    } else {
        format!("=?base64?{}?=", STANDARD.encode(text))
    }
}

/// Whether a text can stand in a header as it is.
pub(super) fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && text.trim() == text
}

/// The answer to a line that is too long to be read.
pub(super) fn too_long(most: u64) -> Value {
    let sentence = format!("A message has at most {} MiB.", most >> 20);
    error(&Value::Null, -32600, &sentence)
}

fn error(id: &Value, code: i32, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}
