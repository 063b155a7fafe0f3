//! What holds for every table there is, of which nobody has to remember it: the collation of its texts, and row-level
//! security where its rows are a tenant's.

use sea_orm_migration::prelude::*;

/// Gives every column of texts in the schema the collation `"C"`: order and comparison are by bytes, on every machine and
/// after every upgrade of its libraries (design §6).
///
/// What has it already is not touched, so that a table in use is not locked for nothing.
pub(super) async fn collate<C: ConnectionTrait>(db: &C) -> Result<(), DbErr> {
    db.execute_unprepared(COLLATE).await?;
    Ok(())
}

const COLLATE: &str = "DO $$
DECLARE of_table record;
BEGIN
  FOR of_table IN
    SELECT c.oid::regclass AS name,
      string_agg(format('ALTER COLUMN %I TYPE %s COLLATE \"C\"', a.attname, format_type(a.atttypid, a.atttypmod)), ', ') AS changes
    FROM pg_class AS c
    JOIN pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = current_schema()
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p') AND a.attcollation NOT IN (0, 'pg_catalog.\"C\"'::regcollation)
    GROUP BY c.oid
  LOOP
    EXECUTE format('ALTER TABLE %s %s', of_table.name, of_table.changes);
  END LOOP;
END $$";

/// Turns row-level security on, also for the owner, for every table of the schema that has a column `tenant`: a
/// transaction sees and writes the rows of the tenants that its setting `vestry.tenants` lists, separated by commas, all
/// rows when the setting is `*`, and none when nothing was set.
///
/// [`super::migrate`] does so after the migrations. It may be called as often as one likes: what is secured already is not
/// touched. The schema is Vestry's own; a table of somebody else in it is secured as well when it has such a column.
///
/// # Errors
/// When the role does not own the tables.
pub async fn secure<C: ConnectionTrait>(db: &C) -> Result<(), DbErr> {
    db.execute_unprepared(SECURE).await?;
    Ok(())
}

/// The settings are read in subqueries, once for a statement and not for each row.
const SECURE: &str = "DO $$
DECLARE of_table record;
BEGIN
  FOR of_table IN
    SELECT c.oid::regclass AS name, c.relrowsecurity AS enabled, c.relforcerowsecurity AS forced,
      EXISTS (SELECT 1 FROM pg_policy AS p WHERE p.polrelid = c.oid AND p.polname = 'vestry_tenants') AS has_policy
    FROM pg_class AS c
    JOIN pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = current_schema()
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped
    WHERE c.relkind IN ('r', 'p')
  LOOP
    IF NOT of_table.has_policy THEN
      EXECUTE format($policy$CREATE POLICY vestry_tenants ON %s
        USING (tenant = ANY ((SELECT string_to_array(current_setting('vestry.tenants', true), ','))::text[])
          OR (SELECT current_setting('vestry.tenants', true)) = '*')$policy$, of_table.name);
    END IF;
    IF NOT of_table.enabled THEN
      EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', of_table.name);
    END IF;
    IF NOT of_table.forced THEN
      EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', of_table.name);
    END IF;
  END LOOP;
END $$";
