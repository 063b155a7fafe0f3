//! The audit log, its heads and the journal: they are written at their ends, and nowhere else.

/// The triggers of SQLite by their names, with their messages.
pub(super) const STATEMENTS: [&str; 15] = [
    "CREATE TRIGGER audit_is_append_only_update BEFORE UPDATE ON @.audit \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_refuse('the audit log is append-only')",
    "CREATE TRIGGER audit_is_append_only_delete BEFORE DELETE ON @.audit \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_refuse('the audit log is append-only')",
    // Heads follow when the statement is done, so that of several records the later ones come after those before them.
    "CREATE FUNCTION @.vestry_audit_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$ \
     BEGIN \
       IF NEW.seq <> coalesce(greatest( \
         (SELECT seq FROM @.audit_heads WHERE tenant = NEW.tenant), \
         (SELECT max(seq) FROM @.audit WHERE tenant = NEW.tenant)), 0) + 1 \
       THEN RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'P0001'; END IF; \
       RETURN NEW; \
     END $$",
    "CREATE TRIGGER audit_goes_on BEFORE INSERT ON @.audit \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_audit_goes_on()",
    "CREATE FUNCTION @.vestry_audit_head_follows() RETURNS trigger LANGUAGE plpgsql AS $$ \
     BEGIN \
       INSERT INTO @.audit_heads (tenant, seq, hash) VALUES (NEW.tenant, NEW.seq, NEW.hash) \
       ON CONFLICT (tenant) DO UPDATE SET seq = excluded.seq, hash = excluded.hash; \
       RETURN NULL; \
     END $$",
    "CREATE TRIGGER audit_head_follows AFTER INSERT ON @.audit \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_audit_head_follows()",
    // Fires before the head is looked for, so also where an update becomes of it.
    "CREATE FUNCTION @.vestry_audit_heads_follow() RETURNS trigger LANGUAGE plpgsql AS $$ \
     BEGIN \
       IF EXISTS (SELECT 1 FROM @.audit_heads WHERE tenant = NEW.tenant AND seq >= NEW.seq) \
       OR NOT EXISTS (SELECT 1 FROM @.audit WHERE tenant = NEW.tenant AND seq = NEW.seq AND hash = NEW.hash) \
       THEN RAISE EXCEPTION 'heads of the audit log only follow it' USING ERRCODE = 'P0001'; END IF; \
       RETURN NEW; \
     END $$",
    "CREATE TRIGGER audit_heads_begin BEFORE INSERT ON @.audit_heads \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_audit_heads_follow()",
    "CREATE TRIGGER audit_heads_go_on BEFORE UPDATE ON @.audit_heads \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_audit_heads_follow()",
    "CREATE TRIGGER audit_heads_keep_their_chain BEFORE UPDATE OF tenant ON @.audit_heads \
     FOR EACH ROW WHEN (NEW.tenant <> OLD.tenant) \
     EXECUTE FUNCTION @.vestry_refuse('heads of the audit log only follow it')",
    "CREATE TRIGGER audit_heads_are_kept BEFORE DELETE ON @.audit_heads \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_refuse('heads of the audit log only follow it')",
    "CREATE FUNCTION @.vestry_journal_goes_on() RETURNS trigger LANGUAGE plpgsql AS $$ \
     BEGIN \
       IF TG_OP = 'DELETE' THEN \
         IF OLD.last_at > (SELECT max(last_at) FROM @.journal) - 7776000000000 \
         THEN RAISE EXCEPTION 'the journal is kept for 90 days' USING ERRCODE = 'P0001'; END IF; \
         RETURN OLD; \
       END IF; \
       IF EXISTS (SELECT 1 FROM @.journal WHERE tenant = NEW.tenant AND number >= NEW.number) \
       THEN RAISE EXCEPTION 'the journal is append-only' USING ERRCODE = 'P0001'; END IF; \
       RETURN NEW; \
     END $$",
    "CREATE TRIGGER journal_goes_on BEFORE INSERT ON @.journal \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_journal_goes_on()",
    "CREATE TRIGGER journal_is_append_only BEFORE UPDATE ON @.journal \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_refuse('the journal is append-only')",
    // 90 days in microseconds, as on SQLite against the newest row.
    "CREATE TRIGGER journal_is_kept BEFORE DELETE ON @.journal \
     FOR EACH ROW EXECUTE FUNCTION @.vestry_journal_goes_on()",
];
