//! Templates: context schemas, and which one a revision was checked against.

use sea_orm_migration::prelude::*;

use crate::tables::{integer, key, table, text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                table("context_schemas")
                    .col(integer("number"))
                    .col(integer("version"))
                    .col(text("digest"))
                    .col(text("text"))
                    .col(text("activated_by"))
                    .col(integer("activated_at"))
                    .primary_key(&mut key(&["number"]))
                    .to_owned(),
            )
            .await?;
        // The schema that a template was checked against when it was written; empty where it is no template.
        for column in [
            integer("schema_version").default(0).take(),
            text("schema_digest").default("").take(),
        ] {
            manager
                .alter_table(
                    Table::alter()
                        .table(Alias::new("revisions"))
                        .add_column(column)
                        .to_owned(),
                )
                .await?;
        }
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

/// A revision changes in nothing but its recall, the schema that it was checked against included; schemas stay as they were.
const KEPT: [&str; 3] = [
    "CREATE TRIGGER schemas_of_revisions_are_immutable BEFORE UPDATE OF schema_version, schema_digest ON revisions \
     BEGIN SELECT RAISE(ABORT, 'revisions are immutable'); END",
    "CREATE TRIGGER context_schemas_are_immutable BEFORE UPDATE ON context_schemas \
     BEGIN SELECT RAISE(ABORT, 'context schemas are immutable'); END",
    "CREATE TRIGGER context_schemas_are_kept BEFORE DELETE ON context_schemas \
     BEGIN SELECT RAISE(ABORT, 'context schemas are kept'); END",
];
