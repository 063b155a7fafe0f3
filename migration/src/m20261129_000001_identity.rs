//! Who there is: users, tenants, members, services, keys, sessions, elevations.

use sea_orm_migration::prelude::*;

use crate::tables::{flag, index, integer, key, maybe_integer, small, table, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                table("users")
                    // Folded: usernames are unique without regard to case.
                    .col(text("username_key").primary_key())
                    .col(text("username"))
                    .col(text("display_name"))
                    .col(text("password"))
                    .col(flag("global_admin"))
                    .col(integer("created_at"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                table("tenants")
                    .col(text("tenant_key").primary_key())
                    .col(text("tenant"))
                    .col(text("name"))
                    .col(integer("max_cap"))
                    .col(small("agent_own_scope"))
                    .col(integer("skills_per_actor"))
                    .col(integer("skills_per_tenant"))
                    .col(integer("revisions_per_skill"))
                    .col(integer("settings_version"))
                    .col(integer("created_at"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                table("members")
                    .col(text("tenant"))
                    .col(text("username"))
                    .col(small("role"))
                    .col(integer("created_at"))
                    .primary_key(&mut key(&["tenant", "username"]))
                    .to_owned(),
            )
            .await?;
        index(
            manager,
            "members_by_username",
            "members",
            &["username"],
            false,
        )
        .await?;
        manager
            .create_table(
                table("actor_epochs")
                    .col(text("tenant"))
                    .col(text("actor"))
                    .col(integer("epoch"))
                    .col(flag("ended"))
                    .primary_key(&mut key(&["tenant", "actor"]))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                table("services")
                    .col(text("tenant"))
                    .col(text("id"))
                    .col(text("name"))
                    .col(text("key_hash"))
                    .col(text("key_hint"))
                    .col(integer("epoch"))
                    .col(integer("created_at"))
                    .col(maybe_integer("revoked_at"))
                    .primary_key(&mut key(&["tenant", "id"]))
                    .to_owned(),
            )
            .await?;
        index(manager, "services_by_key", "services", &["key_hash"], true).await?;
        index(
            manager,
            "services_by_name",
            "services",
            &["tenant", "name"],
            false,
        )
        .await?;
        manager
            .create_table(
                table("user_keys")
                    .col(text("tenant"))
                    .col(text("username"))
                    .col(text("id"))
                    .col(text("name"))
                    .col(text("key_hash"))
                    .col(text("key_hint"))
                    .col(integer("actor_epoch"))
                    .col(integer("created_at"))
                    .col(maybe_integer("revoked_at"))
                    .primary_key(&mut key(&["tenant", "username", "id"]))
                    .to_owned(),
            )
            .await?;
        index(
            manager,
            "user_keys_by_key",
            "user_keys",
            &["key_hash"],
            true,
        )
        .await?;
        manager
            .create_table(
                table("sessions")
                    .col(text("id").primary_key())
                    .col(text("tenant"))
                    .col(text("username"))
                    .col(integer("created_at"))
                    .col(integer("expires_at"))
                    .col(maybe_integer("revoked_at"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                table("refresh_tokens")
                    .col(text("token_hash").primary_key())
                    .col(text("session"))
                    .col(integer("created_at"))
                    .col(integer("expires_at"))
                    .col(maybe_integer("used_at"))
                    .to_owned(),
            )
            .await?;
        index(
            manager,
            "refresh_tokens_by_session",
            "refresh_tokens",
            &["session"],
            false,
        )
        .await?;
        manager
            .create_table(
                table("elevations")
                    .col(text("id").primary_key())
                    .col(text("session"))
                    .col(text("username"))
                    .col(text("scope_tenant"))
                    .col(small("scope_kind"))
                    .col(text("reason"))
                    .col(integer("created_at"))
                    .col(integer("expires_at"))
                    .col(maybe_integer("revoked_at"))
                    .to_owned(),
            )
            .await?;
        index(
            manager,
            "elevations_by_session",
            "elevations",
            &["session"],
            false,
        )
        .await
    }
}
