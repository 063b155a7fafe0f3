//! What a turn that its caller named was opened with.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "openings")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub tenant: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub actor: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub agent: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub turn: String,
    pub role: String,
    /// The digest of the context, which itself is not kept.
    pub context: String,
    /// The parts, as JSON.
    pub pins: String,
    /// Their digest.
    pub digest: String,
    pub session: Option<String>,
    pub created_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
