//! Whoever speaks MCP in a test: the messages as they are on the wire, of protocol 2026-07-28 unless told otherwise.

use hyper::Method;
use serde_json::{Value, json};

use crate::harness::{Client, Response, TestServer};

pub(crate) const LATEST: &str = "2026-07-28";
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// The key of the context in the `_meta` of requests.
pub(crate) const CONTEXT: &str = "dev.vestry/context";

/// Speaks MCP with a token.
#[derive(Clone)]
pub(crate) struct Speaker {
    client: Client,
    /// The query of the endpoint.
    query: String,
    /// Sent with every request.
    context: Option<Value>,
}

impl Speaker {
    pub(crate) fn new(client: &Client) -> Self {
        Self {
            client: client.clone(),
            query: String::new(),
            context: None,
        }
    }

    pub(crate) fn at(&self, query: &str) -> Self {
        Self {
            query: query.to_owned(),
            ..self.clone()
        }
    }

    pub(crate) fn with_context(&self, context: Value) -> Self {
        Self {
            context: Some(context),
            ..self.clone()
        }
    }

    /// The same at a server that was started again.
    pub(crate) fn after(&self, server: &TestServer) -> Self {
        Self {
            client: server.client().with_token(self.client.token()),
            ..self.clone()
        }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    /// The answer to a request, as it is on the wire.
    pub(crate) async fn ask(&self, method: &str, mut params: Value) -> Response {
        let mut meta = json!({
            VERSION_KEY: LATEST,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        if let Some(context) = &self.context {
            meta[CONTEXT] = context.clone();
        }
        let name = match method {
            "tools/call" => params["name"].as_str().map(ToOwned::to_owned),
            "resources/read" => params["uri"].as_str().map(ToOwned::to_owned),
            _ => None,
        };
        // What the test says itself stands beside it.
        if let Some(more) = params["_meta"].as_object() {
            for (key, value) in more {
                meta[key] = value.clone();
            }
        }
        params["_meta"] = meta;
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let mut headers = vec![
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", LATEST),
            ("mcp-method", method),
        ];
        let name = name.filter(|name| name.bytes().all(|byte| matches!(byte, b' '..=b'~')));
        if let Some(name) = &name {
            headers.push(("mcp-name", name));
        }
        self.send(&headers, message).await
    }

    /// Any message with any headers.
    pub(crate) async fn send(&self, headers: &[(&str, &str)], message: Value) -> Response {
        let path = format!("/mcp{}", self.query);
        self.client
            .send(Method::POST, &path, headers, Some(message))
            .await
    }

    /// The result of a request.
    #[track_caller]
    pub(crate) fn result(response: &Response) -> Value {
        assert_eq!(response.status, 200, "{}", response.body);
        assert!(response.body["error"].is_null(), "{}", response.body);
        response.body["result"].clone()
    }

    pub(crate) async fn get(&self, method: &str, params: Value) -> Value {
        Self::result(&self.ask(method, params).await)
    }

    /// The error that a request ends with.
    pub(crate) async fn error(&self, method: &str, params: Value) -> Value {
        let response = self.ask(method, params).await;
        assert!(response.body["error"].is_object(), "{}", response.body);
        response.body["error"].clone()
    }

    /// All skills, page by page.
    pub(crate) async fn skills(&self) -> Vec<Value> {
        let mut skills = Vec::new();
        let mut params = json!({});
        loop {
            let page = self.get("skills/list", params).await;
            skills.extend(page["skills"].as_array().unwrap().clone());
            match page["nextCursor"].as_str() {
                Some(cursor) => params = json!({"cursor": cursor}),
                None => return skills,
            }
        }
    }

    /// The one content of a resource.
    pub(crate) async fn read(&self, uri: &str) -> Value {
        let read = self.get("resources/read", json!({"uri": uri})).await;
        assert_eq!(read["contents"].as_array().unwrap().len(), 1, "{read}");
        assert_eq!(read["contents"][0]["uri"], uri);
        read["contents"][0].clone()
    }

    /// The result of a tool.
    pub(crate) async fn tool(&self, name: &str, arguments: Value) -> Value {
        let params = json!({"name": name, "arguments": arguments});
        self.get("tools/call", params).await
    }

    /// The result of a tool that did it.
    pub(crate) async fn done(&self, name: &str, arguments: Value) -> Value {
        let result = self.tool(name, arguments).await;
        assert_ne!(result["isError"], true, "{result}");
        result
    }

    /// The text of a tool that could not.
    pub(crate) async fn failed(&self, name: &str, arguments: Value) -> Value {
        let result = self.tool(name, arguments).await;
        assert_eq!(result["isError"], true, "{result}");
        result
    }
}

/// The text of the first content of a tool's result.
pub(crate) fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// The names of entries.
pub(crate) fn names(skills: &[Value]) -> Vec<String> {
    let names = skills.iter().map(|skill| &skill["frontmatter"]["name"]);
    names
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}

/// The bytes of a content.
pub(crate) fn bytes(content: &Value) -> Vec<u8> {
    use base64::Engine as _;
    match (content["text"].as_str(), content["blob"].as_str()) {
        (Some(text), None) => text.as_bytes().to_vec(),
        (None, Some(blob)) => base64::engine::general_purpose::STANDARD
            .decode(blob)
            .unwrap(),
        _ => panic!("{content}"),
    }
}
