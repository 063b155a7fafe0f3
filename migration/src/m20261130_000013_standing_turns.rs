//! Standing turns: which turn a credential is in, for protocols whose requests name none.

use sea_orm_migration::prelude::*;

use crate::tables::{index, integer, key, table, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                table("standing_turns")
                    .col(text("tenant"))
                    // The id of a token, or of an API key.
                    .col(text("credential"))
                    // Empty when none was asked for.
                    .col(text("role"))
                    // 0 when none was asked for.
                    .col(integer("cap"))
                    .col(text("turn"))
                    // A digest, or empty: the context itself is never kept.
                    .col(text("context"))
                    .col(integer("taken_at"))
                    .primary_key(&mut key(&["tenant", "credential", "role", "cap"]))
                    .to_owned(),
            )
            .await?;
        index(
            manager,
            "standing_turns_by_age",
            "standing_turns",
            &["taken_at"],
            false,
        )
        .await
    }
}
