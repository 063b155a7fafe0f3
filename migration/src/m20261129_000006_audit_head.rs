//! The head of a chain follows its last record by itself: nothing can append and forget the head, and appending is one
//! statement.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if manager.get_database_backend() == sea_orm_migration::sea_orm::DbBackend::Sqlite {
            manager
                .get_connection()
                .execute_unprepared(
                    "CREATE TRIGGER audit_head_follows AFTER INSERT ON audit \
                     BEGIN INSERT INTO audit_heads (tenant, seq, hash) VALUES (NEW.tenant, NEW.seq, NEW.hash) \
                     ON CONFLICT (tenant) DO UPDATE SET seq = excluded.seq, hash = excluded.hash; END",
                )
                .await?;
        }
        Ok(())
    }
}
