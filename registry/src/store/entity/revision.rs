//! The immutable content of a skill; only its recall ever changes.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "revisions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub tenant: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub scope_kind: i16,
    #[sea_orm(primary_key, auto_increment = false)]
    pub scope_id: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub kind: i16,
    #[sea_orm(primary_key, auto_increment = false)]
    pub name: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i64,
    pub digest: String,
    pub content: String,
    pub size: i64,
    pub files: i64,
    pub description: String,
    pub templated: bool,
    pub frontmatter: String,
    pub body_offset: i64,
    pub author_kind: i16,
    pub author: String,
    pub acts_for: Option<String>,
    pub message: String,
    pub rolled_back_to: Option<i64>,
    pub created_at: i64,
    pub recall: i16,
    pub recall_reason: Option<String>,
    pub recalled_at: Option<i64>,
    pub schema_version: i64,
    pub schema_digest: String,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
