//! `GET /v1/explain`: what somebody may do, and why.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vestry_policies::{Action, ItemName, TenantId, Verdict};

use crate::http::app::App;
use crate::http::authed::Authed;
use crate::http::extract::{PathPart as _, Query, ScopeText};
use crate::http::problem::{Code, Fault, Problem};
use crate::http::route::Operation;
use crate::store::queries::{Asked, ExplainAction, Principal, Reasons};

/// What is asked.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct Filter {
    /// About whom: `human:<username>`, `agent:<agent>@<actor>` (the agent ends at the first `@`) or `service:<id>` of the
    /// caller's tenant; the caller itself when left out. A caller without a tenant asks about humans outside of tenants.
    #[serde(default)]
    principal: Option<String>,
    /// The action, by the name that the audit log has for it, such as `publish-skill`.
    action: String,
    /// What it is done to: `server`, a scope such as `tenant:acme`, or a skill such as `tenant:acme/refunds`.
    target: String,
}

/// What somebody may do, and why.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(in crate::http) struct Answer {
    /// About whom.
    principal: String,
    /// The tenant that it is asked about in; left out outside of tenants.
    #[serde(skip_serializing_if = "Option::is_none")]
    tenant: Option<String>,
    /// The action.
    action: &'static str,
    /// The target.
    target: String,
    /// False when its credentials are not taken any more, whatever the rules say.
    authority_stands: bool,
    /// As it is now. About the caller, with the elevation that it shows; about others, without one.
    #[serde(flatten)]
    now: Explanation,
    /// With an elevation for exactly this scope; left out where nobody steps up for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    elevated: Option<Elevated>,
}

/// A verdict, and why.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Explanation {
    /// `allow`, `review` (it becomes a proposal) or `deny`.
    verdict: &'static str,
    /// The rule that the verdict follows.
    rule: &'static str,
    /// What the verdict asks for, in its order. What comes after the first that does not hold is said of somebody who
    /// fulfils those before.
    conditions: Vec<Condition>,
    /// What would be needed; left out where nothing is.
    #[serde(skip_serializing_if = "Option::is_none")]
    needed: Option<String>,
}

/// A condition.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Condition {
    /// What has to be so.
    condition: &'static str,
    /// Whether it is.
    holds: bool,
    /// The rule that refuses where it is not.
    rule: &'static str,
}

/// What an elevation would give.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Elevated {
    /// Whether the principal may step up for this scope.
    may_elevate: bool,
    /// What the verdict would be.
    #[serde(flatten)]
    then: Explanation,
}

pub(in crate::http) fn operation() -> Operation {
    Operation::new("Explain what somebody may do")
        .description(
            "Anybody asks about itself. Publishers and auditors ask about the principals of their tenant; a global \
             administrator without a tenant, about humans outside of tenants. The answer is computed by the rules that decide \
             when it is done.",
        )
        .tag("operation")
        .query::<Filter>()
        .answer::<Answer>(StatusCode::OK)
        .problems(&[
            Code::Refused,
            Code::NotFound,
            Code::InvalidId,
            Code::InvalidScope,
            Code::InvalidName,
        ])
}

pub(in crate::http) async fn handle(
    Authed(caller): Authed,
    State(app): State<App>,
    Query(filter): Query<Filter>,
) -> Result<Json<Answer>, Problem> {
    let Filter {
        principal,
        action,
        target,
    } = filter;
    let about = principal.as_deref().map(whom).transpose()?;
    let action = Action::parse(&action).ok_or_else(|| {
        Problem::Malformed(Fault::at(
            "action",
            "Name an action as the audit log does, such as `publish-skill`.",
        ))
    })?;
    let asked = what(&target, caller.tenant()).map_err(|problem| problem.at("target"))?;
    let query = ExplainAction::new(&caller, about, action, asked)?;
    let explained = app.store.view(&caller, query).await?.into_inner();
    Ok(Json(Answer {
        principal: explained.principal,
        tenant: explained.tenant,
        action: action.as_str(),
        target,
        authority_stands: explained.authority_stands,
        now: why(&explained.now),
        elevated: explained.elevated.map(|reasons| Elevated {
            may_elevate: reasons.attainable,
            then: why(&reasons),
        }),
    }))
}

fn whom(text: &str) -> Result<Principal, Problem> {
    Principal::parse(text).map_err(|_| {
        Problem::InvalidId(Fault::at(
            "principal",
            "Write `human:<username>`, `agent:<agent>@<actor>` or `service:<id>`.",
        ))
    })
}

fn what(text: &str, tenant: Option<&TenantId>) -> Result<Asked, Problem> {
    if text == "server" {
        return Ok(Asked::Server);
    }
    let (scope, name) = match text.split_once('/') {
        Some((scope, name)) => (
            scope,
            Some(<ItemName as crate::http::extract::PathPart>::parse(name)?),
        ),
        None => (text, None),
    };
    let scope = ScopeText::parse(scope)?.resolve(tenant)?;
    Ok(Asked::Scope(scope, name))
}

fn why(reasons: &Reasons) -> Explanation {
    let explanation = &reasons.explanation;
    Explanation {
        verdict: match explanation.verdict {
            Verdict::Allow(_) => "allow",
            Verdict::Review(_) => "review",
            Verdict::Deny(_) => "deny",
        },
        rule: explanation.verdict.rule().as_str(),
        conditions: explanation
            .conditions
            .iter()
            .map(|condition| Condition {
                condition: condition.text(),
                holds: condition.holds,
                rule: condition.rule.as_str(),
            })
            .collect(),
        needed: explanation.needed(),
    }
}
