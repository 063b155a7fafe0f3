//! Roles of agents: which skills are attached to which, and what turns were opened with.

use sea_orm_migration::prelude::*;

use crate::tables::{index, integer, key, maybe_text, small, table, text};

/// The mark of a new database, in which the skills that come with the program are still to be created.
pub const BUILT_IN_SKILLS: &str = "built-in-skills";

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                table("role_attachments")
                    .col(text("tenant"))
                    .col(small("scope_kind"))
                    .col(text("scope_id"))
                    .col(text("skill"))
                    .col(text("role"))
                    // 0 triggered, 1 ambient, 2 as the skill says.
                    .col(small("mode"))
                    .col(integer("created_at"))
                    // The skill first: a catalog looks attachments up by it.
                    .primary_key(&mut key(&[
                        "tenant",
                        "scope_kind",
                        "scope_id",
                        "skill",
                        "role",
                    ]))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                table("openings")
                    .col(text("tenant"))
                    .col(text("actor"))
                    // Empty when a human opens the turn itself.
                    .col(text("agent"))
                    .col(text("turn"))
                    .col(text("role"))
                    // A digest: the context itself is never kept.
                    .col(text("context"))
                    .col(text("pins"))
                    .col(text("digest"))
                    .col(maybe_text("session"))
                    .col(integer("created_at"))
                    .primary_key(&mut key(&["tenant", "actor", "agent", "turn"]))
                    .to_owned(),
            )
            .await?;
        index(
            manager,
            "openings_by_age",
            "openings",
            &["created_at"],
            false,
        )
        .await?;
        manager
            .create_table(table("marks").col(text("name").primary_key()).to_owned())
            .await?;
        // A database that somebody has used is not a new one: nothing appears in it that nobody published.
        let mark = format!(
            "INSERT INTO marks (name) SELECT '{BUILT_IN_SKILLS}' \
             WHERE NOT EXISTS (SELECT 1 FROM users) AND NOT EXISTS (SELECT 1 FROM skills)"
        );
        manager.get_connection().execute_unprepared(&mark).await?;
        Ok(())
    }
}
