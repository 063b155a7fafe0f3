//! How many living skills a scope has, kept by the database itself: a quota asks for it whenever a skill is created, and
//! counting takes longer the more there are.

use sea_orm_migration::prelude::*;

use crate::tables::{integer, key, small, table, text};

/// Fills the counts of what is there, and has every later change counted.
const KEPT: [&str; 3] = [
    "INSERT INTO scope_sizes (tenant, scope_kind, scope_id, living) \
     SELECT tenant, scope_kind, scope_id, sum(CASE WHEN archived THEN 0 ELSE 1 END) FROM skills \
     GROUP BY tenant, scope_kind, scope_id",
    "CREATE TRIGGER scope_size_grows AFTER INSERT ON skills WHEN NOT NEW.archived \
     BEGIN INSERT INTO scope_sizes (tenant, scope_kind, scope_id, living) \
     VALUES (NEW.tenant, NEW.scope_kind, NEW.scope_id, 1) \
     ON CONFLICT (tenant, scope_kind, scope_id) DO UPDATE SET living = living + 1; END",
    // A scope whose skills are all archived has a row too, for the first that comes back.
    "CREATE TRIGGER scope_size_follows AFTER UPDATE OF archived ON skills WHEN OLD.archived <> NEW.archived \
     BEGIN UPDATE scope_sizes SET living = living + CASE WHEN NEW.archived THEN -1 ELSE 1 END \
     WHERE tenant = NEW.tenant AND scope_kind = NEW.scope_kind AND scope_id = NEW.scope_id; END",
];

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                table("scope_sizes")
                    .col(text("tenant"))
                    .col(small("scope_kind"))
                    .col(text("scope_id"))
                    .col(integer("living"))
                    .primary_key(&mut key(&["tenant", "scope_kind", "scope_id"]))
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
