//! Loading what was offered.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::client::Call;

/// What to load.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Load {
    /// The name of an offered skill.
    pub name: String,
    /// The digests of the bodies that are in the conversation right now, up to 1,000.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub have: Vec<String>,
    /// The data of the run, for a template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Map<String, Value>>,
    /// The tool call that asked, up to 256 characters: recorded, and given back in the context node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call: Option<String>,
    /// Whether the source of a template is wanted, as it was written.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub template: bool,
}

impl Load {
    /// The body of this skill, and nothing special.
    #[must_use]
    pub fn of(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// The request, under this offer.
    pub(super) fn call(&self, offer: &str) -> Call {
        #[derive(Serialize)]
        struct Body<'a> {
            offer: &'a str,
            #[serde(flatten)]
            load: &'a Load,
        }
        let body = serde_json::to_value(Body { offer, load: self }).unwrap_or_default();
        Call::post("/v1/load", &body).repeatable()
    }
}

/// The request for a file of an offered skill.
pub(super) fn file_call(offer: &str, name: &str, path: &str) -> Call {
    let body = json!({"offer": offer, "name": name, "path": path});
    Call::post("/v1/load/file", &body).repeatable()
}

/// An offered skill.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Loaded {
    /// The name.
    pub name: String,
    /// Where it lives.
    pub scope: String,
    /// The number of the pinned revision.
    pub revision: u64,
    /// Its digest.
    pub digest: String,
    /// The digest of the body as it is handed out: what `have` names.
    pub rendered_digest: String,
    /// The instructions; none when the conversation has them.
    #[serde(default)]
    pub body: Option<String>,
    /// The body wrapped for a user-role message; none when the conversation has it. Data, never for the system prompt.
    #[serde(default)]
    pub block: Option<String>,
    /// The bundled files.
    #[serde(default)]
    pub files: Vec<ListedFile>,
    /// Whether the conversation has the body already.
    #[serde(default)]
    pub already_loaded: bool,
    /// Whether what a template wrote is too long, so that its end was left out.
    #[serde(default)]
    pub cut: bool,
    /// Whether the conversation has another text of this skill, which this body replaces.
    #[serde(default)]
    pub changed: bool,
    /// What a host that keeps its conversation as nodes puts beside the skill; none of an older server.
    #[serde(default)]
    pub context_node: Option<ContextNode>,
}

/// What a host that keeps its conversation as nodes puts beside a loaded skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextNode {
    /// The name.
    pub skill_name: String,
    /// Its URI, the one that it has over MCP.
    pub skill_path: String,
    /// The digest of the body as it is handed out.
    pub skill_hash: String,
    /// The tool call that asked, as the load named it.
    #[serde(default)]
    pub loaded_by_tool_call_id: Option<String>,
    /// True: nobody wrote this node into the conversation.
    pub synthetic: bool,
    /// `skill_context`.
    pub source_node_type: String,
    /// The same for the same skill with the same text.
    pub source_node_id: String,
}

/// A bundled file, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ListedFile {
    /// The path below the skill.
    pub path: String,
    /// The size in bytes.
    pub size: u64,
    /// The SHA-256 of the bytes.
    pub digest: String,
}

/// A bundled file with its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct BundledFile {
    /// The path below the skill.
    pub path: String,
    /// The SHA-256 of the bytes.
    pub digest: String,
    /// The bytes, when they are text of which everything shows.
    #[serde(default)]
    pub text: Option<String>,
    /// The bytes in base64, otherwise.
    #[serde(default)]
    pub base64: Option<String>,
}
