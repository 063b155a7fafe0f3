//! `POST /v1/skills/{scope}/{name}/check`: what a publication would do, without doing it.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;
use vestry_policies::ItemName;

use super::changed::{Warning, template_warnings, warnings};
use super::content::{Beside, Content, prepare};
use super::findings::Findings;
use super::impact::Impact;
use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{JsonOrMarkdown, Path, Query, ScopeText};
use crate::http::problem::{Code, Problem};
use crate::http::route::Operation;
use crate::store::queries::{CheckSkill, Checked};

/// What publishing it would do.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// The digest that the revision would have.
    digest: String,
    /// The size of the SKILL.md in bytes.
    size: usize,
    /// Whether the caller may publish it now.
    allowed: bool,
    /// The rule that says so.
    rule: &'static str,
    /// Whether it would create the skill.
    creates: bool,
    /// Whether it is what is there already.
    unchanged: bool,
    /// The digest of the current revision: what `If-Match` would need.
    current: Option<String>,
    /// What the content has that should be looked at; left out when there is nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<Warning>,
    /// What it would do to the catalogs of the actors that the caller may know of; left out where that is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    impact: Option<Impact>,
    #[serde(flatten)]
    findings: Findings,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Check a skill without publishing it")
        .tag("skills")
        .query::<Beside>()
        .body_or_markdown::<Content>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[
            Code::NotFound,
            Code::Conflict,
            Code::InvalidContent,
            Code::TemplateRefused,
            Code::TemplateFailed,
            Code::InvalidScope,
            Code::InvalidName,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Path((scope, name)): Path<(ScopeText, ItemName)>,
    Query(beside): Query<Beside>,
    content: JsonOrMarkdown<Content>,
) -> Result<Json<Answer>, Problem> {
    let scope = scope.resolve(caller.tenant())?;
    let (content, files) = prepare(&name, content, beside)?;
    let mut warnings = warnings(&content);
    let lines_before = content.lines_before_body();
    let scanned = app
        .store
        .scan(&caller, &scope, &name, &content, &files)
        .await?;
    scanned.refuse_template()?;
    warnings.extend(template_warnings(lines_before, &scanned));
    let findings = scanned.clone().into_findings();
    let query = CheckSkill {
        scanned,
        scope,
        content,
        files,
        name,
    };
    let Checked {
        digest,
        size,
        allowed,
        rule,
        creates,
        unchanged,
        current,
        warnings: of_files,
        notes,
        impact,
    } = app.store.view(&caller, query).await?.into_inner();
    warnings.extend(of_files.into_iter().map(Warning::of_file));
    warnings.extend(notes.into_iter().map(Warning::of_note));
    let impact = app.store.weigh(impact).await?.map(Into::into);
    Ok(Json(Answer {
        digest,
        size,
        allowed,
        rule,
        creates,
        unchanged,
        current,
        warnings,
        impact,
        findings: findings.into(),
    }))
}
