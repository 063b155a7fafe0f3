//! The turn that a credential is in.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "standing_turns")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub tenant: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub credential: String,
    /// Empty when none was asked for.
    #[sea_orm(primary_key, auto_increment = false)]
    pub role: String,
    /// 0 when none was asked for.
    #[sea_orm(primary_key, auto_increment = false)]
    pub cap: i64,
    pub turn: String,
    /// The digest of the context that was listed with; empty when there was none.
    pub context: String,
    pub taken_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
