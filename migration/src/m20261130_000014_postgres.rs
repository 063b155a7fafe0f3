//! The guards, counters and functions of PostgreSQL. SQLite has what it needs of them from the migrations before.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if manager.get_database_backend() == sea_orm_migration::sea_orm::DbBackend::Postgres {
            crate::postgres::create(manager.get_connection()).await?;
        }
        Ok(())
    }
}
