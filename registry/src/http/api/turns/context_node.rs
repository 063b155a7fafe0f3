//! What the node of a conversation's context needs to know about the skill that it holds.
//!
//! A host that keeps its conversation as nodes puts a loaded skill into one that it made itself (`synthetic`), for a tool
//! call, from a source. The same skill with the same text is the same source, whoever loads it and whenever.

use schemars::JsonSchema;
use serde::Serialize;

use crate::content::SkillUri;
use crate::store::catalog::Loaded;

/// The type of the source of every such node.
const SOURCE_NODE_TYPE: &str = "skill_context";

/// What a host that keeps its conversation as nodes puts beside a loaded skill.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ContextNode {
    /// The name.
    skill_name: String,
    /// Its URI, the one that it has over MCP.
    skill_path: String,
    /// The digest of the body as it is handed out: what `have` names.
    skill_hash: String,
    /// The tool call that asked, as the request named it; null when it named none.
    loaded_by_tool_call_id: Option<String>,
    /// Always true: nobody wrote this node into the conversation.
    synthetic: bool,
    /// Always `skill_context`.
    source_node_type: &'static str,
    /// The same for the same skill with the same text: `skill_path`, `#` and `skill_hash`.
    source_node_id: String,
}

impl ContextNode {
    /// Of a skill that was loaded, by this tool call.
    pub(crate) fn of(loaded: &Loaded, tool_call: Option<String>) -> Self {
        let uri = SkillUri::skill(&loaded.scope, &loaded.name).skill_md();
        let skill_path = uri.to_string();
        Self {
            skill_name: loaded.name.to_string(),
            source_node_id: format!("{skill_path}#{}", loaded.rendered_digest),
            skill_path,
            skill_hash: loaded.rendered_digest.to_string(),
            loaded_by_tool_call_id: tool_call,
            synthetic: true,
            source_node_type: SOURCE_NODE_TYPE,
        }
    }
}
