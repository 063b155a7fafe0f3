//! What was said of a proposal.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "proposal_comments")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub tenant: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    pub author_kind: i16,
    pub author: String,
    pub acts_for: Option<String>,
    pub text: String,
    pub digest: String,
    pub created_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
