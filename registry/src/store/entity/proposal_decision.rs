//! What a human decided of one version of a proposal; immutable.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "proposal_decisions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub tenant: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    pub version: i64,
    pub username: String,
    pub approve: bool,
    pub digest: String,
    pub base_digest: Option<String>,
    pub reason: String,
    pub created_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
