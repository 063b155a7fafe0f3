//! A tenant and its settings.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "tenants")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub tenant_key: String,
    pub tenant: String,
    pub name: String,
    pub max_cap: i64,
    pub agent_own_scope: i16,
    pub skills_per_actor: i64,
    pub skills_per_tenant: i64,
    pub revisions_per_skill: i64,
    pub required_approvals: i64,
    pub approvers: String,
    pub distinct_human: i16,
    pub review_names: String,
    pub review_severity: i16,
    pub proposal_days: i64,
    pub max_open_proposals: i64,
    pub settings_version: i64,
    pub created_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
