//! Tools, for hosts that know no skills: the catalog, loading, writing and proposing.
//!
//! What a tool cannot do is its result, in the words that the API has for it, so that the model reads them.

mod arguments;
mod catalog;
mod my_proposals;
mod propose;
mod skill;
mod skill_file;
mod write_own;

use std::sync::OnceLock;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, JsonObject, MetaObject, Tool,
    ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;

use super::fault::{as_result, cut};
use super::request::Asked;
use crate::http::app::App;
use crate::http::problem::Problem;

/// The most characters of a tool's name that are said back.
const MOST_ECHOED: usize = 64;

/// What a tool does to the world, for hosts that ask before some.
#[derive(Debug, Clone, Copy)]
enum Effect {
    /// Nothing.
    Reads,
    /// It adds what its caller can take back.
    Adds,
    /// It changes what there was, of which older revisions are kept.
    Changes,
}

/// The tools, in the order that they are listed in.
pub(super) fn all() -> &'static [Tool] {
    static TOOLS: OnceLock<Vec<Tool>> = OnceLock::new();
    TOOLS.get_or_init(|| {
        vec![
            catalog::tool(),
            skill::tool(),
            skill_file::tool(),
            write_own::tool(),
            propose::tool(),
            my_proposals::tool(),
        ]
    })
}

/// Calls a tool.
///
/// # Errors
/// An error of the protocol for a tool that there is not; everything else is a result.
pub(super) async fn call(
    app: &App,
    request: CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResult, ErrorData> {
    let asked = match Asked::of(app, context) {
        Ok(asked) => asked,
        Err(problem) => return Ok(as_result(&problem)),
    };
    let arguments = request.arguments.unwrap_or_default();
    let done = match request.name.as_ref() {
        catalog::NAME => catalog::call(&asked, arguments).await,
        skill::NAME => skill::call(&asked, arguments).await,
        skill_file::NAME => skill_file::call(&asked, arguments).await,
        write_own::NAME => write_own::call(&asked, arguments).await,
        propose::NAME => propose::call(&asked, arguments).await,
        my_proposals::NAME => my_proposals::call(&asked, arguments).await,
        name => {
            let names: Vec<&str> = all().iter().map(|tool| tool.name.as_ref()).collect();
            return Err(ErrorData::invalid_params(
                format!(
                    "There is no tool `{}`. There are: {}.",
                    cut(name, MOST_ECHOED),
                    names.join(", ")
                ),
                None,
            ));
        }
    };
    Ok(done.unwrap_or_else(|problem| as_result(&problem)))
}

/// A tool whose arguments are `T`.
fn tool<T: JsonSchema>(
    name: &'static str,
    title: &str,
    description: &'static str,
    effect: Effect,
) -> Tool {
    let annotations = match effect {
        Effect::Reads => ToolAnnotations::with_title(title)
            .read_only(true)
            .open_world(false),
        Effect::Adds => ToolAnnotations::with_title(title)
            .read_only(false)
            .destructive(false)
            .idempotent(true)
            .open_world(false),
        Effect::Changes => ToolAnnotations::with_title(title)
            .read_only(false)
            .destructive(true)
            .idempotent(false)
            .open_world(false),
    };
    let mut schema = SchemaSettings::draft2020_12()
        .with(|settings| settings.inline_subschemas = true)
        .into_generator()
        .into_root_schema_for::<T>();
    schema.remove("title");
    let mut schema = JsonObject::from_iter(schema.as_object().cloned().unwrap_or_default());
    // Some hosts and models want it of a tool that takes nothing too.
    schema
        .entry("properties")
        .or_insert_with(|| JsonObject::new().into());
    Tool::new(name, description, schema)
        .with_title(title)
        .with_annotations(annotations)
}

/// A result that is a text for the model.
fn text(text: impl Into<String>, meta: MetaObject) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
    result.meta = Some(meta);
    result
}

/// A result that is a document: as JSON for hosts, and as the same JSON in a text for models.
fn document<T: Serialize>(document: &T) -> Result<CallToolResult, Problem> {
    serde_json::to_value(document)
        .map(CallToolResult::structured)
        .map_err(Problem::internal)
}
