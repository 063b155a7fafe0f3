//! Bundled files: their bytes once per tenant and digest, who uploaded them, and which revision has which.

use sea_orm_migration::prelude::*;

use crate::tables::{bytes, flag, index, integer, key, maybe_text, small, table, text};

const REVISION: [&str; 6] = ["tenant", "scope_kind", "scope_id", "kind", "name", "number"];

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for of in ["skills", "revisions"] {
            // How many files the revision has, so that one without any costs no look at another table.
            let column = integer("files").default(0).take();
            manager
                .alter_table(
                    Table::alter()
                        .table(Alias::new(of))
                        .add_column(column)
                        .to_owned(),
                )
                .await?;
        }
        manager
            .create_table(
                table("blobs")
                    .col(text("tenant"))
                    .col(text("sha256"))
                    .col(integer("size"))
                    .col(integer("created_at"))
                    // The first character that does not show, where the bytes are text and have one.
                    .col(maybe_text("finding"))
                    // Last, so that reading the rest does not walk through them.
                    .col(bytes("bytes"))
                    .primary_key(&mut key(&["tenant", "sha256"]))
                    .to_owned(),
            )
            .await?;
        manager
            .create_table(
                table("uploads")
                    .col(text("tenant"))
                    .col(text("principal"))
                    .col(text("sha256"))
                    .col(integer("size"))
                    .col(integer("uploaded_at"))
                    // Whether the uploader published it; until then it counts against the quota of what waits.
                    .col(flag("used"))
                    .primary_key(&mut key(&["tenant", "principal", "sha256"]))
                    .to_owned(),
            )
            .await?;
        index(
            manager,
            "uploads_by_blob",
            "uploads",
            &["tenant", "sha256"],
            false,
        )
        .await?;
        // Covers the sums that the quota asks for.
        index(
            manager,
            "uploads_waiting",
            "uploads",
            &["tenant", "used", "principal", "size"],
            false,
        )
        .await?;
        index(
            manager,
            "uploads_by_age",
            "uploads",
            &["uploaded_at"],
            false,
        )
        .await?;
        manager
            .create_table(
                table("revision_files")
                    .col(text("tenant"))
                    .col(small("scope_kind"))
                    .col(text("scope_id"))
                    .col(small("kind"))
                    .col(text("name"))
                    .col(integer("number"))
                    .col(text("path"))
                    .col(integer("size"))
                    .col(text("sha256"))
                    .primary_key(&mut key(&[&REVISION[..], &["path"]].concat()))
                    .to_owned(),
            )
            .await?;
        index(
            manager,
            "revision_files_by_blob",
            "revision_files",
            &["tenant", "sha256"],
            false,
        )
        .await?;
        if manager.get_database_backend() == sea_orm_migration::sea_orm::DbBackend::Sqlite {
            let db = manager.get_connection();
            for sql in TRIGGERS {
                db.execute_unprepared(sql).await?;
            }
        }
        Ok(())
    }
}

/// Content of a revision never changes (design §3, invariant 15), and that includes its files and their bytes.
const TRIGGERS: [&str; 6] = [
    "DROP TRIGGER revisions_are_immutable",
    "CREATE TRIGGER revisions_are_immutable BEFORE UPDATE OF tenant, scope_kind, \
     scope_id, kind, name, number, digest, content, size, files, description, templated, body_offset, \
     frontmatter, author_kind, author, acts_for, message, rolled_back_to, created_at \
     ON revisions BEGIN SELECT RAISE(ABORT, 'revisions are immutable'); END",
    "CREATE TRIGGER revision_files_are_immutable BEFORE UPDATE ON revision_files \
     BEGIN SELECT RAISE(ABORT, 'files of revisions are immutable'); END",
    "CREATE TRIGGER revision_files_are_kept BEFORE DELETE ON revision_files \
     BEGIN SELECT RAISE(ABORT, 'files of revisions are kept'); END",
    "CREATE TRIGGER blobs_are_immutable BEFORE UPDATE ON blobs \
     BEGIN SELECT RAISE(ABORT, 'blobs are immutable'); END",
    "CREATE TRIGGER blobs_of_revisions_are_kept BEFORE DELETE ON blobs \
     WHEN EXISTS (SELECT 1 FROM revision_files WHERE tenant = OLD.tenant AND sha256 = OLD.sha256) \
     BEGIN SELECT RAISE(ABORT, 'blobs of revisions are kept'); END",
];
