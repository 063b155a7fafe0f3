//! Proposals: content put forward for a scope, what was decided and said of it, and what a tenant sets about reviews.

use sea_orm_migration::prelude::*;

use crate::tables::{flag, index, integer, key, maybe_integer, maybe_text, small, table, text};

const PROPOSAL: [&str; 2] = ["tenant", "number"];

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for column in [
            integer("required_approvals").default(1).take(),
            // Usernames and patterns, as JSON lists of texts.
            text("approvers").default("[]").take(),
            small("distinct_human").default(0).take(),
            text("review_names").default("[]").take(),
            small("review_severity").default(0).take(),
            integer("proposal_days").default(30).take(),
            integer("max_open_proposals").default(20).take(),
        ] {
            manager
                .alter_table(
                    Table::alter()
                        .table(Alias::new("tenants"))
                        .add_column(column)
                        .to_owned(),
                )
                .await?;
        }
        manager.create_table(proposals()).await?;
        for (name, columns) in [
            (
                "proposals_by_target",
                &["tenant", "scope_kind", "scope_id", "kind", "name"][..],
            ),
            (
                "proposals_by_author",
                &["tenant", "author_tenant", "author", "state"],
            ),
            ("proposals_by_age", &["tenant", "created_at"]),
            ("proposals_by_end", &["state", "expires_at"]),
        ] {
            index(manager, name, "proposals", columns, false).await?;
        }
        manager
            .create_table(
                table("proposal_files")
                    .col(text("tenant"))
                    .col(integer("number"))
                    .col(text("path"))
                    .col(integer("size"))
                    .col(text("sha256"))
                    .primary_key(&mut key(&["tenant", "number", "path"]))
                    .to_owned(),
            )
            .await?;
        index(
            manager,
            "proposal_files_by_blob",
            "proposal_files",
            &["tenant", "sha256"],
            false,
        )
        .await?;
        manager
            .create_table(
                table("proposal_decisions")
                    .col(text("tenant"))
                    .col(integer("number"))
                    .col(integer("seq"))
                    // Of the proposal when it was decided: a decision counts for this version only.
                    .col(integer("version"))
                    .col(text("username"))
                    .col(flag("approve"))
                    .col(text("digest"))
                    .col(maybe_text("base_digest"))
                    .col(text("reason"))
                    .col(integer("created_at"))
                    .primary_key(&mut key(&["tenant", "number", "seq"]))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                table("proposal_comments")
                    .col(text("tenant"))
                    .col(integer("number"))
                    .col(integer("seq"))
                    .col(small("author_kind"))
                    .col(text("author"))
                    .col(maybe_text("acts_for"))
                    .col(text("text"))
                    .col(text("digest"))
                    .col(integer("created_at"))
                    .primary_key(&mut key(&["tenant", "number", "seq"]))
                    .to_owned(),
            )
            .await?;
        if manager.get_database_backend() == sea_orm_migration::sea_orm::DbBackend::Sqlite {
            for statement in KEPT {
                manager
                    .get_connection()
                    .execute_unprepared(statement)
                    .await?;
            }
        }
        Ok(())
    }
}

fn proposals() -> TableCreateStatement {
    table("proposals")
        .col(text("tenant"))
        // Counted per tenant; random at global, so that none tells how many others there are.
        .col(integer("number"))
        .col(small("scope_kind"))
        .col(text("scope_id"))
        .col(small("kind"))
        .col(text("name"))
        .col(small("state"))
        // Counts edits and rebases.
        .col(integer("version"))
        // The rule that made it a proposal; empty when it was made one by its author.
        .col(text("origin"))
        .col(text("digest"))
        .col(text("content"))
        .col(integer("size"))
        .col(integer("files"))
        .col(text("description"))
        .col(flag("templated"))
        .col(text("frontmatter"))
        .col(integer("body_offset"))
        .col(text("message"))
        .col(text("rationale"))
        .col(text("evidence"))
        // The last revision of the skill when it was proposed or rebased, 0 when there was none; the digest only while the
        // skill was living.
        .col(integer("base_revision"))
        .col(maybe_text("base_digest"))
        .col(small("author_kind"))
        .col(text("author"))
        .col(text("author_tenant"))
        .col(maybe_text("acts_for"))
        // Everyone who wrote it, the proposer first, as JSON.
        .col(text("authors"))
        .col(integer("created_at"))
        .col(integer("updated_at"))
        .col(integer("expires_at"))
        .col(maybe_integer("ended_at"))
        .col(maybe_text("ended_by"))
        .col(maybe_text("ended_reason"))
        .col(maybe_integer("published"))
        .primary_key(&mut key(&PROPOSAL))
        .to_owned()
}

/// What a reviewer approves is what is there: neither the target nor the authors change, what was decided and said stays,
/// and the bytes of files are kept for as long as a proposal names them.
const KEPT: [&str; 6] = [
    "CREATE TRIGGER proposals_keep_their_target BEFORE UPDATE OF tenant, number, scope_kind, scope_id, kind, name, \
     author_kind, author, author_tenant, acts_for, created_at ON proposals \
     BEGIN SELECT RAISE(ABORT, 'the target and the author of a proposal do not change'); END",
    "CREATE TRIGGER proposals_are_kept BEFORE DELETE ON proposals \
     BEGIN SELECT RAISE(ABORT, 'proposals are kept'); END",
    "CREATE TRIGGER proposal_decisions_are_immutable BEFORE UPDATE ON proposal_decisions \
     BEGIN SELECT RAISE(ABORT, 'decisions are immutable'); END",
    "CREATE TRIGGER proposal_decisions_are_kept BEFORE DELETE ON proposal_decisions \
     BEGIN SELECT RAISE(ABORT, 'decisions are kept'); END",
    "CREATE TRIGGER ended_proposals_are_immutable BEFORE UPDATE ON proposals WHEN OLD.state > 1 \
     BEGIN SELECT RAISE(ABORT, 'a proposal that has ended does not change'); END",
    "CREATE TRIGGER blobs_of_proposals_are_kept BEFORE DELETE ON blobs \
     WHEN EXISTS (SELECT 1 FROM proposal_files WHERE tenant = OLD.tenant AND sha256 = OLD.sha256) \
     BEGIN SELECT RAISE(ABORT, 'blobs of proposals are kept'); END",
];
