//! How many living skills a scope has, kept by the database itself.

/// The counts of what is there, and the triggers of SQLite by their names.
pub(super) const STATEMENTS: [&str; 5] = [
    "INSERT INTO @.scope_sizes (tenant, scope_kind, scope_id, living) \
     SELECT tenant, scope_kind, scope_id, sum(CASE WHEN archived THEN 0 ELSE 1 END) FROM @.skills \
     GROUP BY tenant, scope_kind, scope_id",
    "CREATE FUNCTION @.vestry_scope_size_grows() RETURNS trigger LANGUAGE plpgsql AS $$ \
     BEGIN \
       INSERT INTO @.scope_sizes AS sizes (tenant, scope_kind, scope_id, living) \
       VALUES (NEW.tenant, NEW.scope_kind, NEW.scope_id, 1) \
       ON CONFLICT (tenant, scope_kind, scope_id) DO UPDATE SET living = sizes.living + 1; \
       RETURN NULL; \
     END $$",
    "CREATE TRIGGER scope_size_grows AFTER INSERT ON @.skills \
     FOR EACH ROW WHEN (NOT NEW.archived) EXECUTE FUNCTION @.vestry_scope_size_grows()",
    // A scope whose skills are all archived has a row too, for the first that comes back.
    "CREATE FUNCTION @.vestry_scope_size_follows() RETURNS trigger LANGUAGE plpgsql AS $$ \
     BEGIN \
       UPDATE @.scope_sizes SET living = living + CASE WHEN NEW.archived THEN -1 ELSE 1 END \
       WHERE tenant = NEW.tenant AND scope_kind = NEW.scope_kind AND scope_id = NEW.scope_id; \
       RETURN NULL; \
     END $$",
    "CREATE TRIGGER scope_size_follows AFTER UPDATE OF archived ON @.skills \
     FOR EACH ROW WHEN (OLD.archived <> NEW.archived) EXECUTE FUNCTION @.vestry_scope_size_follows()",
];
