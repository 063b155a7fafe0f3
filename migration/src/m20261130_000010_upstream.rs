//! What a skill overrides was so and so when it was written, so that its owner sees that it has changed; and sealed skills
//! are found without looking at all the others.

use sea_orm_migration::prelude::*;

use crate::tables::{maybe_integer, maybe_text};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Skills that are there count as written against what is there.
const WIDER: &str = "s.kind = skills.kind AND s.name = skills.name AND NOT s.archived AND NOT s.disabled AND s.recall = 0";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = [
            ColumnDef::new(Alias::new("upstream_scope"))
                .small_integer()
                .null()
                .take(),
            maybe_integer("upstream_revision"),
            maybe_text("upstream_digest"),
        ];
        for column in columns {
            manager
                .alter_table(
                    Table::alter()
                        .table(Alias::new("skills"))
                        .add_column(column)
                        .to_owned(),
                )
                .await?;
        }
        let db = manager.get_connection();
        // The tenant's first: of two the narrower one is overridden.
        for (scope_kind, narrower, tenant) in [(1, 1, "skills.tenant"), (0, 0, "'~'")] {
            let of = |column: &str| {
                format!(
                    "(SELECT s.{column} FROM skills AS s WHERE s.tenant = {tenant} AND s.scope_kind = {scope_kind} \
                     AND s.scope_id = '' AND {WIDER})"
                )
            };
            let digest = of("digest");
            db.execute_unprepared(&format!(
                "UPDATE skills SET upstream_scope = {scope_kind}, upstream_revision = {}, upstream_digest = {digest} \
                 WHERE scope_kind > {narrower} AND upstream_scope IS NULL AND {digest} IS NOT NULL \
                 AND ({scope_kind} = 1 OR NOT EXISTS \
                 (SELECT 1 FROM hidden_skills AS h WHERE h.tenant = skills.tenant AND h.name = skills.name))",
                of("revision"),
            ))
            .await?;
        }
        db.execute_unprepared(
            "CREATE INDEX skills_sealed ON skills (tenant, scope_kind, scope_id) WHERE sealed",
        )
        .await?;
        Ok(())
    }
}
