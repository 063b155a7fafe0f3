//! A turn that its caller named, and what it was offered.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "turns")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub tenant: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub actor: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub agent: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub turn: String,
    pub snapshot: String,
    /// Negative when the server chose it.
    pub cap: i64,
    pub role: String,
    pub token_budget: Option<i64>,
    pub session: Option<String>,
    pub created_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
