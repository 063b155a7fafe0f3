//! A context schema that was activated; the one with the highest number is active.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "context_schemas")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i64,
    pub version: i64,
    pub digest: String,
    pub text: String,
    pub activated_by: String,
    pub activated_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
