//! What is kept: skills, their immutable revisions, and the bytes of those, apart from the metadata.

use sea_orm_migration::prelude::*;

use crate::tables::{
    bytes, flag, index, integer, key, maybe_integer, maybe_text, small, table, text,
};

const SKILL: [&str; 5] = ["tenant", "scope_kind", "scope_id", "kind", "name"];

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                table("skills")
                    .col(text("tenant"))
                    .col(small("scope_kind"))
                    // The actor's id; empty at a tenant and at global.
                    .col(text("scope_id"))
                    .col(small("kind"))
                    .col(text("name"))
                    .col(small("mode"))
                    .col(flag("sealed"))
                    .col(flag("disabled"))
                    .col(flag("archived"))
                    // What a catalog shows of the current revision, so that filling a scope reads one table.
                    .col(integer("revision"))
                    .col(integer("last_revision"))
                    .col(text("description"))
                    .col(text("digest"))
                    .col(flag("templated"))
                    .col(small("recall"))
                    .col(small("author_kind"))
                    .col(text("author"))
                    .col(integer("created_at"))
                    .col(integer("updated_at"))
                    .primary_key(&mut key(&SKILL))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                table("revisions")
                    .col(text("tenant"))
                    .col(small("scope_kind"))
                    .col(text("scope_id"))
                    .col(small("kind"))
                    .col(text("name"))
                    .col(integer("number"))
                    .col(text("digest"))
                    .col(text("content"))
                    .col(integer("size"))
                    .col(text("description"))
                    .col(flag("templated"))
                    .col(text("frontmatter"))
                    .col(integer("body_offset"))
                    .col(small("author_kind"))
                    .col(text("author"))
                    .col(maybe_text("acts_for"))
                    .col(text("message"))
                    .col(maybe_integer("rolled_back_to"))
                    .col(integer("created_at"))
                    .col(small("recall"))
                    .col(maybe_text("recall_reason"))
                    .col(maybe_integer("recalled_at"))
                    .primary_key(&mut key(&[
                        "tenant",
                        "scope_kind",
                        "scope_id",
                        "kind",
                        "name",
                        "number",
                    ]))
                    .to_owned(),
            )
            .await?;
        index(
            manager,
            "revisions_by_digest",
            "revisions",
            &["tenant", "digest"],
            false,
        )
        .await?;
        index(
            manager,
            "revisions_by_recall",
            "revisions",
            &["recall"],
            false,
        )
        .await?;
        manager
            .create_table(
                table("contents")
                    .col(text("tenant"))
                    .col(text("sha256"))
                    .col(bytes("bytes"))
                    .primary_key(&mut key(&["tenant", "sha256"]))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                table("hidden_skills")
                    .col(text("tenant"))
                    .col(text("name"))
                    .col(text("reason"))
                    .col(integer("created_at"))
                    .primary_key(&mut key(&["tenant", "name"]))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                table("scope_versions")
                    .col(text("tenant"))
                    .col(small("scope_kind"))
                    .col(text("scope_id"))
                    .col(integer("version"))
                    .primary_key(&mut key(&["tenant", "scope_kind", "scope_id"]))
                    .to_owned(),
            )
            .await?;
        if manager.get_database_backend() == sea_orm_migration::sea_orm::DbBackend::Sqlite {
            // Content of a revision never changes (design §3, invariant 15); only its recall does.
            let db = manager.get_connection();
            db.execute_unprepared(
                "CREATE TRIGGER revisions_are_immutable BEFORE UPDATE OF tenant, scope_kind, \
                 scope_id, kind, name, number, digest, content, size, description, templated, body_offset, \
                 frontmatter, author_kind, author, acts_for, message, rolled_back_to, created_at \
                 ON revisions BEGIN SELECT RAISE(ABORT, 'revisions are immutable'); END",
            )
            .await?;
            db.execute_unprepared(
                "CREATE TRIGGER revisions_are_kept BEFORE DELETE ON revisions \
                 BEGIN SELECT RAISE(ABORT, 'revisions are kept'); END",
            )
            .await?;
        }
        Ok(())
    }
}
