//! The format of `policies/cases`, as its README describes it.

use std::collections::BTreeMap;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct World {
    pub(crate) about: String,
    #[serde(default)]
    pub(crate) tenant: Vec<TenantRow>,
    #[serde(default)]
    pub(crate) human: Vec<HumanRow>,
    #[serde(default)]
    pub(crate) service: Vec<ServiceRow>,
    #[serde(default)]
    pub(crate) agent: Vec<AgentRow>,
    #[serde(default)]
    pub(crate) skill: Vec<SkillRow>,
    #[serde(default)]
    pub(crate) proposal: Vec<ProposalRow>,
    pub(crate) request: Vec<RequestRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TenantRow {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) agent_own_scope: Setting,
    #[serde(default)]
    pub(crate) approvers: Vec<String>,
    #[serde(default)]
    pub(crate) distinct_human: Distinct,
    #[serde(default)]
    pub(crate) review_names: Vec<String>,
    pub(crate) review_severity: Option<String>,
    #[serde(default = "per_actor")]
    pub(crate) skills_per_actor: u64,
    #[serde(default = "per_tenant")]
    pub(crate) skills_per_tenant: u64,
}

pub(crate) fn per_actor() -> u64 {
    200
}

pub(crate) fn per_tenant() -> u64 {
    2_000
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Setting {
    #[default]
    Allow,
    Review,
    Deny,
}

#[derive(Deserialize, Default, Clone, Copy, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Distinct {
    #[default]
    Auto,
    Always,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HumanRow {
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) admin: bool,
    #[serde(default)]
    pub(crate) roles: BTreeMap<String, String>,
    #[serde(default)]
    pub(crate) removed_from: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServiceRow {
    pub(crate) id: String,
    pub(crate) tenant: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentRow {
    pub(crate) id: String,
    pub(crate) service: String,
    pub(crate) actor: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SkillRow {
    pub(crate) scope: String,
    pub(crate) tenant: Option<String>,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) status: State,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProposalRow {
    pub(crate) id: String,
    pub(crate) by: String,
    pub(crate) r#in: Option<String>,
    pub(crate) scope: String,
    pub(crate) name: String,
}

/// A publisher of every tenant, and an administrator of the installation, who are in no case: there is always somebody else
/// who could approve.
pub(crate) const MAKER: &str = "the-maker";
pub(crate) const KEEPER: &str = "the-keeper";

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    #[default]
    Active,
    Disabled,
    Quarantined,
    Revoked,
    Archived,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RequestRow {
    pub(crate) name: String,
    pub(crate) r#as: String,
    pub(crate) r#in: Option<String>,
    #[serde(default)]
    pub(crate) with: With,
    #[serde(default)]
    pub(crate) elevation: Shown,
    pub(crate) action: String,
    pub(crate) target: String,
    pub(crate) skill: Option<String>,
    pub(crate) found: Option<String>,
    pub(crate) proposal: Option<String>,
    pub(crate) verdict: String,
    pub(crate) rule: String,
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum With {
    #[default]
    Session,
    Key,
}

#[derive(Deserialize, Default, Clone, Copy, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Shown {
    #[default]
    None,
    Exact,
    Other,
    Expired,
}
