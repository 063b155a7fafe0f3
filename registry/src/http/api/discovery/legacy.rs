//! `GET /.well-known/skills/index.json`: the skills, each with its list of files (0.1.0).

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use schemars::JsonSchema;
use serde::Serialize;

use super::index::as_json;
use super::{Anyone, described, public};
use crate::http::app::App;
use crate::http::extract::IfNoneMatch;
use crate::http::problem::Problem;
use crate::http::route::Operation;
use crate::store::PublicSkill;

/// The skills that everybody may install, by their files.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "LegacyDiscoveryIndex")]
pub(in crate::http) struct Answer {
    /// The skills, by name.
    skills: Vec<Entry>,
}

/// A skill and its files.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "LegacyDiscoveredSkill")]
struct Entry {
    /// The name.
    name: String,
    /// When to use it.
    description: String,
    /// The paths of its files below `/.well-known/skills/<name>/`, SKILL.md first.
    files: Vec<String>,
}

impl Entry {
    fn of(skill: &PublicSkill) -> Option<Self> {
        let paths = skill.files().iter().map(|file| file.path.as_str());
        let files: Vec<String> = ["SKILL.md"]
            .into_iter()
            .chain(paths)
            .map(ToOwned::to_owned)
            .collect();
        let all = files.iter().all(|path| is_plain(path));
        all.then(|| Self {
            name: skill.name().to_string(),
            description: skill.description().to_owned(),
            files,
        })
    }
}

/// Whether this format can name a path. Clients put it into an address as it is, and one that they take for unsafe makes them
/// refuse the whole index.
fn is_plain(path: &str) -> bool {
    let allowed = |byte: u8| matches!(byte, 0x20..=0x7e) && !b"\\?#[]%".contains(&byte);
    path.bytes().all(allowed) && !path.contains("..")
}

pub(in crate::http) fn operation() -> Operation {
    let operation = Operation::new("The skills that everybody may install, for older installers")
        .description("Agent Skills discovery, 0.1.0: without digests, and without skills whose files have names that this format cannot tell. Needs no credential. Served only where the operator has turned it on; otherwise nothing is at this path.")
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
        skills: skills.iter().filter_map(Entry::of).collect(),
    };
    as_json(&index, &have)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_what_an_address_can_hold_as_it_is() {
        for path in ["SKILL.md", "a b/c.sh", "a+b@c~d.txt", ".hidden"] {
            assert!(is_plain(path), "{path}");
        }
        for path in [
            "a..b",
            "50%.txt",
            "a#b",
            "a[1].txt",
            "l\u{e4}uft.sh",
            "a\tb",
        ] {
            assert!(!is_plain(path), "{path}");
        }
    }
}
