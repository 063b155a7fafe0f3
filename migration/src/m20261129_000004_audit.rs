//! What was done: the hash-chained audit log, and the idempotency keys that were used.

use sea_orm_migration::prelude::*;

use crate::tables::{bytes, index, integer, key, maybe_text, table, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                table("audit_heads")
                    .col(text("tenant").primary_key())
                    .col(integer("seq"))
                    .col(text("hash"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                table("audit")
                    .col(text("tenant"))
                    .col(integer("seq"))
                    .col(integer("at"))
                    .col(text("principal"))
                    .col(text("action"))
                    .col(text("target"))
                    .col(maybe_text("rule"))
                    .col(bytes("record"))
                    .col(text("hash"))
                    .primary_key(&mut key(&["tenant", "seq"]))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                table("idempotency_keys")
                    .col(text("tenant"))
                    .col(text("principal"))
                    .col(text("route"))
                    .col(text("key"))
                    .col(text("payload"))
                    .col(text("outcome"))
                    .col(integer("created_at"))
                    .primary_key(&mut key(&["tenant", "principal", "route", "key"]))
                    .to_owned(),
            )
            .await?;
        index(
            manager,
            "idempotency_by_age",
            "idempotency_keys",
            &["created_at"],
            false,
        )
        .await?;
        if manager.get_database_backend() == sea_orm_migration::sea_orm::DbBackend::Sqlite {
            let db = manager.get_connection();
            db.execute_unprepared(
                "CREATE TRIGGER audit_is_append_only_update BEFORE UPDATE ON audit \
                 BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
            )
            .await?;
            db.execute_unprepared(
                "CREATE TRIGGER audit_is_append_only_delete BEFORE DELETE ON audit \
                 BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
            )
            .await?;
        }
        Ok(())
    }
}
