//! The answer to every change of a skill, and its preconditions.

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use schemars::JsonSchema;
use serde::Serialize;

use super::findings::Findings;
use crate::content::PreparedSkill;
use crate::http::api::proposals::changed::proposed;
use crate::http::extract::{IfMatch, IfNoneMatch, Tags};
use crate::http::problem::{Fault, Problem};
use crate::store::actions::{Precondition, SkillChange, Written};
use crate::store::{Note, Scanned};

/// What is taken, and should be looked at.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Warning {
    /// What kind, such as `html-comment` or `unknown-key`.
    code: &'static str,
    /// The line of the SKILL.md, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// What it is and what to do about it.
    detail: String,
}

impl Warning {
    /// A warning about a bundled file.
    pub(in crate::http::api) fn of_file(detail: String) -> Self {
        Self {
            code: "hidden-in-file",
            line: None,
            detail,
        }
    }

    /// What the author of a new skill should know of its neighbours.
    pub(in crate::http::api) fn of_note(Note { code, detail }: Note) -> Self {
        Self {
            code,
            line: None,
            detail,
        }
    }
}

/// What the author of a template may not mean, in the lines of its SKILL.md.
pub(in crate::http::api) fn template_warnings(
    lines_before: usize,
    scanned: &Scanned,
) -> impl Iterator<Item = Warning> {
    let diagnostics = scanned.template_warnings().iter();
    diagnostics.map(move |one| Warning {
        code: one.code,
        line: Some(one.line.saturating_add(lines_before)),
        detail: match &one.suggestion {
            None => one.message.clone(),
            Some(suggestion) => format!("{} Perhaps: {suggestion}", one.message),
        },
    })
}

/// The warnings of content, as they are answered.
pub(in crate::http::api) fn warnings(content: &PreparedSkill) -> Vec<Warning> {
    content
        .warnings()
        .iter()
        .cloned()
        .map(Warning::from)
        .collect()
}

impl From<crate::content::Warning> for Warning {
    fn from(crate::content::Warning { code, line, detail }: crate::content::Warning) -> Self {
        Self { code, line, detail }
    }
}

/// What a skill is after a change.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Changed {
    /// The name.
    name: String,
    /// The scope.
    scope: String,
    /// The number of the current revision.
    revision: u32,
    /// Its digest: the entity tag for `If-Match`.
    digest: String,
    /// `active`, `disabled`, `quarantined`, `revoked` or `archived`.
    status: String,
    /// Whether narrower scopes cannot override it.
    sealed: bool,
    /// Whether everything was so already, so that nothing was written.
    unchanged: bool,
    /// What the content has that should be looked at; left out when there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Warning>,
    #[serde(flatten)]
    findings: Findings,
}

/// A change with its status and entity tag.
pub(in crate::http::api) type ChangeAnswer =
    (StatusCode, [(HeaderName, HeaderValue); 1], Json<Changed>);

/// The answer to a publication: what it changed, or 202 with the proposal that it became.
pub(super) fn written(
    written: Written,
    warnings: Vec<Warning>,
    findings: Findings,
) -> Result<Response, Problem> {
    match written {
        Written::Published(change) => Ok(published(change, warnings, findings)?.into_response()),
        Written::Proposed(change) => {
            Ok(proposed(StatusCode::ACCEPTED, change, warnings, findings)?.into_response())
        }
    }
}

/// The answer to a change: 201 when it created the skill.
pub(super) fn changed(change: SkillChange) -> Result<ChangeAnswer, Problem> {
    published(change, Vec::new(), Findings::default())
}

/// The answer to a publication, with what its content should be looked at for.
pub(super) fn published(
    change: SkillChange,
    mut warnings: Vec<Warning>,
    findings: Findings,
) -> Result<ChangeAnswer, Problem> {
    let status = if change.created {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    let SkillChange {
        name,
        scope,
        revision,
        digest,
        status: state,
        sealed,
        created: _,
        unchanged,
        warnings: of_files,
    } = change;
    warnings.extend(of_files.into_iter().map(Warning::of_file));
    let tag = entity_tag(&digest)?;
    Ok((
        status,
        [(header::ETAG, tag)],
        Json(Changed {
            name,
            scope,
            revision,
            digest,
            status: state,
            sealed,
            unchanged,
            warnings,
            findings,
        }),
    ))
}

/// A strong entity tag.
pub(in crate::http::api) fn entity_tag(text: &str) -> Result<HeaderValue, Problem> {
    HeaderValue::from_str(&format!("\"{text}\"")).map_err(Problem::internal)
}

/// The precondition that the headers make; at most one of them may be sent.
pub(super) fn precondition(
    IfMatch(if_match): IfMatch,
    IfNoneMatch(if_none_match): IfNoneMatch,
) -> Result<Precondition, Problem> {
    match (if_match, if_none_match) {
        (None, None) => Ok(Precondition::None),
        (Some(Tags::Any), None) => Ok(Precondition::Present),
        (Some(Tags::List(tags)), None) => Ok(Precondition::Digest(tags)),
        (None, Some(Tags::Any)) => Ok(Precondition::Absent),
        (None, Some(Tags::List(_))) => Err(Problem::Malformed(Fault::at(
            "If-None-Match",
            "Send `If-None-Match: *` to create; to update, send If-Match.",
        ))),
        (Some(_), Some(_)) => Err(Problem::malformed(
            "Send `If-None-Match: *` to create, or If-Match to update, not both.",
        )),
    }
}
