//! What a client of the database cannot do by mistake: change, drop or replace what the audit log, its heads and the
//! journal say. Whoever can drop a trigger can do it all the same; checkpoints outside the database are for that.
//!
//! `INSERT OR REPLACE` drops a row without asking the triggers of a deletion, so that insertions are watched as well.

use sea_orm_migration::prelude::*;

const TRIGGERS: [&str; 11] = [
    // A record comes after the last one of its chain, and nowhere else.
    "CREATE TRIGGER audit_goes_on BEFORE INSERT ON audit \
     WHEN NEW.seq <> coalesce((SELECT seq FROM audit_heads WHERE tenant = NEW.tenant), 0) + 1 \
     BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END",
    // A head names a record that is there, and goes forward only.
    "CREATE TRIGGER audit_heads_begin BEFORE INSERT ON audit_heads \
     WHEN EXISTS (SELECT 1 FROM audit_heads WHERE tenant = NEW.tenant AND seq >= NEW.seq) \
     OR NOT EXISTS (SELECT 1 FROM audit WHERE tenant = NEW.tenant AND seq = NEW.seq AND hash = NEW.hash) \
     BEGIN SELECT RAISE(ABORT, 'heads of the audit log only follow it'); END",
    "CREATE TRIGGER audit_heads_go_on BEFORE UPDATE ON audit_heads \
     WHEN NEW.tenant <> OLD.tenant OR NEW.seq <= OLD.seq \
     OR NOT EXISTS (SELECT 1 FROM audit WHERE tenant = NEW.tenant AND seq = NEW.seq AND hash = NEW.hash) \
     BEGIN SELECT RAISE(ABORT, 'heads of the audit log only follow it'); END",
    "CREATE TRIGGER audit_heads_are_kept BEFORE DELETE ON audit_heads \
     BEGIN SELECT RAISE(ABORT, 'heads of the audit log only follow it'); END",
    "CREATE TRIGGER journal_goes_on BEFORE INSERT ON journal \
     WHEN EXISTS (SELECT 1 FROM journal WHERE tenant = NEW.tenant AND number >= NEW.number) \
     BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
    "CREATE TRIGGER journal_is_append_only BEFORE UPDATE ON journal \
     BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END",
    // 90 days in microseconds. A database has no clock that can be believed, so the age is that against the newest row.
    "CREATE TRIGGER journal_is_kept BEFORE DELETE ON journal \
     WHEN OLD.last_at > (SELECT max(last_at) FROM journal) - 7776000000000 \
     BEGIN SELECT RAISE(ABORT, 'the journal is kept for 90 days'); END",
    "CREATE TRIGGER snapshots_are_immutable BEFORE UPDATE OF tenant, digest, content ON snapshots \
     BEGIN SELECT RAISE(ABORT, 'snapshots are immutable'); END",
    "CREATE TRIGGER snapshots_are_not_replaced BEFORE INSERT ON snapshots \
     WHEN EXISTS (SELECT 1 FROM snapshots WHERE tenant = NEW.tenant AND digest = NEW.digest AND content <> NEW.content) \
     BEGIN SELECT RAISE(ABORT, 'snapshots are immutable'); END",
    "CREATE TRIGGER revisions_are_not_replaced BEFORE INSERT ON revisions \
     WHEN EXISTS (SELECT 1 FROM revisions WHERE tenant = NEW.tenant AND scope_kind = NEW.scope_kind \
     AND scope_id = NEW.scope_id AND kind = NEW.kind AND name = NEW.name AND number = NEW.number) \
     BEGIN SELECT RAISE(ABORT, 'revisions are immutable'); END",
    "CREATE TRIGGER revision_files_are_not_replaced BEFORE INSERT ON revision_files \
     WHEN EXISTS (SELECT 1 FROM revision_files WHERE tenant = NEW.tenant AND scope_kind = NEW.scope_kind \
     AND scope_id = NEW.scope_id AND kind = NEW.kind AND name = NEW.name AND number = NEW.number AND path = NEW.path) \
     BEGIN SELECT RAISE(ABORT, 'files of revisions are immutable'); END",
];

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        if manager.get_database_backend() == sea_orm_migration::sea_orm::DbBackend::Sqlite {
            for sql in TRIGGERS {
                manager.get_connection().execute_unprepared(sql).await?;
            }
        }
        Ok(())
    }
}
