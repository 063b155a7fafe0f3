//! A name at a scope, with what a catalog shows of its current revision.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "skills")]
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
    pub mode: i16,
    pub sealed: bool,
    pub disabled: bool,
    pub archived: bool,
    pub revision: i64,
    pub last_revision: i64,
    pub files: i64,
    pub description: String,
    pub digest: String,
    pub templated: bool,
    pub recall: i16,
    pub author_kind: i16,
    pub author: String,
    pub created_at: i64,
    pub updated_at: i64,
    /// The kind of the scope whose skill of this name it overrode when it was written; none when there was none.
    pub upstream_scope: Option<i16>,
    pub upstream_revision: Option<i64>,
    pub upstream_digest: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
