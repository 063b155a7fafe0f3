//! What was offered: snapshots, named turns, and the journal of offers and loads.

use sea_orm_migration::prelude::*;

use crate::tables::{bytes, index, integer, key, maybe_integer, maybe_text, table, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                table("snapshots")
                    .col(text("tenant"))
                    .col(text("digest"))
                    .col(bytes("content"))
                    .col(integer("offered_at"))
                    .primary_key(&mut key(&["tenant", "digest"]))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                table("turns")
                    .col(text("tenant"))
                    .col(text("actor"))
                    // Empty when a human takes the turn itself.
                    .col(text("agent"))
                    .col(text("turn"))
                    .col(text("snapshot"))
                    .col(integer("cap"))
                    .col(text("role"))
                    .col(maybe_integer("token_budget"))
                    .col(maybe_text("session"))
                    .col(integer("created_at"))
                    .primary_key(&mut key(&["tenant", "actor", "agent", "turn"]))
                    .to_owned(),
            )
            .await?;
        index(manager, "turns_by_age", "turns", &["created_at"], false).await?;
        index(
            manager,
            "turns_by_snapshot",
            "turns",
            &["tenant", "snapshot"],
            false,
        )
        .await?;
        manager
            .create_table(
                table("journal")
                    .col(text("tenant"))
                    .col(integer("number"))
                    .col(integer("first_at"))
                    .col(integer("last_at"))
                    .col(integer("records"))
                    .col(bytes("content"))
                    .primary_key(&mut key(&["tenant", "number"]))
                    .to_owned(),
            )
            .await?;
        index(manager, "journal_by_age", "journal", &["last_at"], false).await
    }
}
