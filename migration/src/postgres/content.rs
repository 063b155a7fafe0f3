//! What revisions say, the files and blobs of them, snapshots and context schemas: they stay as they were written.
//!
//! SQLite has three more triggers, against `INSERT OR REPLACE` on revisions, their files and snapshots. Here no insertion
//! drops a row: a key that is there is refused, or becomes an update, which the triggers below see. Of those three only
//! the one of snapshots has something left to refuse: other bytes under a digest that is kept.

/// The triggers of SQLite by their names, with their messages.
pub(super) const STATEMENTS: [&str; 14] = [
    // Bundled files are mostly images and archives: trying to compress them costs more than it saves.
    "ALTER TABLE @.blobs ALTER COLUMN bytes SET STORAGE EXTERNAL",
    // All but the recall (design §3, invariant 15).
    "CREATE TRIGGER revisions_are_immutable BEFORE UPDATE OF tenant, scope_kind, \
     scope_id, kind, name, number, digest, content, size, files, description, templated, body_offset, \
     frontmatter, author_kind, author, acts_for, message, rolled_back_to, created_at ON @.revisions \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_refuse('revisions are immutable')",
    "CREATE TRIGGER schemas_of_revisions_are_immutable BEFORE UPDATE OF schema_version, schema_digest ON @.revisions \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_refuse('revisions are immutable')",
    "CREATE TRIGGER revisions_are_kept BEFORE DELETE ON @.revisions \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_refuse('revisions are kept')",
    "CREATE TRIGGER revision_files_are_immutable BEFORE UPDATE ON @.revision_files \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_refuse('files of revisions are immutable')",
    "CREATE TRIGGER revision_files_are_kept BEFORE DELETE ON @.revision_files \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_refuse('files of revisions are kept')",
    "CREATE TRIGGER blobs_are_immutable BEFORE UPDATE ON @.blobs \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_refuse('blobs are immutable')",
    "CREATE FUNCTION @.vestry_blobs_are_kept() RETURNS trigger LANGUAGE plpgsql AS $$ \
     BEGIN \
       IF EXISTS (SELECT 1 FROM @.revision_files WHERE tenant = OLD.tenant AND sha256 = OLD.sha256) \
       THEN RAISE EXCEPTION 'blobs of revisions are kept' USING ERRCODE = 'P0001'; END IF; \
       RETURN OLD; \
     END $$",
    "CREATE TRIGGER blobs_of_revisions_are_kept BEFORE DELETE ON @.blobs \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_blobs_are_kept()",
    "CREATE TRIGGER snapshots_are_immutable BEFORE UPDATE OF tenant, digest, content ON @.snapshots \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_refuse('snapshots are immutable')",
    // Fires before the snapshot is looked for, so also where only the time of its last offer is updated.
    "CREATE FUNCTION @.vestry_snapshots_are_not_replaced() RETURNS trigger LANGUAGE plpgsql AS $$ \
     BEGIN \
       IF EXISTS (SELECT 1 FROM @.snapshots \
         WHERE tenant = NEW.tenant AND digest = NEW.digest AND content <> NEW.content) \
       THEN RAISE EXCEPTION 'snapshots are immutable' USING ERRCODE = 'P0001'; END IF; \
       RETURN NEW; \
     END $$",
    "CREATE TRIGGER snapshots_are_not_replaced BEFORE INSERT ON @.snapshots \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_snapshots_are_not_replaced()",
    "CREATE TRIGGER context_schemas_are_immutable BEFORE UPDATE ON @.context_schemas \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_refuse('context schemas are immutable')",
    "CREATE TRIGGER context_schemas_are_kept BEFORE DELETE ON @.context_schemas \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_refuse('context schemas are kept')",
];
