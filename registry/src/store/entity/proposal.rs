//! Content put forward for a scope.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "proposals")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub tenant: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i64,
    pub scope_kind: i16,
    pub scope_id: String,
    pub kind: i16,
    pub name: String,
    pub state: i16,
    pub version: i64,
    pub origin: String,
    pub digest: String,
    pub content: String,
    pub size: i64,
    pub files: i64,
    pub description: String,
    pub templated: bool,
    pub frontmatter: String,
    pub body_offset: i64,
    pub message: String,
    pub rationale: String,
    pub evidence: String,
    pub base_revision: i64,
    pub base_digest: Option<String>,
    pub author_kind: i16,
    pub author: String,
    pub author_tenant: String,
    pub acts_for: Option<String>,
    pub authors: String,
    pub created_at: i64,
    pub updated_at: i64,
    pub expires_at: i64,
    pub ended_at: Option<i64>,
    pub ended_by: Option<String>,
    pub ended_reason: Option<String>,
    pub published: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
