//! `GET /.well-known/agent-skills/index.json`: the skills, each as one file with its digest (0.2.0).

use axum::body::Body;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{Anyone, answer, described, has, public};
use crate::content::digest;
use crate::http::app::App;
use crate::http::extract::IfNoneMatch;
use crate::http::problem::Problem;
use crate::http::route::Operation;
use crate::store::PublicSkill;

/// What tells the format: clients compare this text.
const SCHEMA: &str = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";

/// The skills that everybody may install.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "DiscoveryIndex")]
pub(in crate::http) struct Answer {
    /// The format of this index.
    #[serde(rename = "$schema")]
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    /// The skills, by name.
    skills: Vec<Entry>,
}

/// A skill, as one file.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "DiscoveredSkill")]
struct Entry {
    /// The name.
    name: String,
    /// `skill-md` for a SKILL.md alone, `archive` for a ZIP archive of it and its files.
    #[schemars(extend("enum" = json!(["skill-md", "archive"])))]
    r#type: &'static str,
    /// When to use it.
    description: String,
    /// Where the file is, from the root of this server.
    url: String,
    /// The SHA-256 of the bytes of that file.
    digest: String,
}

impl From<&PublicSkill> for Entry {
    fn from(skill: &PublicSkill) -> Self {
        let name = skill.name();
        let (r#type, url, digest) = match skill.archive() {
            None => (
                "skill-md",
                format!("/.well-known/agent-skills/{name}/SKILL.md"),
                skill.skill_md(),
            ),
            Some(archive) => (
                "archive",
                format!("/.well-known/agent-skills/{name}.zip"),
                archive,
            ),
        };
        Self {
            name: name.to_string(),
            r#type,
            description: skill.description().to_owned(),
            url,
            digest: digest.to_string(),
        }
    }
}

pub(in crate::http) fn operation() -> Operation {
    let operation = Operation::new("The skills that everybody may install")
        .description("Agent Skills discovery, 0.2.0. Needs no credential. Served only where the operator has turned it on; otherwise nothing is at this path.")
        .answer::<Answer>(StatusCode::OK);
    described(operation)
}

pub(in crate::http) async fn handle(
    _: Anyone,
    State(app): State<App>,
    have: IfNoneMatch,
) -> Result<Response, Problem> {
    let skills = public(&app)?.list().await?;
    let index = Answer {
        schema: SCHEMA,
        skills: skills.iter().map(Entry::from).collect(),
    };
    as_json(&index, &have)
}

/// An index, with the digest of its own bytes as its tag.
pub(super) fn as_json(index: &impl Serialize, have: &IfNoneMatch) -> Result<Response, Problem> {
    let bytes = serde_json::to_vec(index).map_err(Problem::internal)?;
    let digest = digest::of_bytes(&bytes);
    let body = (!has(have, digest)).then(|| Body::from(bytes));
    answer(digest, "application/json", body)
}
